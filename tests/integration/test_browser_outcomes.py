"""What an order in a browser ends with: a server that refuses it, a page that is not there, Ctrl-C."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from ddax.actions.protocol import ActionContext
from ddax.configs.settings import Recall
from ddax.environments.browser.chromium import Chromium
from ddax.environments.browser.options import BrowserOptions
from ddax.environments.browser.world import BrowserWorld
from ddax.environments.pilot.browse import BrowseArguments, Browsing
from ddax.errors import ActionError
from ddax.memory.embeddings import HashEmbedder
from ddax.memory.fake import DictMemory
from tests.integration.browser_site import Site, with_chromium
from tests.integration.command_line import Done, Loaded

pytestmark = [pytest.mark.integration, with_chromium]
in_module = pytest.mark.asyncio(loop_scope="module")
ORDER = 'Enter "Ada" into the name field and click Book.'
FORM = (
    "<form method=post action=/book {how}><label>Name <input name=name></label><button>Book</button></form>"
)
REFUSED = "<h1>Error response</h1><p>Server got itself in trouble."


Run = Callable[..., Done]
"""Run a task in a browser at a page by the command line."""


@pytest.fixture
def run(tmp_path: Path, loaded: Loaded) -> Run:
    def made(task: str, url: str, *flags: str, quiet: bool = True, **changes: str) -> Done:
        words = ("run", task, "--browser", url, *(["-q"] if quiet else []), *flags)
        return loaded.call(*words, cwd=tmp_path, env={**os.environ, **changes})

    return made


@pytest_asyncio.fixture(loop_scope="module")
async def browsing(chromium: Chromium, served: Site) -> AsyncIterator[Browsing]:
    options = BrowserOptions(writes=True)
    world = BrowserWorld(served.url + "/", browser=chromium, options=options, shared=True)
    yield Browsing(world)
    await world.close()


async def browsed(browsing: Browsing, task: str, memory: Any = None) -> Any:
    nothing: Any = None
    context = ActionContext(nothing, memory, "t", "", "0.1", 1, 0.0, "key")
    return await browsing.action().function(context, BrowseArguments(task=task))


@in_module
@pytest.mark.parametrize(
    ("status", "how", "body", "headers", "says"),
    [
        ("500", "", REFUSED, {}, "Error response Server got itself in trouble"),
        ("501", "", REFUSED, {}, "Error response Server got itself in trouble"),
        ("403", "target=_blank", REFUSED, {}, "Error response Server got itself in trouble"),
        ("500", "", "", {}, "HTTP ERROR 500"),
        ("500", "", REFUSED, {"content_disposition": "attachment; filename=x.html"}, "ERR_INVALID_RESPONSE"),
        ("503", "", REFUSED, {"seconds": "8"}, "Error response Server got itself in trouble"),
    ],
    ids=["an error", "another", "in a window", "without words", "as a file", "after a while"],
)
async def test_an_order_that_the_server_refuses_was_not_carried_out(
    browsing: Browsing, served: Site, status: str, how: str, body: str, headers: dict[str, str],
    says: str,
) -> None:  # fmt: skip
    served.page("/", FORM.format(how=how))
    served.page("/book", body, status=status, **headers)
    if not body:
        served.pages["/book"] = ""
    with pytest.raises(ActionError, match=f"not carried out: .*answered with status {status}") as caught:
        await browsed(browsing, ORDER)
    assert caught.value.kind == "not_done"
    assert served.asked.count("POST /book") == 1
    assert says in caught.value.why


@in_module
async def test_an_order_that_leaves_something_out_is_told_by_its_word(
    browsing: Browsing, served: Site
) -> None:
    served.page("/", "<button>Save</button><button>Delete</button>")
    with pytest.raises(
        ActionError, match="Click any button except Delete: “except” is not understood"
    ) as caught:
        await browsed(browsing, "Click any button except Delete")
    assert caught.value.mend == "Name what is meant, without “except”, or use a language model."
    with pytest.raises(
        ActionError, match="no control is called “Print”; there are “Save”, “Delete”"
    ) as caught:
        await browsed(browsing, "Click Print")
    assert caught.value.mend == "Say it in the words of the page, or use a language model."


@in_module
async def test_a_link_to_a_page_that_is_gone_was_not_followed(browsing: Browsing, served: Site) -> None:
    served.page("/", "<a href=/gone>Prices</a>")
    served.page("/gone", "<h1>Gone</h1>", status="410")
    with pytest.raises(ActionError, match="answered with status 410") as caught:
        await browsed(browsing, "Click Prices.")
    assert "says: Gone" in caught.value.why


@in_module
async def test_an_order_on_a_page_that_is_itself_an_error_is_carried_out(
    browsing: Browsing, served: Site
) -> None:
    served.page("/", f"<p id=o>-</p><button onclick='o.textContent=7'>Count</button>{FORM}", status="404")
    served.page("/book", "<h1>Thank you")
    assert "Done in 1 move." in (await browsed(browsing, "Click Count.")).summary
    assert "Thank you" in (await browsed(browsing, ORDER)).summary


@in_module
async def test_an_error_that_sends_the_page_on_is_no_refusal(browsing: Browsing, served: Site) -> None:
    served.page("/", FORM)
    served.page("/book", "<script>location.replace('/done')</script>", status="503")
    served.page("/done", "<h1>Thank you</h1>")
    assert "Thank you" in (await browsed(browsing, ORDER)).summary


@in_module
async def test_a_question_is_answered_from_a_page_that_is_itself_an_error(
    browsing: Browsing, served: Site
) -> None:
    served.page("/", "<h1>Gone</h1><p>The office opens at 9.", status="404")
    memory = DictMemory("n", HashEmbedder(), lambda: 0.0, Recall())
    result = await browsed(browsing, "When does the office open?", memory)
    assert "The office opens at 9." in result.pages[0].text
    row = {"task": "t", "source": f"{served.url}/", "why": "the page was answered with status 404"}
    assert await memory.rows("refused_pages") == [row]


@in_module
async def test_a_link_that_cannot_be_pressed_leaves_what_was_read(browsing: Browsing, served: Site) -> None:
    served.page("/open", "<h1>Opening</h1><p>The office opens at 9.")
    served.page(
        "/",
        "<p>Welcome to the office.</p><p style='height:300px'><a href=/when>When the office opens</a></p>"
        "<a href=/open>Opening</a><div style='position:absolute;inset:0 0 auto;height:200px'>Cookies?</div>",
    )
    result = await browsed(browsing, "When does the office open?")
    assert "Welcome to the office." in result.pages[0].text
    assert "The office opens at 9." in result.pages[1].text
    assert not any("/when" in asked for asked in served.asked)


OFFICE = (
    "<h1>Quay office</h1><p>The berth fee is 31 euros a night.</p><a href=/prices.csv download>Price list</a>"
    "<button onclick=\"alert('The office closes at six')\">Opening hours</button>"
)
ASKS = (
    "<button onclick=\"if (confirm('Sure to cancel?')) o.textContent = 'Cancelled.'\">Cancel</button>"
    "<p id=o>Kept."
)


@in_module
async def test_what_a_page_says_in_an_alert_and_the_files_it_sends_are_told(
    browsing: Browsing, served: Site
) -> None:
    served.page("/", OFFICE)
    served.page("/prices.csv", "berth,price", content_type="text/csv")
    said = (await browsed(browsing, 'Click "Opening hours".')).summary
    assert "Done in 1 move. The page said: The office closes at six. A page now says: “Quay" in said
    sent = (await browsed(browsing, 'Click "Price list".')).summary
    assert "Done in 1 move. The page sent the file 'prices.csv' (" in sent


@in_module
async def test_a_file_that_its_server_takes_its_time_for_is_waited_for(
    browsing: Browsing, served: Site
) -> None:
    served.page("/", OFFICE)
    served.page("/prices.csv", "berth,price", content_type="text/csv", seconds="1.2")
    sent = (await browsed(browsing, 'Click "Price list".')).summary
    assert "Done in 1 move. The page sent the file 'prices.csv' (" in sent


@in_module
async def test_many_alerts_leave_place_for_what_the_page_says(browsing: Browsing, served: Site) -> None:
    served.page(
        "/", "<p>Here</p><button onclick='for (let n = 0; n < 9; n++) alert(n + \"x\".repeat(90))'>Go"
    )
    said = (await browsed(browsing, 'Click "Go".')).summary
    assert "The page said: 0xxx" in said and "… A page now says: “Here" in said


@in_module
async def test_where_the_flag_alone_is_missing_the_flag_is_the_mend(chromium: Chromium, served: Site) -> None:
    url = served.page("/", FORM.format(how=""))
    world = BrowserWorld(url, browser=chromium, shared=True)
    with pytest.raises(ActionError, match="not carried out") as caught:
        await browsed(Browsing(world), ORDER)
    await world.close()
    assert "--browser-writes" in caught.value.mend and "language model" not in caught.value.mend


@in_module
async def test_a_question_of_the_page_is_accepted_by_word_and_with_the_flag_alone(
    browsing: Browsing, chromium: Chromium, served: Site
) -> None:
    url = served.page("/", ASKS)
    said = (await browsed(browsing, 'Click "Cancel" and confirm.')).summary
    assert "The page asked “Sure to cancel?”, which was accepted. A page now says: “Cancel Cancelled." in said
    world = BrowserWorld(url, browser=chromium, shared=True)
    with pytest.raises(
        ActionError, match=r"asked “Sure to cancel\?”, and to accept it needs --browser"
    ) as no:
        await browsed(Browsing(world), 'Click "Cancel" and confirm.')
    await world.close()
    assert "Kept." in no.value.why


@in_module
async def test_a_page_that_never_stops_asking_is_given_up(browsing: Browsing, served: Site) -> None:
    served.page("/", "<button onclick='while (confirm(\"Again?\"));'>Go</button>")
    with pytest.raises(ActionError, match=r"the page asked “Again\?”, which was dismissed"):
        await browsed(browsing, 'Click "Go" and confirm.')
    served.page("/", "<button onclick='while (!confirm(\"Sure?\"));'>Go</button>")
    with pytest.raises(ActionError, match="the page goes on asking"):
        await browsed(browsing, 'Click "Go".')


def test_a_question_that_a_page_without_an_end_does_not_answer_says_so(run: Run, served: Site) -> None:
    url = served.page("/", "<p>The slow page says seven knots.</p>", endless="yes")
    done = run("When is high water at the quay?", url)
    assert done.code == 1
    assert "1 page had not ended when read: there may be more." in done.out + done.err


def test_a_question_of_a_page_that_is_not_there_names_the_status(run: Run, served: Site) -> None:
    url = served.page("/", REFUSED, status="404")
    done = run("What does Gelato cost?", url)
    assert done.code == 1
    assert f"The page was answered with status 404: {url}." in done.out


LONG = "<h1>Harbour</h1><p>" + "The office is open from eight to five on every day of the week. " * 9


def test_an_order_that_was_not_carried_out_says_so_once_and_whole(run: Run, served: Site) -> None:
    url = served.page("/", f"<button>Book</button>{LONG}")
    task = 'Click Book. Click "Cancel all of the bookings of the harbour". Click "Send the letters to all"'
    shown = run(task, url, "--browser-writes", quiet=False).out.rpartition("close: failed")[2]
    why = "no control is called “Cancel all of the bookings of the harbour”; there are “Book”"
    assert shown.count("not carried out: ") == 1 and why in shown
    assert "; and so neither “Click “Send the letters to all””" in shown
    assert "What failed" not in shown and "Failed: not carried out. It took " in shown
    assert "Before that it pressed “Book”. " in shown
    assert "Say it in the words of the page, or use a language model." in shown
    told = json.loads(run(task, url, "--browser-writes", "--json").out)
    assert told["answer"] in shown and told["failures"] == []
    assert (told["status"], told["stop_reason"]) == ("failed", "not carried out")


def test_a_password_in_clear_is_named_but_not_with_q(run: Run, served: Site) -> None:
    url = served.page("/", "<p>Nothing to log in to.")
    task = "Log in as ann with password geheim1"
    told = run(task, url, quiet=False).err
    assert "The password stands in clear in the task, and is kept with the run." in told
    assert "{{secret:NAME}}" in told
    assert run(task, url).err == ""


def test_an_order_and_a_question_on_one_page_do_not_answer_for_each_other(run: Run, served: Site) -> None:
    url = served.page("/", OFFICE)
    for _ in range(2):
        said = run('Click "Opening hours".', url).out
        assert said.startswith("Done in 1 move. The page said:")
        assert run("What is the berth fee?", url).out.endswith("fee is 31 euros a night.\n")


def test_the_command_of_a_refused_order_ends_with_1_and_the_status(run: Run, served: Site) -> None:
    served.page("/", FORM)
    served.page("/book", REFUSED, status="500")
    done = run(ORDER, served.url + "/", "--browser-writes")
    assert done.code == 1
    said = done.out + done.err
    assert "This was not done: not carried out: the page was answered with status 500." in said
    assert "Server got itself in trouble." in said


@pytest.mark.parametrize("task", [ORDER, "When does the office open?"])
def test_a_page_where_nobody_answers_ends_with_2_like_any_source(run: Run, task: str) -> None:
    with socket.socket() as held:  # bound and not listening: nobody answers there
        held.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{held.getsockname()[1]}/"
        done = run(task, url)
    assert done.code == 2
    assert done.out == ""
    assert f"error: The page {url!r} cannot be opened.\nwhy: " in done.err
    assert "cannot be reached" in done.err


def test_a_secret_without_a_value_or_of_no_name_ends_with_2(run: Run, tmp_path: Path, served: Site) -> None:
    served.page("/", FORM)
    settings = "browser: {secrets: {PIN: {env: HARBOUR_PIN, domain: 127.0.0.1}}}"
    (tmp_path / "ddax.yaml").write_text(settings)
    task = 'Enter "{{secret:PON}}" into the name field.'
    unknown = run(task, served.url + "/", HARBOUR_PIN="swordfish")
    assert unknown.code == 2
    assert "error: There is no secret 'PON'.\nwhy: Known are: PIN." in unknown.err
    unset = run(task.replace("PON", "PIN"), served.url + "/")
    assert unset.code == 2
    assert "error: The secret 'PIN' has no value." in unset.err
    assert served.asked == []


def drivers() -> list[int]:
    """Return the processes of Playwright that this one has started."""
    ours = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    children = [int(pid) for listed in ours for pid in listed.read_text().split()]
    return [pid for pid in children if b"run-driver" in Path(f"/proc/{pid}/cmdline").read_bytes()]


@in_module
async def test_ctrl_c_leaves_the_driver_to_be_ended_in_order(chromium: Chromium) -> None:
    browser = await chromium.running()
    assert drivers()
    for pid in drivers():
        os.kill(pid, signal.SIGINT)  # as a terminal does
    for _ in range(20):
        await asyncio.sleep(0.1)
        assert browser.is_connected()


def test_ctrl_c_while_the_browser_works_says_three_lines_and_no_more(tmp_path: Path, served: Site) -> None:
    served.page("/", "<h1>Office</h1>")
    words = ("run", "When does the office open?", "--browser", served.url + "/", "-q", "--thread", "t")
    with subprocess.Popen(
        [sys.executable, "-m", "ddax", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        cwd=tmp_path, start_new_session=True,
    ) as process:  # fmt: skip
        deadline = time.monotonic() + 60
        while not served.asked and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        assert served.asked, "the browser works"
        os.killpg(process.pid, signal.SIGINT)  # a terminal tells every process of its foreground
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert [line.split(":")[0] for line in err.splitlines()] == ["error", "why", "mend"], err
