"""How high, long or heavy a thing is: only what measures it is a short answer, and else none is given."""

from __future__ import annotations

import pytest

from ddax.reasoning.embedded import EmbeddedReasoner
from tests.unit.embedded_asking import asked

OLD = "The bridge at Rusk is one of the oldest in the valley. It was built in 1790 and is 120 metres long.\n"
ARCH = "The bridge at Rusk has one arch and is high above the river.\n"
THINGS = (
    "The well at Rusk is 12 fathoms deep. The pier at Rusk is a 64-metre jetty. The tower at Rusk has a "
    "height of 40. The stay at Rusk takes three nights. The walk to Rusk is half a mile long. "
    "The wall at Rusk is a foot thick. Ana Ruiz is 52 and lives in Rusk. "
    "The rent at Rusk is 800 euros a month.\n"
)
SPAN = "The Tarn bridge spans 310 metres. It was opened in 1999. The mast at Tarn weighs some 4 tons.\n"
PEAKS = "# Peaks\n\n| Peak | Height (m) | Climbed |\n| --- | --- | --- |\n| Skarn | 2140 | 1871 |\n"


@pytest.mark.parametrize(
    ("text", "task"),
    [
        (OLD, "How high is the bridge at Rusk?"),
        (OLD, "How wide is the bridge?"),
        (ARCH, "How high is the bridge at Rusk?"),
        (ARCH, "How high does the bridge at Rusk stand?"),
        (ARCH, "How long is the bridge at Rusk?"),
        (ARCH, "How heavy is the bridge at Rusk?"),
        (PEAKS, "How deep is Skarn?"),
        (SPAN, "How wide is the Tarn bridge?"),
        (SPAN, "How wide is the bridge?"),
        (SPAN, "How high is the mast at Tarn?"),
    ],
)
async def test_what_nothing_measures_is_refused(reasoner: EmbeddedReasoner, text: str, task: str) -> None:
    said = await asked(reasoner, task, Rusk=text)
    assert not said.found and said.short == "", said.text


@pytest.mark.parametrize("task", ["How old is the bridge at Rusk?", "How large is the bridge at Rusk?"])
async def test_one_of_several_is_no_size(reasoner: EmbeddedReasoner, task: str) -> None:
    assert (await asked(reasoner, task, Rusk=OLD)).short == ""


@pytest.mark.parametrize(
    ("text", "task", "told", "short"),
    [
        (OLD, "How long is the bridge at Rusk?", "120 metres long", None),
        (ARCH, "How many arches does the bridge at Rusk have?", "one arch", "one"),
        (THINGS, "How deep is the well at Rusk?", "12 fathoms deep", None),
        (THINGS, "How long is the pier at Rusk?", "64-metre jetty", "64-metre"),
        (THINGS, "How high is the tower at Rusk?", "height of 40", None),
        (THINGS, "How long is the stay at Rusk?", "three nights", None),
        (THINGS, "How long is the walk to Rusk?", "half a mile", None),
        (THINGS, "How thick is the wall at Rusk?", "a foot thick", None),
        (THINGS, "How old is Ana Ruiz?", "is 52", "52"),
        (THINGS, "How high is the rent at Rusk?", "800 euros", "800 euros"),
        (PEAKS, "How high is Skarn?", "Height (m) 2140", "2140"),
        (SPAN, "How long is the Tarn bridge?", "spans 310 metres", None),
        (SPAN, "How heavy is the mast at Tarn?", "weighs some 4 tons", None),
    ],
)
async def test_what_measures_is_told(
    reasoner: EmbeddedReasoner, text: str, task: str, told: str, short: str | None
) -> None:
    said = await asked(reasoner, task, Rusk=text)
    assert said.found and told in said.text, said.text
    assert short is None or said.short == short


DRONE = (
    "# Peregrine drone\n\nThe Peregrine flies for 38 minutes. It flies at up to 72 km/h. "
    "The Peregrine Lite flies for 24 minutes.\n"
)
BIKE = "# Heron bike\n\nThe Heron carries 80 kg. Its warranty is ten years. It was tested in 2021.\n"
PEAK = "# Mount Iro\n\nMount Iro is 1,930 metres high.\n"


async def test_a_size_of_another_document_is_none(reasoner: EmbeddedReasoner) -> None:
    pages = {"Peregrine drone": DRONE, "Heron bike": BIKE, "Mount Iro": PEAK}
    for task in ("How high does the Peregrine fly?", "How fast is the Heron?", "How high is the Heron?"):
        said = await asked(reasoner, task, **pages)
        assert not said.found and said.short == "", said.text
    said = await asked(reasoner, "How fast does the Peregrine fly?", **pages)
    assert said.found and "72 km/h" in said.text
    assert (await asked(reasoner, "How long does the Peregrine Lite fly?", **pages)).short == "24 minutes"
