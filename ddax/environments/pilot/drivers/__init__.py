"""Do one thing each on a page, and see that it is done."""
