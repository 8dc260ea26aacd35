"""The base of every value that crosses a room's border."""

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """A frozen value: compared by content, never changed in place, no unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")
