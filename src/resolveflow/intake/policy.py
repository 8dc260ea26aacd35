"""A maintainer's policy: rules that send more reports to a person, and none that send fewer."""

import tomllib
from fnmatch import fnmatchcase
from typing import Literal

from pydantic import ValidationError

from resolveflow.domain.errors import InvalidSettings
from resolveflow.domain.report import IssueEvidence
from resolveflow.domain.value import Value

Association = Literal[
    "OWNER",
    "MEMBER",
    "COLLABORATOR",
    "CONTRIBUTOR",
    "FIRST_TIMER",
    "FIRST_TIME_CONTRIBUTOR",
    "NONE",
]


class ToHuman(Value):
    """One rule: a report that meets every condition given goes to a person.

    `labels`: any of these; `words`: any of these in title or body, whatever their case; `paths`:
    any named or failing file matches one of these globs; `associations`: the author is one of
    these.
    """

    name: str
    labels: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    associations: tuple[Association, ...] = ()

    def applies(self, evidence: IssueEvidence) -> bool:
        """Whether every condition that is given holds."""
        conditions = (
            (self.labels, self._label(evidence)),
            (self.words, self._word(evidence)),
            (self.paths, self._path(evidence)),
            (self.associations, evidence.author_association in self.associations),
        )
        return any(given for given, _ in conditions) and all(
            holds for given, holds in conditions if given
        )

    def _label(self, evidence: IssueEvidence) -> bool:
        return not {it.lower() for it in self.labels}.isdisjoint(
            it.lower() for it in evidence.labels
        )

    def _word(self, evidence: IssueEvidence) -> bool:
        text = f"{evidence.title}\n{evidence.body}".lower()
        return any(word.lower() in text for word in self.words)

    def _path(self, evidence: IssueEvidence) -> bool:
        paths = [*evidence.named_paths, *(it for f in evidence.frame_files for it in f.paths)]
        return any(fnmatchcase(path, glob) for path in paths for glob in self.paths)


class Policy(Value):
    """What a maintainer added: every setting here only adds caution."""

    to_human: tuple[ToHuman, ...] = ()
    new_comments_void_approval: bool = False


NO_POLICY = Policy()


def parse_policy(data: bytes) -> Policy:
    """Read a policy from TOML.

    Raises:
        InvalidSettings: no TOML, or a key or a value that a policy does not have.
    """
    try:
        return Policy.model_validate(tomllib.loads(data.decode("utf-8")))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidSettings(f"the policy file is no TOML: {error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InvalidSettings(f"the policy file has a wrong {where}: {first['msg']}") from None
