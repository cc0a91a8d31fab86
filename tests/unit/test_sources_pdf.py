"""The text of a PDF: its headings stand apart from what follows them, and the first one is its title."""

from __future__ import annotations

import pytest

from ddax.actions.sources.formats.extract import opening, parted

SURVEY = (
    "Survey of the Ashdown Viaduct\nThe Ashdown Viaduct carries the railway over the valley of the Teign.\n"
    "It has 19 arches. The stone came from the quarry at\nMerrow Hill.\nCondition in 2021\n"
    "Arches 4 and 5 show cracks. The parapet on the east side was renewed in\n2009."
)
ADDRESS = "Hanna Voss\nMill Lane 4\nBergen\nNorway"
WRAPPED = "The viaduct was inspected in 1998 and in 2010, by two engineers\nRuth Adeyemi and\nSamuel Holt."


def test_headings_of_a_page_stand_apart() -> None:
    text = parted(SURVEY)
    assert text.split("\n\n")[::2] == ["Survey of the Ashdown Viaduct", "Condition in 2021"]
    assert "".join(text.split()) == "".join(SURVEY.split())
    assert opening(text) == "Survey of the Ashdown Viaduct"


@pytest.mark.parametrize("page", [ADDRESS, WRAPPED, "", "One line", "A\nB\n"])
def test_other_short_lines_stay_where_they_are(page: str) -> None:
    assert parted(page) == page.strip()
    assert opening(parted(page)) == ""
