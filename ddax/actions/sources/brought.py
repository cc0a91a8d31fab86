"""Sources that are handed over in Python: documents of LangChain, and retrievers or vector stores to ask.

What is handed over counts as the user's own, as a file does: it may be private, and somebody else may have
written it. So one that bears the address of a page is named as a document, not as that page of the web.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ddax.actions.protocol import Library
from ddax.actions.sources.documents import ExtractCache
from ddax.actions.sources.formats.extract import METADATA, Extracted, document, from_text
from ddax.actions.sources.skipping import skipped_of
from ddax.actions.sources.tokens import query_tokens, tokens
from ddax.actions.unsearched import pass_over
from ddax.configs.secrets import Redactor
from ddax.errors import ActionError, UsageError
from ddax.memory.protocol import Embedder
from ddax.types import Document, Hit

if TYPE_CHECKING:
    from langchain_core.documents import Document as LangChainDocument
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.vectorstores import VectorStore

OWN = "document:"
"""What the source of a document begins with that would be taken for something of somebody else's."""
DRAWN = 10
"""Documents that a vector store is asked for at each search."""
PLACES = ("page", "start_index", "row", "sheet_name", "chunk", "seq_num")
"""Keys of metadata by which documents of one source are told apart, as the loaders of LangChain have them."""
MOST_FIELDS, FIELD_CHARS, TITLE_CHARS = 16, 200, 200


@dataclass(frozen=True)
class Retrieving:
    """A retriever to be asked at each search; `outside` says that somebody else sees the query."""

    retriever: BaseRetriever
    outside: bool
    name: str


def from_retriever(
    retriever: BaseRetriever | VectorStore, *, outside: bool | None = None, name: str = ""
) -> Retrieving:
    """Return a retriever or vector store as a source.

    `outside` says whether its queries reach somebody who is not the user: then private words in one are
    asked about first. A vector store is taken for the user's own, any other retriever for somebody else's.
    Raises UsageError for what is neither.
    """
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.vectorstores import VectorStore, VectorStoreRetriever

    label = name or type(retriever).__name__
    if isinstance(retriever, VectorStore):
        own = retriever.as_retriever(search_kwargs={"k": DRAWN})
        return Retrieving(own, bool(outside), label)
    if isinstance(retriever, BaseRetriever):
        stranger = not isinstance(retriever, VectorStoreRetriever)
        return Retrieving(retriever, stranger if outside is None else outside, label)
    raise UsageError(
        "A retriever is given that is none.",
        why=f"This is a {label}.",
        mend="Give a retriever or vector store of LangChain; documents are given as documents=[...].",
    )


def retrieving(given: object) -> Retrieving:
    """Return what is asked at each search, made of a retriever where it is none yet; raises UsageError."""
    taken: Any = given
    return taken if isinstance(given, Retrieving) else from_retriever(taken)


def check_documents(given: object) -> tuple[LangChainDocument, ...]:
    """Return LangChain documents, of which there may be any number; raises UsageError for what is none."""
    from langchain_core.documents import Document as LangChainDocument

    alone = isinstance(given, (str, LangChainDocument)) or not isinstance(given, Iterable)
    several: tuple[Any, ...] = (given,) if alone else tuple(given)  # type: ignore[arg-type]
    wrong = [one for one in several if not isinstance(one, LangChainDocument)]
    if alone or wrong:
        raise UsageError(
            "Documents are given that are none.",
            why=f"There is a {type(wrong[0]).__name__}." if wrong else "It is one alone.",
            mend="Give a list of LangChain's Document: documents=[Document('text', metadata={...})];"
            " a folder or file is a source: Context(sources=('docs',)).",
        )
    return several


def documents_of(given: Iterable[LangChainDocument], redactor: Redactor | None = None) -> list[Document]:
    """Return documents as the library has them, with their metadata in the notes and without secrets.

    One without text is left out. Several may have one name still: see `told_apart`.
    """
    redactor = redactor or Redactor.of_process()
    held = ((number, one) for number, one in enumerate(given, 1) if one.page_content.strip())
    return [_document(one, f"{OWN}{number}", redactor) for number, one in held]


