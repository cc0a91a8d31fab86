"""The settings of a server, which no run sets: what the runs that come over it may reach, and who may call.

They stand in the group `server` of the settings file, and in variables as `DDAX_SERVER__MODELS`. Which
settings a run may set is in `ddax.configs.reach`.
"""

from __future__ import annotations

from pydantic import Field

from ddax.configs.section import Section
from ddax.configs.settings import Context


class Server(Section):
    """What the runs that come over a server may reach."""

    sources_below: tuple[str, ...] = Field(
        default=(), description="Folders whose files and folders a run may name as sources."
    )
    allow_hosts: tuple[str, ...] = Field(
        default=(), description="Private hosts that a run may name in `allow_hosts`."
    )
    models: tuple[str, ...] = Field(
        default=(),
        description="Models that a run may name, as 'openai:*'; none: all of the providers in the"
        " shipped `models.yaml` but gguf.",
    )
    origins: tuple[str, ...] = Field(
        default=(),
        description="Web sites whose pages may call the server, as 'https://chat.example.org'; Studio's and"
        " those of this machine may.",
    )
    hosts: tuple[str, ...] = Field(
        default=(),
        description="Names by which a server that asks for no key may be called, beside localhost.",
    )


class Everything(Context):
    """What a settings file and the environment may hold: the settings of runs, and those of a server."""

    server: Server = Field(default=Server(), description="What runs that come over a server may reach.")
