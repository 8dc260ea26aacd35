"""A stand-in for GitHub's REST API: real HTTP on loopback, with state that lasts."""

from resolveflow.testing.github_standin.records import (
    CheckRun,
    Comment,
    Commit,
    CommitStatus,
    Fault,
    Issue,
    Repository,
    Token,
    User,
)
from resolveflow.testing.github_standin.server import StandIn, serve
from resolveflow.testing.github_standin.store import Logged, read_world
from resolveflow.testing.github_standin.world import Denied, World

__all__ = [
    "CheckRun",
    "Comment",
    "Commit",
    "CommitStatus",
    "Denied",
    "Fault",
    "Issue",
    "Logged",
    "Repository",
    "StandIn",
    "Token",
    "User",
    "World",
    "read_world",
    "serve",
]