def told_apart(brought: Iterable[Document], read: Mapping[str, Document]) -> dict[str, Document]:
    """Return what was read and what was brought by name; where a name is taken, by one that is not.

    A document that is the very file of its name stands for it, with what its metadata says.
    """
    held = dict(read)
    for one in brought:
        is_read = one.source in read and read[one.source].doc_id == one.doc_id
        name = one.source if is_read else _unused(one.source, held)
        held[name] = replace(one, source=name)
    return held


def _document(given: LangChainDocument, unnamed: str, redactor: Redactor) -> Document:
    held = plain_fields(given.metadata, redactor)
    text = redactor.text(given.page_content)
    source = redactor.text(str(given.metadata.get("source") or given.id or unnamed).strip())
    place = next((f"#{key}={held[key]}" for key in PLACES if key in held), "")
    title = str(given.metadata.get("title") or "") or from_text(text).title or _name(source)
    made = document(Extracted(redactor.cut(title, TITLE_CHARS), text), own_name(source) + place)
    return replace(made, notes={METADATA: held} if held else {})


def own_name(source: str) -> str:
    """Return the name of a document of the user's: never that of a page, a module or a tool."""
    return OWN + source if ":" in source and not source.startswith(OWN) else source


def plain_fields(given: Mapping[str, Any], redactor: Redactor) -> dict[str, Any]:
    """Return metadata as plain JSON of a size that fits beside a quote; what is longer is cut."""
    held = {
        redactor.text(str(key)): _plain(value, redactor) for key, value in list(given.items())[:MOST_FIELDS]
    }
    return {key: value for key, value in held.items() if value not in ("", None, [], {})}


def _plain(value: Any, redactor: Redactor) -> Any:
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, (list, tuple, set)) and all(isinstance(one, (str, int, float)) for one in value):
        return [_plain(one, redactor) for one in list(value)[:MOST_FIELDS]]
    text = json.dumps(value, default=str, ensure_ascii=False) if isinstance(value, dict) else str(value)
    return redactor.cut(text, FIELD_CHARS)


def _name(source: str) -> str:
    return source.rstrip("/").rsplit("/", 1)[-1] or source


def _unused(source: str, taken: Mapping[str, object]) -> str:
    number, name = 1, source
    while name in taken:
        number += 1
        name = f"{source}#{number}"
    return name


