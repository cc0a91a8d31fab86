"""Calls of the short way as LangChain runs them: below the node that makes them, told to every handler.

Tracers, callbacks and `stream_mode="messages"` see a call as they see one of LangChain's own. Where nobody
listens a call costs nothing more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ddax.reasoning.language.acting import as_langchain
from ddax.reasoning.language.provider.channel import Channel, Hear, Mode, Order, Said, parted

if TYPE_CHECKING:
    from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
    from langchain_core.messages import BaseMessage


class TracedChannel:
    """A way to a model whose calls are runs of the callback manager; `told` is what they say of it."""

    def __init__(self, inner: Channel, told: Mapping[str, Any], *, callbacks: Any = None) -> None:
        self._inner, self._told, self._own = inner, told, callbacks
        self.first_mode: Mode = inner.first_mode
        self.takes_tools, self.sees, self.limited = inner.takes_tools, inner.sees, inner.limited
        self.native, self.window, self.reads_form = inner.native, inner.window, inner.reads_form
        self.address, self.traits = inner.address, inner.traits

    async def say(self, order: Order, hear: Hear | None = None) -> Said:
        """Make one call, as a run where somebody listens."""
        run, streams = await self._begun(order)
        if run is None:
            return await self._inner.say(order, hear)
        telling = _Telling(run, hear) if hear is not None or streams else None
        try:
            said = await self._inner.say(order, telling.hear if telling else None)
            if telling:
                await telling.end()
        except BaseException as error:
            if telling:
                telling.drop()
            await run.on_llm_error(error)
            raise
        await run.on_llm_end(_result(said, self._told))
        return said

    async def close(self) -> None:
        """Close the way to the model."""
        await self._inner.close()

    async def _begun(self, order: Order) -> tuple[AsyncCallbackManagerForLLMRun | None, bool]:
        """Begin a run below the one of the node; say whether a listener wants the pieces."""
        from langchain_core.callbacks import AsyncCallbackManager
        from langchain_core.runnables.config import ensure_config
        from langchain_core.tracers._streaming import _StreamingCallbackHandler

        config = ensure_config()
        manager = AsyncCallbackManager.configure(
            config.get("callbacks"), self._own, False, config.get("tags"), None, config.get("metadata"),
            {"ls_provider": self._told["ls_provider"], "ls_model_name": self._told["model"],
             "ls_model_type": "chat"},
        )  # fmt: skip
        if not manager.handlers:
            return None, False
        name = self._told["_type"]
        serialized = {"lc": 1, "type": "not_implemented", "id": ["ddax", name], "name": name}
        [run] = await manager.on_chat_model_start(
            serialized, [_messages(order)], invocation_params={**self._told}, name=name
        )
        return run, any(isinstance(handler, _StreamingCallbackHandler) for handler in manager.handlers)


@dataclass
class _Telling:
    """Tells pieces of a reply, in their order, to those who listen to a run."""

    run: AsyncCallbackManagerForLLMRun
    told: Hear | None

    def __post_init__(self) -> None:
        self._pieces: asyncio.Queue[str | None] = asyncio.Queue()
        self._task = asyncio.create_task(self._tell())

    def hear(self, text: str) -> None:
        """Take a piece."""
        if self.told is not None:
            self.told(text)
        self._pieces.put_nowait(text)

    async def end(self) -> None:
        """Wait until every piece is told."""
        self._pieces.put_nowait(None)
        await self._task

    def drop(self) -> None:
        """Tell nothing more."""
        self._task.cancel()

    async def _tell(self) -> None:
        from langchain_core.messages import AIMessageChunk
        from langchain_core.outputs import ChatGenerationChunk

        while (text := await self._pieces.get()) is not None:
            message = AIMessageChunk(content=text, id=f"run-{self.run.run_id}")
            await self.run.on_llm_new_token(text, chunk=ChatGenerationChunk(message=message))


def _messages(order: Order) -> list[BaseMessage]:
    from langchain_core.messages import HumanMessage, SystemMessage

    kinds = {"system": SystemMessage}
    before, turns, behind = parted(order, as_langchain)
    said = [kinds.get(role, HumanMessage)(content=content) for role, content in before]
    return [*said, *turns, *(HumanMessage(content=text) for _, text in behind)]


def _result(said: Said, told: Mapping[str, Any]) -> Any:
    """Return a reply as LangChain's handlers read one: text and counted tokens."""
    from langchain_core.messages import AIMessage
    from langchain_core.outputs import ChatGeneration, LLMResult

    taken, given = ((said.usage or {}).get(f"{side}_tokens") for side in ("input", "output"))
    usage = None
    if isinstance(taken, int) and isinstance(given, int):
        usage = {"input_tokens": taken, "output_tokens": given, "total_tokens": taken + given}
    ended = "length" if said.cut else "content_filter" if said.filtered else "stop"
    message = AIMessage(
        content=said.text, usage_metadata=usage,
        response_metadata={"model_name": told["model"], "finish_reason": ended},
    )  # fmt: skip
    return LLMResult(
        generations=[[ChatGeneration(message=message, generation_info={"finish_reason": ended})]],
        llm_output={"model_name": told["model"], "token_usage": usage or {}},
    )
