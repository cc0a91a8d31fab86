"""Secrets in a real browser: typed on their domain, and shown nowhere."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ddax.environments.browser.secrets import Secret, Vault
from ddax.environments.browser.world import BrowserWorld
from ddax.environments.protocol import Move
from ddax.errors import NotAllowed
from tests.integration.browser_site import Open, Site, id_of, with_chromium

pytestmark = [pytest.mark.integration, with_chromium, pytest.mark.asyncio(loop_scope="module")]
HOSTS = ("127.0.0.1", "localhost")
PIN = "hunter2-horse"
VAULT = Vault({"PIN": Secret(PIN, "127.0.0.1"), "OTHER": Secret("swordfish", "example.org")})


async def test_a_secret_is_typed_on_its_domain_and_shown_nowhere(opened: Open, served: Site) -> None:
    served.page("/in", "<h1>Welcome</h1><script>document.body.append(location.search)</script>")
    world, seen = await opened(
        "<form action=/in><input name=pin aria-label=Pin><input name=pw type=password aria-label=Code>"
        "<button>Enter</button></form>", vault=VAULT,
    )  # fmt: skip
    shown: list[str] = [str(world), repr(world.options)]
    for label in ("Pin", "Code"):
        seen = await world.act(Move("type", id_of(seen, label), "{{secret:PIN}}"))
        shown += [seen.text, repr(seen)]
    assert seen.node(id_of(seen, "Pin")).value == "{{secret:PIN}}"
    shot = await world.screenshot()
    assert shot.startswith(b"\x89PNG")
    seen = await world.act(Move("click", id_of(seen, "Enter")))
    assert any(f"pin={PIN}" in asked for asked in served.asked), "the page got the value"
    shown += [seen.text, repr(seen), await world.extract()]
    assert "Welcome" in seen.text and "{{secret:PIN}}" in seen.url
    assert not any(PIN in text for text in shown)


async def test_a_secret_is_not_told_by_an_option_or_a_question_of_the_page(opened: Open) -> None:
    world, seen = await opened(
        "<input aria-label=Pin id=p oninput='o.textContent=this.value;o.className=this.value'>"
        "<select aria-label=Pick><option>a<option id=o>b</select>"
        "<button onclick=\"confirm('Send '+p.value+'?')\">Go</button>", vault=VAULT,
    )  # fmt: skip
    seen = await world.act(Move("type", id_of(seen, "Pin"), "{{secret:PIN}}"))
    assert seen.node(id_of(seen, "Pick")).options == ("a", "{{secret:PIN}}") and PIN not in repr(seen)
    seen = await world.act(Move("click", id_of(seen, "Go")))
    assert seen.dialog == "Send {{secret:PIN}}?" and PIN not in repr(seen)


async def test_a_secret_is_not_told_by_a_text_that_is_cut(opened: Open) -> None:
    filled = "c.textContent='x'.repeat({n})+p.value; c.title=p.value; a.ariaLabel='y'.repeat({n})+p.value;"
    world, seen = await opened(
        "<input aria-label=Pin id=p><button id=b>Go</button><p id=c>c</p><button id=a>a</button>"
        "<script>b.onclick = () => {" + filled.format(n=292) + "alert('z'.repeat(492)+p.value)}</script>",
        vault=VAULT,
    )  # fmt: skip
    seen = await world.act(Move("type", id_of(seen, "Pin"), "{{secret:PIN}}"))
    seen = await world.act(Move("click", id_of(seen, "Go")))
    assert {"x" * 292 + "…", "y" * 292 + "…"} <= {n.name for n in seen.nodes}
    assert "z" * 400 in seen.text and PIN[:3] not in repr(seen)


async def test_a_secret_is_refused_elsewhere(opened: Open, served: Site) -> None:
    far = served.url.replace("127.0.0.1", "localhost")
    world, seen = await opened(
        f"<input aria-label=A><form action='{far}/steal'><input aria-label=B name=b></form>", vault=VAULT
    )
    for field, text, word in (("A", "{{secret:OTHER}}", "example.org"), ("B", "{{secret:PIN}}", "localhost"),
                              ("A", "{{secret:NONE}}", "NONE")):  # fmt: skip
        with pytest.raises(NotAllowed) as caught:
            await world.act(Move("type", id_of(seen, field), text))
        assert word in str(caught.value) and PIN not in str(caught.value)
    seen = await world.observe()
    assert [n.value for n in seen.nodes if n.role == "textbox"] == ["", ""]
    moved = BrowserWorld(far + "/", browser=world._chromium, options=replace(world.options), shared=True)
    seen = await moved.reset()
    with pytest.raises(NotAllowed, match=r"bound to '127\.0\.0\.1'"):
        await moved.act(Move("type", id_of(seen, "A"), "{{secret:PIN}}"))
    await moved.close()