class RetrievedLibrary:
    """A library whose searches also ask a retriever; what it found can be read like any other document."""

    def __init__(self, local: Library, asked: Retrieving, embedder: Embedder, cache: ExtractCache) -> None:
        self.local, self.asked, self.embedder, self.cache = local, asked, embedder, cache
        self.specs = (*local.specs, f"retriever:{asked.name}")
        self.outside = local.outside or asked.outside
        self.skipped = skipped_of(local)
        self.found: dict[str, Document] = {}

    async def search(self, query: str, *, intent: str = "", k: int = 10, mode: str = "hybrid") -> list[Hit]:
        """Find the k best of both, by score; raises ActionError where none is found and one failed."""
        both = (self.local.search(query, intent=intent, k=k, mode=mode), self._retrieved(query))
        found = list[Hit]()
        failed = list[ActionError]()
        for came in await asyncio.gather(*both, return_exceptions=True):
            if isinstance(came, ActionError):
                failed.append(came)
            elif isinstance(came, BaseException):
                raise came
            else:
                found += came
        if failed and not found:
            raise failed[0]
        for error in failed:
            pass_over(error, searched="the other sources")
        return sorted(found, key=lambda hit: -hit.score)[:k]

    async def _retrieved(self, query: str) -> list[Hit]:
        drawn = await self._draw(query)
        return await asyncio.to_thread(self._scored, query, drawn) if drawn else []

    async def _draw(self, query: str) -> list[Document]:
        """Ask the retriever and keep what it gave; raises ActionError for whatever it raises."""
        if not query.strip():
            return []
        try:
            given = await self.asked.retriever.ainvoke(query)
            check_documents(given)
        except Exception as error:  # a retriever is somebody else's code, and raises what it likes
            raise ActionError(
                f"The retriever {self.asked.name} failed.",
                why=f"{type(error).__name__}: {self.cache.redactor.cut(str(error), 200)}",
                mend="Try it alone: retriever.invoke('...').",
                kind="retriever",
            ) from error
        held = [one for one in given if one.page_content.strip()]
        unnamed, redactor = OWN + self.asked.name, self.cache.redactor
        return await self._named([_document(one, unnamed, redactor) for one in held]) if held else []

    async def _named(self, made: Sequence[Document]) -> list[Document]:
        """Keep documents, each under its name, or under one of its own where another text has that already.

        Who writes a name into the cache first has it, be it another search at the same time or another
        process.
        """
        wanted = [_apart(one) if self._taken(one) else one for one in made]
        texts = await asyncio.to_thread(self._first, wanted)
        drawn = [one if texts.get(one.source) == one.doc_id else _apart(one) for one in wanted]
        await asyncio.to_thread(self.cache.put, self._rows(drawn))
        self.found |= {one.source: one for one in drawn}
        return drawn

    def _taken(self, one: Document) -> bool:
        """Tell whether a name is that of a local source, or of another text that was found here."""
        found = self.found.get(one.source, one)
        return found.doc_id != one.doc_id or self.local.holds(one.source, "") is not None

    def _first(self, wanted: Sequence[Document]) -> dict[str, str]:
        """Keep documents whose names are free, and return the id of the text that each name stands for."""
        rows = self._rows(wanted)
        self.cache.put(rows, over=False)
        kept = self.cache.get([(key, stamp) for key, stamp, _ in rows])
        return {one.source: found.doc_id for one in wanted if (found := self._whole(one.source, kept))}

    def _scored(self, query: str, drawn: Sequence[Document]) -> list[Hit]:
        """Score as the library does: half by the words of the query, half by meaning."""
        words = set(query_tokens(query))
        vectors = self.embedder.embed([query, *(f"{one.title}\n{one.text[:2000]}" for one in drawn)])
        cosines = np.clip(vectors[1:] @ vectors[0], 0.0, 1.0)
        held = [len(words & set(tokens(f"{d.title} {d.text}"))) / (len(words) or 1) for d in drawn]
        return [
            Hit(d.doc_id, d.source, d.title, d.text[:300].strip(), float(0.5 * cosine + 0.5 * share))
            for d, cosine, share in zip(drawn, cosines, held, strict=True)
        ]

    async def read(self, source: str) -> Document:
        """Return a whole document, also one that the retriever found in an earlier process.

        A local source that there is goes before what such a process found under its name.
        """
        if source not in self.found and self.local.holds(source, ""):
            return await self.local.read(source)
        return await self._kept(source) or await self.local.read(source)

    async def _kept(self, source: str) -> Document | None:
        """Return what was retrieved under a name, now or before; None where nothing was."""
        if source not in self.found:
            rows = await asyncio.to_thread(self.cache.get, [(self._key(source), "")])
            if (kept := self._whole(source, rows)) is None:
                return None
            self.found.setdefault(source, kept)
        return self.found[source]

    def _whole(self, source: str, rows: Mapping[str, list[Extracted] | str]) -> Document | None:
        """Return the document of a name among rows of the cache."""
        kept = rows.get(self._key(source))
        return document(kept[0], source) if isinstance(kept, list) and kept else None

    def _rows(self, documents: Sequence[Document]) -> list[tuple[str, str, list[Extracted] | str]]:
        """Return documents as rows of the cache."""
        return [(self._key(one.source), "", [_extract(one)]) for one in documents]

    async def mentioned(self, text: str, *, limit: int = 10) -> list[Hit]:
        """Find documents of the local sources that a text names."""
        return await self.local.mentioned(text, limit=limit)

    def holds(self, source: str, text: str) -> bool | None:
        """Tell whether one of the sources says a text; None for one that was not retrieved here."""
        found = self.found.get(source)
        return text in found.text if found is not None else self.local.holds(source, text)

    async def warm(self, limit: int | None = None) -> int:
        """Make vectors of the local sources ahead of need."""
        return await self.local.warm(limit)

    def describe(self) -> str:
        """Say in one line what is searched."""
        local = self.local.describe() if self.local.specs else ""
        return " and ".join(filter(None, (local, f"the retriever {self.asked.name}")))

    def _key(self, source: str) -> str:
        return f"retrieved:{self.asked.name}:{source}"


def _apart(one: Document) -> Document:
    """Return a document under a name that only its text has."""
    return replace(one, source=f"{one.source}~{one.doc_id[:8]}")


def _extract(one: Document) -> Extracted:
    """Return a document as the cache keeps it."""
    return Extracted(one.title, one.text, fields=one.notes.get(METADATA, {}))
