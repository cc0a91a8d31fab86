"""How checkpoints become bytes: plain values only, encrypted where a key is given."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from ddax.configs.secrets import Redactor
from ddax.errors import StateError, UsageError
from ddax.graph.savers.sealing import opened, sealed

if TYPE_CHECKING:
    from langgraph.checkpoint.serde.base import SerializerProtocol

MIN_KEY = 16
"""Characters of a key at least."""


def serializer(key: str, redactor: Redactor | None = None) -> SerializerProtocol:
    """Return the serializer; with a key everything is encrypted with AES (EAX, 256 bit).

    Secrets are blotted out of what is written, by `redactor` and by their shape.
    Raises UsageError for a short key or where the package for it is missing.
    """
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

    cleaner = redactor or Redactor()

    class Plain(JsonPlusSerializer):
        """Seal each value, and say what is meant by a row of a kind that we never write."""

        def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
            kind, data = super().dumps_typed(obj)
            if cleaner.finds(data):
                kind, data = super().dumps_typed(cleaner.value(obj))
            return sealed(kind, data)

        def loads_typed(self, data: tuple[str, bytes]) -> Any:
            try:
                return super().loads_typed(opened(*data))
            except NotImplementedError as error:
                raise _foreign(data[0]) from error

    plain = Plain(allowed_msgpack_modules=[])
    return _encrypted(plain, key) if key else plain


def _foreign(kind: str) -> StateError:
    if "+" in kind:
        return StateError(
            "The checkpoints are encrypted.",
            why=f"A row of type {kind!r} was found, and DDAX_ENCRYPTION_KEY is not set.",
            mend="Set DDAX_ENCRYPTION_KEY to the key they were written with.",
        )
    return StateError(
        f"The checkpoints hold a row of the unknown type {kind!r}.",
        why="Another program wrote it, or the file is damaged.",
        mend="Restore the file from a backup, or start the task again on a new thread.",
    )


def _encrypted(plain: SerializerProtocol, key: str) -> SerializerProtocol:
    from langgraph.checkpoint.serde.encrypted import EncryptedSerializer

    if len(key) < MIN_KEY:
        raise UsageError(
            f"DDAX_ENCRYPTION_KEY has {len(key)} characters, at least {MIN_KEY} are needed.",
            why="A shorter one can be guessed.",
            mend="Make one: python -c 'import secrets; print(secrets.token_urlsafe(32))'",
        )

    class Strict(EncryptedSerializer):
        """Refuse what is not encrypted: a plain row in an encrypted store was put there by another."""

        def loads_typed(self, data: tuple[str, bytes]) -> Any:
            if "+" not in data[0]:
                raise StateError(
                    "The checkpoints are not encrypted, but a key is set.",
                    why=f"A row of type {data[0]!r} was found.",
                    mend="Unset DDAX_ENCRYPTION_KEY for this home, or use a home of its own.",
                )
            try:
                return super().loads_typed(data)
            except ValueError as error:
                raise StateError(
                    "The checkpoints cannot be decrypted.",
                    why=f"{error}.",
                    mend="Set DDAX_ENCRYPTION_KEY to the key they were written with.",
                ) from error

    try:
        return Strict.from_pycryptodome_aes(plain, key=hashlib.sha256(key.encode()).digest())
    except ImportError as error:
        raise UsageError(
            "DDAX_ENCRYPTION_KEY needs a package that is not installed.",
            why=f"{error}.",
            mend="Install it: pip install 'ddax[encryption]'",
        ) from error
