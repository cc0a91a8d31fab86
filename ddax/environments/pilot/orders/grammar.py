"""The grammar of orders: a task in, frames out, or what of it was not understood.

It knows verbs and how a sentence is built; what things are called it leaves to the page.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ddax.environments.browser.secrets import PLACEHOLDER
from ddax.environments.pilot.orders.clauses import Clause, clauses
from ddax.environments.pilot.orders.conditions import until_of
from ddax.environments.pilot.orders.frames import Act, Frame, Reading, Value
from ddax.environments.pilot.orders.slots import dragged, forwarded, frame_of, from_to
from ddax.environments.pilot.orders.verbs import VERB, VERBS
from ddax.environments.pilot.words import HELD, Word, count_of, said

_SAME = {"respond": "reply"}
"""Verbs for which a control says another word."""
_OFF = re.compile(r"un\w+|de\w+|turn off|switch off|disable")
_FORGET = re.compile(r"(?:do not|don['’]t|never) forget to |remember to ", re.IGNORECASE)
_NOT = re.compile(
    r"(?:do not|don['’]t|never|be careful not to|i don['’]t want you to|it is not allowed to"
    r"|you (?:must|should) not) (.*)",
    re.IGNORECASE,
)
_REST = re.compile(r"(?:,|,? but|,? and) not |,? (?:instead of|rather than) ", re.IGNORECASE)
"""What is named as that which is not meant: “Click Save, not Delete”."""
_VALUED = frozenset({"write", "set", "search", "tell", "read"})
"""Acts whose words may be a value, which is taken as it is said."""
_TIMES = re.compile(r"(?P<what>.+) (?P<times>once|twice|\w+ times)", re.IGNORECASE)
_SURE = re.compile(
    r"(?:make|be) sure (?:that )?(?P<what>.+?) (?:is|are) "
    r"(?P<how>on|off|ticked|unticked|checked|unchecked|enabled|disabled|selected)",
    re.IGNORECASE,
)
_ASIDE = re.compile(r" to (?:close|send|submit|open|confirm|go|add|save)\b", re.IGNORECASE)
_QUESTION = re.compile(
    r"\b(?:when|if|asked|the|it|with|dialog|prompt|alert|question|popup|pop-up|box|message|by)\b",
    re.IGNORECASE,
)
_KEY = re.compile(
    r"(?:the )?(?:key )?(?P<key>(?:(?:ctrl|control|shift|alt)\s*\+\s*)*(?:enter|return|tab|escape|esc"
    r"|space(?:\s?bar)?|backspace|delete|home|end|page\s?up|page\s?down"
    r"|(?:arrow )?(?:up|down|left|right)(?: arrow)?|[a-z]|f\d{1,2}))"
    r"(?P<said> key)?",
    re.IGNORECASE,
)
_NAMES = re.compile(r"delete|home|end|[a-z]|up|down|left|right", re.IGNORECASE)
"""Keys that controls are called by, too: they are keys only where the order says “key”."""
_WITH = re.compile(
    r"(?:^| )(?:with|using|by (?:pressing|clicking|dragging)) |, (?=[^,:⟦]{1,40}:(?: |⟦))", re.IGNORECASE
)
"""What parts a deed from its means or fields; also a comma, before “password: x”."""
_CONTROL = re.compile(r"\b(?:button|link|filter|menu|icon|tab|key)\W?$", re.IGNORECASE)
_PAIR_TO = re.compile(r"(.+?) (?:to|with|as|=) (\S.*)", re.IGNORECASE)
_PAIR_IN = re.compile(r"(\S.*?) (?:into|in|as|for|onto|on|to|from|under) (\S.*)", re.IGNORECASE)
_PARTS = re.compile(r" ?,(?: (?:and )?|(?=⟦))| and ", re.IGNORECASE)
_BEST = re.compile(r"\b(?:\w+est|most|least)\b", re.IGNORECASE)
_CASE = re.compile(r" in (?:all )?(?P<case>lower|upper)[ -]?case(?: letters)?", re.IGNORECASE)
_ASKS = re.compile(r"(?:what|which|who|whose|when|where|why|how|is|are|was|does|do you|did)\b", re.IGNORECASE)
_INTO = re.compile(r"[^⟦⟧]{0,60}(⟦\d+⟧) (?:into|in) ((?:both|all|each|every|the \w+)\b[^⟦⟧]*)", re.IGNORECASE)
_PLACED = re.compile(
    r"(?:both|all|each|every|(?:the )?(?:\d+(?:st|nd|rd|th)|first|second|third|fourth|fifth|last))\b",
    re.IGNORECASE,
)
"""How a place begins that says by itself which fields are meant."""
SECRET = frozenset({"password", "passphrase", "passcode", "pin"})
_ME = re.compile(r"(?:me|us)\b\s*", re.IGNORECASE)


def read_task(task: str) -> Reading:
    """Read a task; `unread` says which part is no order, and then nothing of it is done."""
    frames: list[Frame] = []
    for clause in clauses(task):
        read = read_clause(clause)
        if not read:
            return Reading(unread=clause.said)
        frames += read
    return Reading(tuple(frames)) if frames else Reading(unread=task.strip())


def is_question(task: str) -> bool:
    """Tell whether a task asks for something to be read, and orders nothing."""
    found = [clause.text for clause in clauses(task)]
    return bool(found) and all(_ASKS.match(text) for text in found)


def says_secret(task: str) -> bool:
    """Tell whether a task says a password in clear, and not by the name of a secret."""
    return any(_in_clear(frame) for frame in read_task(task).frames)


def _in_clear(frame: Frame) -> bool:
    """Tell whether a frame has the value of a password, and not by the name of a secret."""
    for order, value in (
        *frame.fields,
        *([(frame.words, frame.value)] if frame.act in ("write", "set") else ()),
    ):
        at = next((at for at, word in enumerate(order) if word.key in SECRET), len(order))
        text = value.text if value and at < len(order) else said(order[at + 1 :])
        if text and not PLACEHOLDER.search(text):
            return True
    return False


def read_clause(clause: Clause) -> list[Frame]:
    """Read one clause as frames; none where it is not understood."""
    text = _FORGET.sub("", clause.text, count=1) if _FORGET.match(clause.text) else clause.text
    if sure := _SURE.fullmatch(text):
        on = sure["how"].lower() in ("on", "ticked", "checked", "enabled", "selected")
        return [frame_of(clause, "tick", "turn", sure["what"], on=on)]
    if refused := _NOT.match(text):
        verb_ = VERB.match(refused[1])
        if verb_ is None:
            return []
        act_ = VERBS.get(verb_[0].lower())
        return [Frame("dialog" if act_ == "dialog" else "leave", clause.said, "not", on=False)]
    found = VERB.match(text)
    if found is None or VERBS.get(" ".join(found[0].lower().split())) not in _VALUED:
        text = _without_rest(text)
    verb = " ".join(found[0].lower().split()) if found else text.split(" ", 1)[0].lower()
    body = text[found.end() if found else len(verb) :].strip(" ,:")
    verb = _SAME.get(verb, verb)
    act = VERBS.get(verb, "deed")
    if sent := forwarded(clause, text):
        return [sent]
    if (parted := until_of(clause, act, verb, body)) is None:
        return []
    body, until = parted
    reader = _READERS.get(act, _plain)
    frames = reader(clause, act, verb, body)
    return [replace(frame, until=until) for frame in frames] if until else frames


def _without_rest(text: str) -> str:
    """Drop what is named as that which is not meant, where nothing more is ordered behind it."""
    low = text.lower()
    found = _REST.search(text, max(0, low.rfind(" and ") - 1, low.rfind(" then ") - 1))
    return text[: found.start()] if found else text


def _parted(form: re.Pattern[str], text: str) -> tuple[str, str]:
    """Return what stands before the first match of a form and behind it; "" where there is none."""
    found = form.search(text)
    return (text[: found.start()].strip(), text[found.end() :].strip()) if found else (text, "")


def _plain(clause: Clause, act: Act, verb: str, body: str) -> list[Frame]:
    return [frame_of(clause, act, verb, body)]


def _press(clause: Clause, act: Act, verb: str, body: str) -> list[Frame]:
    """Read what is pressed: a key, or a control."""
    aside = _ASIDE.search(body, body.rfind("⟦") + 1)
    bare, count = body[: aside.start()] if aside else body, 1
    if often := _TIMES.fullmatch(bare):
        if (said := count_of(often["times"].split(" ")[0])) is None:
            return []
        bare, body, count = often["what"], often["what"], said
    key = _KEY.fullmatch(bare)
    spelled = key and (key["said"] or (verb in ("press", "hit") and not _NAMES.fullmatch(key["key"])))
    if key and spelled and not HELD.search(body):
        value = Value(key_name(key["key"]), bool(key["said"]))
        return [frame_of(clause, "key", verb, bare, value=value, count=count)]
    return [frame_of(clause, act, verb, body)] * count


def key_name(text: str) -> str:
    """Return a key by the name that browsers give it."""
    *held, last = (part.strip().lower() for part in text.split("+"))
    bare = last.replace("arrow", "").replace(" ", "")
    names = {
        "return": "Enter", "esc": "Escape", "space": "Space", "spacebar": "Space", "pageup": "PageUp",
        "pagedown": "PageDown", "up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft",
        "right": "ArrowRight",
    }  # fmt: skip
    name = names.get(bare, bare if len(bare) == 1 else bare.title())
    holds = [{"ctrl": "Control"}.get(one, one.title()) for one in held]
    return "+".join([*holds, name])


def _write(clause: Clause, act: Act, verb: str, body: str) -> list[Frame]:
    """Read values and the fields they go into."""
    if case := _CASE.search(body):
        plain = _write(clause, act, verb, body[: case.start()] + body[case.end() :])
        return [_in_case(frame, case["case"].lower()) for frame in plain]
    if verb == "paste":
        into = re.fullmatch(r"(?:(?:it|that|the \w+) )?(?:in|into|to) (\S.*)", body, re.IGNORECASE)
        if into or body.lower() in ("", "it", "that"):
            return [frame_of(clause, act, verb, into[1] if into else "", value=Value("that", False))]
    every = _INTO.fullmatch(body)
    if every and _PLACED.match(every[2]):
        return [frame_of(clause, "write", verb, every[2], value=clause.value(every[1]))]
    parts = _PARTS.split(body)
    filled = [_PAIR_TO.fullmatch(part) for part in parts]
    if verb.startswith("fill") and len(parts) > 1 and all(filled):
        return [frame_of(clause, "write", verb, one[1], value=clause.value(one[2])) for one in filled if one]
    if verb.startswith("fill") and (pair := _PAIR_TO.fullmatch(body)) and not re.match(r"⟦", body):
        return [frame_of(clause, "write", verb, pair[1], value=clause.value(pair[2]))]
    pairs = [_written(clause, part) for part in parts]
    if len(parts) > 1 and all(pairs):
        return [frame_of(clause, "write", verb, place, value=value) for place, value in filter(None, pairs)]
    named = [_named(clause, part) for part in parts]
    if all(named) and (len(parts) > 1 or not body.startswith("⟦")):
        return [frame_of(clause, "deed", "", "", fields=tuple(filter(None, named)))]
    one = _written(clause, body)
    if one:
        return [frame_of(clause, "write", verb, one[0], value=one[1])]
    return [frame_of(clause, "write", verb, "", value=clause.value(body))] if body else []


def _in_case(frame: Frame, case: str) -> Frame:
    """Return a frame with its value in small letters or capitals."""
    if frame.value is None:
        return frame
    text = frame.value.text.lower() if case == "lower" else frame.value.text.upper()
    return replace(frame, value=replace(frame.value, text=text))


def _written(clause: Clause, part: str) -> tuple[str, Value] | None:
    """Read “V into F”; a quote is a value whole."""
    if quoted := re.fullmatch(r"(⟦\d+⟧) (?:into|in|as|for|onto|on|to) (\S.*)", part, re.IGNORECASE):
        return quoted[2], clause.value(quoted[1])
    found = _PAIR_IN.fullmatch(part)
    return (found[2], clause.value(found[1])) if found and "⟦" not in found[1] else None


def _named(clause: Clause, part: str) -> tuple[tuple[Word, ...], Value | None] | None:
    """Read “the password ⟦V⟧”, with what may follow it: “into both fields”."""
    found = re.fullmatch(r"([^⟦⟧]+?) ?[:=]? ?(⟦\d+⟧)(?: (?:into|in) [^⟦⟧]*)?", part)
    named = found is not None and " into " not in found[1]
    return (clause.words(found[1]), clause.value(found[2])) if found and named else None


def _set(clause: Clause, act: Act, verb: str, body: str) -> list[Frame]:
    """Read “F to V”, also several behind one verb."""
    body, place = _aside(body)
    parts = _PARTS.split(body)
    pairs = [_PAIR_TO.fullmatch(part) for part in parts]
    if not all(pairs):
        pairs = [_PAIR_TO.fullmatch(body)]
    if not all(pairs):
        return [frame_of(clause, "deed", verb, body)]
    return [
        frame_of(clause, "set", verb, f"{pair[1]} {place}", value=clause.value(pair[2]))
        for pair in pairs
        if pair
    ]


def _aside(body: str) -> tuple[str, str]:
    """Part “… with the Colour menu” from what stands before it."""
    before, means = _parted(_WITH, body)
    is_aside = re.search(r"^the .+ (?:menu|slider|dropdown|list|field)$", means) and " to " in before
    return (before, means) if is_aside else (body, "")


def _tick(clause: Clause, act: Act, verb: str, body: str) -> list[Frame]:
    """Read what is ticked or switched, and to what."""
    on = not _OFF.fullmatch(verb)
    if verb in ("turn", "switch"):
        tail = re.fullmatch(r"(.+?) (on|off)", body, re.IGNORECASE)
        if not tail:
            return [frame_of(clause, "deed", verb, body)]
        body, on = tail[1], tail[2].lower() == "on"
    body = re.sub(r" as (?:done|complete|completed|finished)$", "", body, flags=re.IGNORECASE)
    return [frame_of(clause, act, verb, body, on=on)]


def _dialog(clause: Clause, act: Act, verb: str, body: str) -> list[Frame]:
    """Read how a dialog is answered; the verb alone, or with what is said of the question."""
    told = clause.words(_QUESTION.sub(" ", body))
    on = verb in ("confirm", "accept", "answer", "agree")
    answers = {"yes": True, "ok": True, "no": False, "cancel": False}
    bare_words = bool(told) and all(word.group < 0 for word in told)
    answer = " ".join(word.key for word in told)
    named = re.search(r"\b(?:dialog|prompt|alert|question)\b", body, re.IGNORECASE)
    if bare_words and not named and answer not in answers:
        return [frame_of(clause, "deed", verb, body)]
    return [frame_of(clause, "dialog", verb, "", to=told, on=answers.get(answer, on))]


def _copy(clause: Clause, act: Act, verb: str, body: str) -> list[Frame]:
    """Read what is copied, and into what where that is said at once."""
    into = re.fullmatch(r"(\S.*?) (?:into|to) (\S.*)", body, re.IGNORECASE) if verb == "copy" else None
    if not into:
        return [frame_of(clause, act, verb, body)]
    return [
        frame_of(clause, act, verb, into[1]),
        frame_of(clause, "write", verb, into[2], value=Value("that", False)),
    ]


def _tell(clause: Clause, act: Act, verb: str, body: str) -> list[Frame]:
    return [frame_of(clause, act, verb, _ME.sub("", body, count=1))]


def _deed(clause: Clause, act: Act, verb: str, body: str) -> list[Frame]:
    """Read a verb that a control is called by, with fields that go with it."""
    quoted = re.fullmatch(r"([^⟦⟧]*?)(?:\bwith )?(⟦\d+⟧)([^⟦⟧]*)", body)
    if verb == "reply" and quoted and "with" not in f"{quoted[1]} {quoted[3]}".split():
        said = ((clause.words("text"), clause.value(quoted[2])),)
        return [frame_of(clause, act, verb, f"{quoted[1]} {quoted[3]}", fields=said)]
    if way := from_to(clause, act, verb, body):
        return [way]
    before, means = _parted(_WITH, body)
    if not means or (_BEST.search(means) and "⟦" not in means):
        return [frame_of(clause, act, verb, body)]
    if _CONTROL.search(means):
        return [frame_of(clause, "press", verb, means)]
    fields: list[tuple[tuple[Word, ...], Value | None]]
    fields = [_field(clause, part) for part in _PARTS.split(means)]
    if (user := re.fullmatch(r"(.*?)\bas (\S+)", before, re.IGNORECASE)) and verb in (
        "log in",
        "sign in",
        "login",
    ):
        before = user[1]
        fields.insert(0, (clause.words("username"), clause.value(user[2])))
    return [frame_of(clause, act, verb, before, fields=tuple(fields))]


def _field(clause: Clause, part: str) -> tuple[tuple[Word, ...], Value | None]:
    """Read a field and its value side by side; without quotes the page tells where the value begins."""
    found = re.fullmatch(r"(.+?) ?[:=]? ?(⟦\d+⟧)", part)
    if found:
        return clause.words(found[1]), clause.value(found[2])
    return clause.words(part), None


def _open(clause: Clause, act: Act, verb: str, body: str) -> list[Frame]:
    _, means = _parted(_WITH, body)
    if _CONTROL.search(means):
        return [frame_of(clause, "press", verb, means)]
    return [frame_of(clause, act, verb, body)]


def _scroll(clause: Clause, act: Act, verb: str, body: str) -> list[Frame]:
    """Read where to scroll, and what is ordered behind it without a comma."""
    low = body.lower()
    at = max((low.rfind(f" {end}") for end in ("top", "bottom", "up", "down", "end")), default=-1)
    found = next((one for one in VERB.finditer(body, max(at, 0)) if body[: one.start()].endswith(" ")), None)
    if found is None:
        return [frame_of(clause, act, verb, body)]
    rest = replace(clause, text=body[found.start() :])
    return [frame_of(clause, act, verb, body[: found.start()]), *read_clause(rest)]


_READERS = {
    "scroll": _scroll, "press": _press, "write": _write, "set": _set, "tick": _tick,
    "drag": dragged,
    "dialog": _dialog, "read": _copy, "tell": _tell, "deed": _deed, "open": _open,
}  # fmt: skip
