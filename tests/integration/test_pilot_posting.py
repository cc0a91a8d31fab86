"""Comments that are posted, tickets by number, passwords written twice, lists of several, in Chromium."""

from __future__ import annotations

import pytest

from tests.integration.browser_site import Carry, with_chromium

pytestmark = [pytest.mark.integration, with_chromium, pytest.mark.asyncio(loop_scope="module")]
SAY = "<p id=said></p><script>const say=(text)=>{said.textContent+=text+';'};</script>"
BUTTONS = SAY + "".join(f"<button onclick=\"say('{name}')\">{name}</button>" for name in ("Save", "Cancel"))
SEARCH = (
    f"{SAY}<form onsubmit=\"say('found '+q.value);return false\"><input id=q aria-label=Search>"
    "<button>Search</button></form>"
)
TICKETS = ((2001, "Printer jams"), (2002, "Login fails"), (20023, "No sound"))
CLOSE = "<button onclick=\"say('closed NUMBER')\">Close</button>"
ROWS = "".join(f"<tr><td>{n}<td>{title}<td>{CLOSE.replace('NUMBER', str(n))}</tr>" for n, title in TICKETS)
TABLE = f"{SAY}<table><tr><th>Ticket<th>Title<th></tr>{ROWS}</table>"
ITEMS = "".join(f"<li>Ticket #{n}: {title} {CLOSE.replace('NUMBER', str(n))}</li>" for n, title in TICKETS)
LIST = f"{SAY}<ul>{ITEMS}</ul>"
BOX = f"{SAY}<div role=dialog aria-label=Offer>Buy now<button onclick=\"say('closed')\">Close</button></div>"
FIELD = "<h1>A post</h1><p>Text.</p><label>Comment <textarea id=t></textarea></label>"
POSTS = f"{SAY}{FIELD}<button onclick=\"say('posted '+t.value);t.value=''\">Post</button>"
SIGN = f"""{SAY}<form onsubmit="say([u.value,p.value,r.value].join('/'));return false">
<label>User name <input id=u></label><label>Password <input type=password id=p></label>
<label>Confirm password <input type=password id=r></label><button>Sign up</button></form>"""
CHANGE = SIGN.replace("Confirm password", "New password")
TOPPINGS = f"""{SAY}<label>Toppings <select multiple id=m
 onchange="said.textContent=[...m.selectedOptions].map(o=>o.text)">
<option>Ham<option>Olives<option>Basil</select></label>"""


@pytest.mark.parametrize(
    ("body", "task", "said"),
    [
        (BUTTONS, "Click Save, please.", "Save;"),
        (BUTTONS, "Press Cancel, thank you!", "Cancel;"),
        (BUTTONS, "Click Save. Thanks!", "Save;"),
        (SEARCH, "Search for blue kettle, please", "found blue kettle;"),
        (SEARCH, 'Search for "yes please"', "found yes please;"),
        (TABLE, "Close ticket 2002", "closed 2002;"),
        (LIST, "Close ticket #2002.", "closed 2002;"),
        (LIST, "Close the ticket about the printer.", "closed 2001;"),
        (BOX, "Close the offer.", "closed;"),
        (POSTS, 'Write a comment "Well said"', "posted Well said;"),
        (POSTS, 'Add the comment "Well said", please.', "posted Well said;"),
        (POSTS, "Leave a comment saying Well said", "posted Well said;"),
        (POSTS, 'Write a comment "Well said" and press Post', "posted Well said;"),
        (SIGN, 'Enter "ann" as the user name and "s3!" as the password, then press Sign up', "ann/s3!/s3!;"),
        (
            SIGN,
            'Fill in user name "ann", password "s3!" and confirm password "s3!" and press Sign up',
            "ann/s3!/s3!;",
        ),
        (CHANGE, 'Enter "ann" as the user name and "s3!" as the password, then press Sign up', "ann/s3!/;"),
        (TOPPINGS, "Select Olives and Basil.", "Olives,Basil"),
        (TOPPINGS, "Set Toppings to Olives and Basil.", "Olives,Basil"),
    ],
)
async def test_it_is_done_whole_and_once(carry: Carry, body: str, task: str, said: str) -> None:
    report, now = await carry(body, task)
    assert now.startswith(said) and now.count(";") <= 1
    assert report.ok, report.failed


@pytest.mark.parametrize(
    ("body", "task"),
    [
        (SAY + FIELD, 'Write a comment "Well said"'),
        (SAY + FIELD, 'Post the comment "Well said"'),
        (POSTS.replace("say('posted '+t.value);t.value=''", ""), 'Write a comment "Well said"'),
        (TABLE, "Close ticket 2005"),
        (BOX, "Close ticket 2005"),
        (TOPPINGS, "Set Toppings to Olives and Pineapple."),
    ],
)
async def test_what_is_not_posted_or_not_there_is_not_called_done(carry: Carry, body: str, task: str) -> None:
    report, now = await carry(body, task)
    assert report.failed and "posted" not in now and "closed" not in now


async def test_a_comment_that_is_only_to_be_typed_is_not_posted(carry: Carry) -> None:
    report, now = await carry(POSTS, 'Type "Well said" into the comment field')
    assert report.ok and "posted" not in now
