"""Aider's map of a git work tree, by a Python that has aider: `aider_map.py TREE`.

It prints how many characters the map has. Then it makes a map about the identifiers on each line
of standard input and prints the CPU seconds that this took.
"""

import os
import subprocess
import sys
import time

from aider.io import InputOutput
from aider.repomap import RepoMap

TOKENS = 4096
CHARACTERS = 3.6  # of a token, as ResolveFlow counts them: cheaper for aider than its tokenizer


class Model:
    """What aider asks a model about."""

    def token_count(self, text: str) -> int:
        """How many tokens the text has, about."""
        return int(len(text) / CHARACTERS)


def main() -> None:
    """Make the maps; what aider itself prints goes to standard error."""
    tree = sys.argv[1]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    os.chdir(tree)
    tracked = subprocess.run(["git", "ls-files", "-z"], capture_output=True, check=True)  # noqa: S607
    names = os.fsdecode(tracked.stdout).split("\0")
    files = [f"{tree}/{name}" for name in names if name]
    terminal = InputOutput(yes=True, pretty=False, fancy_input=False)
    maps = RepoMap(map_tokens=TOKENS, root=tree, main_model=Model(), io=terminal)
    found = maps.get_repo_map([], files, force_refresh=True)
    if not found:
        sys.exit("aider made no map")
    print(len(found), file=answers, flush=True)
    for line in sys.stdin:
        started = time.process_time()
        maps.get_repo_map([], files, mentioned_idents=set(line.split()), force_refresh=True)
        print(time.process_time() - started, file=answers, flush=True)


if __name__ == "__main__":
    main()
