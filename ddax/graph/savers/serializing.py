"""How checkpoints become bytes: plain values only, encrypted where a key is given."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from ddax.configs.secrets import Redactor
from ddax.errors import StateError, UsageError
from ddax.graph.savers.sealing import OtherKey, opened, sealed

if TYPE_CHECKING:
    from langgraph.checkpoint.serde.base import CipherProtocol, SerializerProtocol

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
            # Looked for before they are bytes: a length may look like the first letter of what follows it.
            return sealed(*super().dumps_typed(cleaner.value(obj)))

        def loads_typed(self, data: tuple[str, bytes]) -> Any:
            if key and not isinstance(data[1], Decrypted):
                raise OtherKey(
                    "The checkpoints are not encrypted, but a key is set.",
                    why=f"A row of type {data[0]!r} was found; another may have put it there.",
                    mend="Unset DDAX_ENCRYPTION_KEY for this home, or use a home of its own.",
                )
            try:
                return super().loads_typed(opened(*data))
            except NotImplementedError as error:
                raise _foreign(data[0]) from error

    plain = Plain(allowed_msgpack_modules=[])
    return _encrypted(plain, key) if key else plain


class Decrypted(bytes):
    """Bytes that were encrypted with the key."""


class Marking:
    """Decrypt with a cipher and mark what comes out; a copy of the serializer keeps its cipher."""

    def __init__(self, cipher: CipherProtocol) -> None:
        self._cipher = cipher

    def encrypt(self, plaintext: bytes) -> tuple[str, bytes]:
        """Return the name of the cipher and the encrypted bytes."""
        return self._cipher.encrypt(plaintext)

    def decrypt(self, ciphername: str, ciphertext: bytes) -> bytes:
        """Return the bytes as they were; raises StateError where another key encrypted them."""
        try:
            return Decrypted(self._cipher.decrypt(ciphername, ciphertext))
        except ValueError as error:
            raise OtherKey(
                "The checkpoints cannot be decrypted.",
                why=f"They were written with another key, or changed since: {error}.",
                mend="Set DDAX_ENCRYPTION_KEY to the key they were written with.",
            ) from error


def _foreign(kind: str) -> StateError:
    if "+" in kind:
        return OtherKey(
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

    try:
        made = EncryptedSerializer.from_pycryptodome_aes(plain, key=hashlib.sha256(key.encode()).digest())
    except ImportError as error:
        raise UsageError(
            "DDAX_ENCRYPTION_KEY needs a package that is not installed.",
            why=f"{error}.",
            mend="Install it: pip install 'ddax[encryption]'",
        ) from error
    made.cipher = Marking(made.cipher)
    return made
