"""When something is open on a day of the week, as tables, lists and sentences tell it."""

from __future__ import annotations

import pytest

from ddax.reasoning.embedded import EmbeddedReasoner
from ddax.reasoning.embedded.clock import hours_in
from tests.unit.embedded_asking import asked

ROWS = """# Linden Library: opening hours

| Day | Hours |
|---|---|
| Monday | closed |
| Tuesday | 10:00-18:00 |
| Saturday | 09:00-13:00 |

On public holidays the library is closed.
"""
COLUMNS = """# Linden Library

| Day | Opens | Closes | Notes |
|---|---|---|---|
| Mon | closed | | |
| Tue–Fri | 10:00 | 18:00 | students only |
| Sat | 9:00 | 13:00 | |
"""
PLAIN = (
    "# Linden Library\n\nOn Saturday the library is open from 09:00 to 13:00. "
    "On Tuesday it opens at 10:00 and closes at 18:00. The library is closed on Mondays.\n"
)
LINES = "# Linden Library\n\nOpening hours:\n\n- Mon: closed\n- Tue to Fri: 10–18\n- Sat: 9 am – 1 pm\n"
HEADS = "# Linden Library\n\n## Tuesday\n\nOpen 10:00 to 18:00\n\n## Saturday\n\nOpen 9:00 to 13:00\n"
CAFE = f"{LINES}\n## Café\n\nSaturday: 10:00-16:00\n"
BLOCK = """# Lakeside Clinic

## Surgery hours

Monday to Thursday 8:30 am – 5:30 pm
Friday 8:30 am – 1 pm
Closed at weekends and on bank holidays.
"""
PARTS = """# Linden Library

| Part | Day | Hours |
|---|---|---|
| Reading room | Saturday | 09:00-13:00 |
| Café | Saturday | 10:00-16:00 |
"""


@pytest.mark.parametrize(
    ("text", "task", "short"),
    [
        (ROWS, "When does the library open on Saturday?", "09:00"),
        (ROWS, "What time does the library close on Tuesday?", "18:00"),
        (ROWS, "When does the library open on Monday?", "closed"),
        (ROWS, "Is the library open on Mondays?", "no"),
        (ROWS, "Is the library open on Tuesday?", "yes"),
        (ROWS, "What are the opening hours of the library on Saturday?", "09:00–13:00"),
        (COLUMNS, "When does the library open on Wednesday?", "10:00"),
        (COLUMNS, "Until when is the library open on Saturday?", "13:00"),
        (COLUMNS, "When is the library open on Thursdays?", "10:00–18:00"),
        (PLAIN, "When does the library open on Tuesday?", "10:00"),
        (PLAIN, "When does the library close on Tuesday?", "18:00"),
        (PLAIN, "When does the library close on Saturday?", "13:00"),
        (PLAIN, "Is the library open on Monday?", "no"),
        (LINES, "How late is the library open on Friday?", "18"),
        (LINES, "When does the library open on Saturday?", "9 am"),
        (HEADS, "When does the library open on Saturday?", "9:00"),
        (CAFE, "When does the café open on Saturday?", "10:00"),
        (CAFE, "When does the library close on Saturday?", "1 pm"),
        (BLOCK, "When does the clinic close on Friday?", "1 pm"),
        (BLOCK, "Until when is the clinic open on Wednesday?", "5:30 pm"),
        (BLOCK, "Is the clinic open on Saturday?", "no"),
        (PARTS, "When does the reading room open on Saturday?", "09:00"),
    ],
)
async def test_the_hours_of_a_day_are_told(
    reasoner: EmbeddedReasoner, text: str, task: str, short: str
) -> None:
    said = await asked(reasoner, task, linden=text)
    assert said.short == short, said.text
    assert said.citations and all(quote.quote in text for quote in said.citations)


@pytest.mark.parametrize(
    ("text", "task"),
    [
        (PARTS, "When does the kitchen open on Saturday?"),
        (PARTS, "When does the library open on Saturday?"),
        (LINES, "When does the library open on Sunday?"),
        (LINES, "When does the museum open on Saturday?"),
        (HEADS, "When does the café open on Saturday?"),
        (PLAIN, "When does the library open on Wednesday?"),
        (f"{LINES}\nFrom May on: Sat: 8 am – 2 pm\n", "When does the library open on Saturday?"),
    ],
)
async def test_hours_of_another_day_or_thing_are_not_told(
    reasoner: EmbeddedReasoner, text: str, task: str
) -> None:
    said = await asked(reasoner, task, linden=text)
    assert said.short == ""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Mon-Fri 9-17", [("01234", "9", "17")]),
        ("Open Tue–Sun, 10 am – 6 pm; closed on Mondays.", [("123456", "10 am", "6 pm"), ("0", "", "")]),
        ("Open daily except Mondays from 9.30 to 17.00", [("123456", "9.30", "17.00")]),
        ("10:00 to 18:00 on Tuesday and Thursday, 9:00 to 12:00 on Friday",
         [("13", "10:00", "18:00"), ("4", "9:00", "12:00")]),
        ("On Tuesday it opens at 10:00 and closes at 18:00.", [("1", "10:00", "18:00")]),
        ("The shop is open on weekdays until 8 p.m.", [("01234", "", "8 p.m.")]),
        ("Fri to Mon between 9 and 11 am", [("0456", "9", "11 am")]),
        ("Not on Sundays.", []),
        ("The ticket office closes at 17:30.", [("", "", "17:30")]),
        ("In the sun of a satisfied monitor, 12 to 14 May", []),
    ],
)  # fmt: skip
def test_times_go_with_their_days(text: str, told: list[tuple[str, str, str]]) -> None:
    found = [("".join(map(str, sorted(one.days))), one.first, one.last) for one in hours_in(text)]
    assert found == told
