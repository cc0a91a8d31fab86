"""Let `--sources` take several values: `--sources a b c`, as a shell pattern expands.

The parser knows one value a flag, so the values are given a flag each before it sees them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

FLAG = "--sources"
_SOURCES = frozenset({FLAG, "-s"})


def spread_sources(args: Sequence[str], switches: Collection[str], *, takes_task: bool = True) -> list[str]:
    """Return the arguments with one `--sources` for each source.

    Words after `--sources` are sources up to the next flag. Where no other word is left to be the
    task, the last of them is it: `ddax run --sources a b "TASK"`. `switches` are the flags of the
    command that no value follows; one that does not take a task has sources alone.
    """
    words: list[str] = []
    group: list[int] = []  # where in `words` the values of the last --sources stand
    has_task, index = not takes_task, 0
    while index < len(args):
        word = args[index]
        index += 1
        if word == "--":
            has_task = has_task or index < len(args)
            words.extend(args[index - 1 :])
            break
        if word in _SOURCES:
            group = []
            while index < len(args) and _is_word(args[index]):
                words.extend((FLAG, args[index]))
                group.append(len(words) - 2)
                index += 1
            if not group:
                words.append(word)
        elif not _is_word(word):
            words.append(word)
            if _wants_value(word, switches) and index < len(args):
                words.append(args[index])
                index += 1
        else:
            has_task = True
            words.append(word)
    if not has_task and len(group) > 1:
        del words[group[-1]]
    return words


def _wants_value(word: str, switches: Collection[str]) -> bool:
    """Tell whether the next word is the value of a flag, or of the last of several letters (`-qv`)."""
    if word.startswith("--"):
        return word not in switches and "=" not in word
    valued = [letter for letter in word[1:] if f"-{letter}" not in switches]
    return valued == [word[-1]]


def _is_word(text: str) -> bool:
    return text == "-" or not text.startswith("-")
