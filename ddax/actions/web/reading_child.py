"""The child of the reading worker: pages in, what they say out; it ends when its input does.

One task is a line of JSON and as many bytes as it states; one reply is a line with a length and so many
bytes of JSON. Its memory is capped, so that a page that unpacks without end fails instead of the machine,
and so is the CPU time of each task: the system ends the child where it is over, whatever it does.
"""

from __future__ import annotations

import json
import signal
import sys
from contextlib import suppress

MEMORY_BYTES = 2**31


def main() -> None:
    """Answer tasks until the input ends."""
    from ddax.actions.web.page import NotText, read_page

    cap_memory()
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    while line := source.readline():
        task = json.loads(line)
        content = source.read(int(task.pop("bytes")))
        cap_time(task.pop("seconds"))
        try:
            page = read_page(content, **task)
            reply = {**page._asdict(), "fields": dict(page.fields)}
        except NotText as exc:
            reply = {"not_text": str(exc)}
        except (MemoryError, RecursionError) as exc:
            reply = {"not_text": f"it needs too much to be read ({type(exc).__name__})"}
        raw = json.dumps(reply, ensure_ascii=False).encode("utf-8", "surrogatepass")
        cap_time(0.0)
        sink.write(f"{len(raw)}\n".encode() + raw)
        sink.flush()


def cap_time(seconds: float) -> None:
    """Let the system end this process after so many seconds of CPU time from now; 0 takes it back."""
    signal.setitimer(signal.ITIMER_PROF, seconds)


def cap_memory() -> None:
    """Cap the address space of this process, where the system can."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


if __name__ == "__main__":
    main()
