"""Ways in which a report may point at files: each gives every file a score, 0 for no hint."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np

from resolveflow.codebase.bm25 import Scores
from resolveflow.codebase.text import Query, parts, words
from resolveflow.codebase.tree_index import TreeIndex, letters
from resolveflow.domain.crash import Crash, Frame

BEST_REGIONS = 3
MOST_CRASHES = 20
MOST_FRAMES = 200  # of one crash; an endless recursion has as many as it likes
SIMILAR_COMMITS = 60
UNSEEN_RARITY = 3.0  # of a name that no file spells as a term
LONGEST_PHRASE = 4  # words that may spell one file's name

_IN_EVERY_PACKAGE = re.compile(r"__\w+__")  # `__main__` names no file that a report means


@dataclass(frozen=True)
class Asked:
    """What the signals are asked about."""

    query: Query
    crashes: Sequence[Crash] = ()


def content(tree: TreeIndex, asked: Asked) -> Scores:
    """BM25 over path and content."""
    return tree.files.scores(sharpened(tree, asked.query.weights))


def best_regions(tree: TreeIndex, asked: Asked) -> Scores:
    """The sum of a file's best regions' BM25."""
    return _sum_of_best(tree, tree.region_terms.scores(sharpened(tree, asked.query.weights)))


def title_regions(tree: TreeIndex, asked: Asked) -> Scores:
    """The same for the title alone."""
    return _sum_of_best(tree, tree.region_terms.scores(asked.query.title_weights))


def path(tree: TreeIndex, asked: Asked) -> Scores:
    """BM25 over the path alone."""
    return tree.path_terms.scores(asked.query.weights)


def stem(tree: TreeIndex, asked: Asked) -> Scores:
    """The file's own name, spelled in the report as one word or as several."""
    in_title = _phrases(words(asked.query.title))
    in_body = _phrases(words(asked.query.body))
    spoken = in_title.keys() | in_body.keys()
    keys = ["" if _IN_EVERY_PACKAGE.fullmatch(name) else letters(name) for name in tree.stems]
    shared = Counter(keys)
    scores = [
        (_spelled(key, in_title, in_body) or _partly_spelled(parts(name), spoken))
        * (1 + 0.1 * min(len(key), 12) * (len(key) > 3))
        * _rarity(tree, name)
        / shared[key] ** 0.5
        for name, key in zip(tree.stems, keys, strict=True)
    ]
    return np.array(scores)


def named(tree: TreeIndex, asked: Asked) -> Scores:
    """Files the report names, earlier ones more."""
    scores = np.zeros(len(tree.paths))
    for order, (_, paths) in enumerate(tree.names.mentions(asked.query.raw)):
        for one in paths:
            if one in tree.number:
                scores[tree.number[one]] += 1 / (1 + 0.1 * order) / len(paths) ** 0.5
    return scores


def frames(tree: TreeIndex, asked: Asked) -> Scores:
    """Files of the crashes' frames; in each crash a file counts by its innermost frame alone."""
    scores = np.zeros(len(tree.paths))
    for crash in asked.crashes[:MOST_CRASHES]:
        innermost: dict[int, float] = {}
        for _, files, depth in _in_tree(tree, crash):
            for number in files:
                pointed = 1 / (1 + depth) / len(files)
                innermost[number] = max(pointed, innermost.get(number, 0.0))
        scores[list(innermost)] += list(innermost.values())
    return scores


def past_fixes(tree: TreeIndex, asked: Asked) -> Scores:
    """Files touched by commits whose message is like the report."""
    scores = np.zeros(len(tree.paths))
    similar = tree.messages.scores(asked.query.weights)
    for commit in np.argsort(-similar, kind="stable")[:SIMILAR_COMMITS]:
        touched = tree.touched[commit]
        scores[touched] += similar[commit] ** 2 / len(touched) ** 0.7
    return scores


def told(tree: TreeIndex, asked: Asked) -> Scores:
    """BM25 over all messages that came with a file's changes."""
    return tree.told.scores(asked.query.weights)


SIGNALS: dict[str, Callable[[TreeIndex, Asked], Scores]] = {
    "content": content,
    "best_regions": best_regions,
    "title_regions": title_regions,
    "path": path,
    "stem": stem,
    "named": named,
    "frames": frames,
    "past_fixes": past_fixes,
    "told": told,
}


def resolved_frames(tree: TreeIndex, asked: Asked) -> Iterator[tuple[Frame, list[int], int]]:
    """The crashes' frames that resolve to ranked files; depth 0 is a crash's innermost of these."""
    for crash in asked.crashes[:MOST_CRASHES]:
        yield from _in_tree(tree, crash)


def _in_tree(tree: TreeIndex, crash: Crash) -> Iterator[tuple[Frame, list[int], int]]:
    depth = 0
    for frame in crash.frames[:MOST_FRAMES]:
        files = [tree.number[p] for p in tree.names.resolve(frame) if p in tree.number]
        if files:
            yield frame, files, depth
            depth += 1


def sharpened(tree: TreeIndex, weights: Mapping[str, float]) -> dict[str, float]:
    """The weights raised by the terms' rarity: in BM25 alone many common ones outdo a rare one."""
    return {term: weight * tree.files.rarity(term) ** 0.5 for term, weight in weights.items()}


def _rarity(tree: TreeIndex, name: str) -> float:
    """How little a name is a word of every file: a library's own name points nowhere."""
    spelled = parts(name)
    asked = spelled if len(spelled) > 1 else [letters(name)]
    return sum(tree.files.rarity(part) or UNSEEN_RARITY for part in asked)


def _sum_of_best(tree: TreeIndex, scores: Scores) -> Scores:
    order = np.lexsort((-scores, tree.region_files))
    files = tree.region_files[order]
    within = np.arange(len(files)) - np.searchsorted(files, files)
    best = order[within < BEST_REGIONS]
    return np.bincount(
        tree.region_files[best], weights=scores[best], minlength=len(tree.paths)
    ).astype(np.float64)


def _phrases(spoken: Sequence[str]) -> Counter[str]:
    """Every run of up to four words, written together."""
    return Counter(
        "".join(spoken[start : start + length])
        for length in range(1, LONGEST_PHRASE + 1)
        for start in range(len(spoken) - length + 1)
    )


def _spelled(key: str, in_title: Counter[str], in_body: Counter[str]) -> float:
    times = in_title[key] + in_body[key]
    if not key or not times or (len(key) == 1 and key not in in_title):
        return 0.0
    return 3.0 * (key in in_title) + 1.0 + 0.3 * math.log1p(times)


def _partly_spelled(names: Sequence[str], spoken: Set[str]) -> float:
    """For `LabelEditingProvider`: how much of it begins or ends a phrase of the report."""
    for length in range(len(names) - 1, 1, -1):
        if "".join(names[:length]) in spoken or "".join(names[-length:]) in spoken:
            return 0.5 * length / len(names)
    return 0.0
