"""`Work` of several schemas in one pool: a worker process is sent each once, and keeps those that it used last.

Nothing here imports Scrapy: worker processes have it.
"""

from __future__ import annotations

import pickle
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from scraping_ai.extraction import Result
from scraping_ai.extraction.wrappers import Example, Wrapper
from scraping_ai.pipelines.workers import Asked, Extracted, Work

KEPT = 64  # in a process: more than come in one call


class Unknown(Exception):
    """A call for work that this process has not, or not any more; `keys`: all that the call is for."""

    def __init__(self, keys: list[str]) -> None:
        super().__init__(keys)
        self.keys = keys


def key_of(work: Work) -> str:
    """A digest: work with the same schema and bounds shares it."""
    return sha256(pickle.dumps(work)).hexdigest()


class Shelf:
    """Stands for a `Work` in worker processes: its methods take the key of the work they are for.

    They raise Unknown for one that the process has not; `told` is the same call with the work.
    """

    def __init__(self) -> None:
        self._works: OrderedDict[str, Work] = OrderedDict()

    def told(self, works: Mapping[str, Work], name: str, *args: Any) -> Any:
        self._works |= works
        answer = getattr(self, name)(*args)
        while len(self._works) > KEPT:
            self._works.popitem(last=False)
        return answer

    def extract_all(self, pages: Sequence[tuple[str, Asked]]) -> list[Extracted]:
        self._need(*(key for key, _ in pages))
        return [self._works[key].extract(*page) for key, page in pages]

    def extract(self, key: str, page: Asked) -> Extracted:
        return self.extract_all([(key, page)])[0]

    def learn(self, key: str, examples: Sequence[Example]) -> Wrapper:
        self._need(key)
        return self._works[key].learn(examples)

    def ground(self, key: str, result: Result, answers: Any, body: bytes) -> Result:
        self._need(key)
        return self._works[key].ground(result, answers, body)

    def _need(self, *keys: str) -> None:
        if not all(key in self._works for key in keys):
            raise Unknown(sorted(set(keys)))
        for key in keys:
            self._works.move_to_end(key)
