"""Where the stand-in keeps its world and its log: two files that survive a kill -9."""

import json
import os
from pathlib import Path
from typing import TypedDict

from pydantic import ValidationError

from resolveflow.domain.errors import InvalidSettings
from resolveflow.testing.github_standin.world import World


class Logged(TypedDict):
    """One request; `status` is what was answered, None where a fault came before that."""

    method: str
    path: str
    user: str | None
    status: int | None


class Store:
    """The state of one stand-in, in `directory`."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self._state = directory / "state.json"
        self._log = directory / "requests.jsonl"

    def load(self, seed: World | None = None) -> World:
        """Read the kept world; where there is none, start from `seed`."""
        if self._state.exists():
            return read_world(self._state)
        world = seed or World()
        self.save(world)
        return world

    def save(self, world: World) -> None:
        """Replace the kept world in one step."""
        draft = self._state.with_suffix(".tmp")
        with draft.open("w", encoding="utf-8") as file:
            file.write(world.model_dump_json(indent=1))
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self._state)

    def log(self, entry: Logged) -> None:
        """Add a request to the log."""
        with self._log.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")

    def logged(self) -> list[Logged]:
        """Every request that was ever made, the oldest first."""
        if not self._log.exists():
            return []
        lines = self._log.read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]


def read_world(path: Path) -> World:
    """Read a seed or a kept world.

    Raises:
        InvalidSettings: no such file, or not a world.
    """
    try:
        return World.model_validate_json(path.read_bytes())
    except OSError as error:
        raise InvalidSettings(f"cannot read {path}: {error.strerror}") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InvalidSettings(f"{path} is no world: {where}: {first['msg']}") from None
