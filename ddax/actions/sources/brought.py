"""Sources that are handed over in Python: documents of LangChain, and retrievers or vector stores to ask.

What is handed over counts as the user's own, as a file does: it may be private, and somebody else may have
written it. So one that bears the address of a page is named as a document, not as that page of the web.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ddax.actions.protocol import Library
from ddax.actions.sources.documents import ExtractCache
from ddax.actions.sources.extract import METADATA, Extracted, document, from_text
from ddax.actions.sources.skipping import skipped_of
from ddax.actions.sources.tokens import query_tokens, tokens
from ddax.actions.unsearched import pass_over
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
MOST_FIELDS, FIELD_CHARS = 16, 200


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


def documents_of(given: Iterable[LangChainDocument]) -> list[Document]:
    """Return documents as the library has them: each under a name of its own, with its metadata in the notes.

    One without text is left out.
    """
    found: dict[str, Document] = {}
    for number, one in enumerate(given, 1):
        if one.page_content.strip():
            made = _document(one, f"{OWN}{number}")
            found[_unused(made.source, found)] = made
    return [replace(made, source=source) for source, made in found.items()]


def blotted(one: Document, clean: Callable[[Any], Any]) -> Document:
    """Return a document without secrets in anything it says of itself."""
    return replace(
        one, source=clean(one.source), title=clean(one.title), text=clean(one.text),
        notes=clean(dict(one.notes)),
    )  # fmt: skip


def _document(given: LangChainDocument, unnamed: str) -> Document:
    held = plain_fields(given.metadata)
    source = str(given.metadata.get("source") or given.id or unnamed).strip()
    place = next((f"#{key}={held[key]}" for key in PLACES if key in held), "")
    title = str(given.metadata.get("title") or "") or from_text(given.page_content).title or _name(source)
    made = document(Extracted(title[:200], given.page_content), own_name(source) + place)
    return replace(made, notes={METADATA: held} if held else {})


def own_name(source: str) -> str:
    """Return the name of a document of the user's: never that of a page, a module or a tool."""
    return OWN + source if ":" in source and not source.startswith(OWN) else source


def plain_fields(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return metadata as plain JSON of a size that fits beside a quote; what is longer is cut."""
    held = {str(key): _plain(value) for key, value in list(given.items())[:MOST_FIELDS]}
    return {key: value for key, value in held.items() if value not in ("", None, [], {})}


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, str):
        return value[:FIELD_CHARS]
    if isinstance(value, (list, tuple, set)) and all(isinstance(one, (str, int, float)) for one in value):
        return [_plain(one) for one in list(value)[:MOST_FIELDS]]
    return json.dumps(value, default=str, ensure_ascii=False)[:FIELD_CHARS] if isinstance(value, dict) \
        else str(value)[:FIELD_CHARS]  # fmt: skip


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
        clean = self.cache.redactor.value
        made = (_document(one, OWN + self.asked.name) for one in given if one.page_content.strip())
        drawn = [await self._named(blotted(one, clean)) for one in made]
        await asyncio.to_thread(
            self.cache.put, [(self._key(one.source), "", [_extract(one)]) for one in drawn]
        )
        return drawn

    async def _named(self, one: Document) -> Document:
        """Keep a document under its name, or under one of its own where another text has that already."""
        named = document(_extract(one), one.source)
        other = self.local.holds(named.source, "") is not None
        if other or ((kept := await self._kept(named.source)) is not None and kept.doc_id != named.doc_id):
            named = replace(named, source=f"{named.source}~{named.doc_id[:8]}")
        self.found[named.source] = named
        return named

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
        """Return a whole document, also one that the retriever found in an earlier process."""
        return await self._kept(source) or await self.local.read(source)

    async def _kept(self, source: str) -> Document | None:
        """Return what was retrieved under a name, now or before; None where nothing was."""
        if source not in self.found:
            rows = await asyncio.to_thread(self.cache.get, [(self._key(source), "")])
            kept = rows.get(self._key(source))
            if not (isinstance(kept, list) and kept):
                return None
            self.found[source] = document(kept[0], source)
        return self.found[source]

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


def _extract(one: Document) -> Extracted:
    """Return a document as the cache keeps it."""
    return Extracted(one.title, one.text, fields=one.notes.get(METADATA, {}))
