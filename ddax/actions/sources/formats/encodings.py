"""Bytes of a text to signs: UTF-8 where they are that, else the code page that makes words of them.

`charset-normalizer` finds the code page. Of short Western texts it takes any that gives letters, so for those
Windows-1252 stands unless it puts signs inside words; it holds all that Latin-1 shows.
"""

from __future__ import annotations

import codecs
import re

SAMPLE = 20_000
"""Bytes that the code page is looked for in, around the first that are no ASCII."""
LETTERS = 0xC0
"""The byte from which on a code page has letters; below stand signs."""
MANY, SOME = 0.3, 0.08
"""Shares of such letters: from here on no Western language, and a language of Central Europe."""
SHORT = 120
"""Bytes below which no language is told by its letters."""
WESTERN = "cp1252"
BROKEN = re.compile(
    r"[^\W\d_][¹²³][^\W\d_]|[\x80-\x9f]"
    r"|[^\W\d_][^\w\s'’´`\-–—.,;:!?/()«»“”\"&@*+=<>\[\]{}|#%…·°^~_][^\W\d_]"
)
"""A sign between two letters that stands in no word."""
SUSPECT = re.compile("[\uff61-\uff9f\u3130-\u318f\ufffd\ue000-\uf8ff]")
"""Half-width kana, single Korean letters: what another code page looks like in that of Japan or Korea."""
SINGLE = ["koi8_r", "cp1251", "cp1253", "cp1255", "cp1256", "cp866", "iso8859_5", "iso8859_7", "euc_jp"]


def decoded_text(content: bytes, charset: str = "") -> str | None:
    """Decode a text by its stated charset, a mark at its beginning, UTF-8, or what it looks like.

    None where it is no text in any of them.
    """
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", "replace")
    if b"\0" in content[:SAMPLE] and not charset.lower().startswith(("utf-16", "utf-32")):
        return None
    for name in filter(None, (charset, "utf-8-sig")):
        try:
            return content.decode(name)
        except (UnicodeError, LookupError):
            continue
    return content.decode(code_page(content), "replace")


def wide_text(content: bytes) -> str | None:
    """Decode UTF-16 or UTF-32 without a mark, most of whose bytes are NUL; None for others."""
    head = content[:SAMPLE]
    for name, places in (("utf-32-le", 4), ("utf-32-be", 4), ("utf-16-le", 2), ("utf-16-be", 2)):
        nuls = [head[place::places].count(0) * places / max(1, len(head)) for place in range(places)]
        empty = nuls[:-1] if name.endswith("be") else nuls[1:]
        if len(content) % places == 0 and min(empty) > 0.7:
            try:
                return content.decode(name)
            except UnicodeError:
                continue
    return None


def code_page(content: bytes) -> str:
    """Return the code page of a text that is no UTF-8."""
    sample = _sample(content)
    high = sum(byte >= LETTERS for byte in sample) / max(1, len(sample) - sample.count(b" "))
    western = sample.decode(WESTERN, "replace")
    if high < MANY and "\ufffd" not in western and not BROKEN.search(western):
        guess = _guess(sample) if high >= SOME and len(sample) >= SHORT else ""
        return guess if guess in ("cp1250", "iso8859_2") else WESTERN
    return _guess(sample) or WESTERN


def _guess(sample: bytes) -> str:
    """Return what charset-normalizer takes a text for, "" where it knows nothing or gives nonsense."""
    from charset_normalizer import from_bytes

    for asked in ({}, {"cp_isolation": SINGLE}):
        for match in from_bytes(sample, **asked):  # type: ignore[arg-type]  # one of two keywords
            text = str(match)
            if match.encoding.startswith("utf_16") or len(SUSPECT.findall(text)) * 20 > len(text):
                continue
            return match.encoding
    return ""


def _sample(content: bytes) -> bytes:
    """Return the part of a text that tells its code page: whole lines around what is no ASCII."""
    if len(content) <= SAMPLE:
        return content
    first = next((place for place, byte in enumerate(content) if byte > 127), 0)
    start = content.rfind(b"\n", 0, first) + 1 if first else 0
    start = max(start, first - SAMPLE // 2)
    return content[start : start + SAMPLE]
