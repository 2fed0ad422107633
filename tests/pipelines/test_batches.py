"""Calls that are sent together, and what becomes of those beside one that fails."""

from __future__ import annotations

import asyncio

import pytest

from scraping_ai.pipelines.batches import MOST, Batches

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Worker:
    """Doubles numbers; 13 fails."""

    def __init__(self) -> None:
        self.batches: list[int] = []
        self.at_once = self.most = 0

    async def all(self, numbers: list[int]) -> list[int]:
        self.batches.append(len(numbers))
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        await asyncio.sleep(0)
        self.at_once -= 1
        if 13 in numbers:
            raise ValueError
        return [2 * number for number in numbers]

    async def one(self, number: int) -> int:
        return (await self.all([number]))[0]

    def batched(self, workers: int = 2) -> Batches[int, int]:
        return Batches(self.all, self.one, workers)


async def test_what_waits_goes_together_and_each_gets_its_own_answer() -> None:
    worker = Worker()
    batches = worker.batched()
    assert await asyncio.gather(*map(batches.answer, range(100, 200))) == list(range(200, 400, 2))
    assert sum(worker.batches) == 100
    assert max(worker.batches) == MOST
    assert worker.most == 2


async def test_one_that_comes_alone_goes_alone() -> None:
    worker = Worker()
    batches = worker.batched()
    for number in range(5):
        assert await batches.answer(number) == 2 * number
    assert worker.batches == [1] * 5


async def test_one_that_fails_costs_the_others_nothing() -> None:
    answers = await asyncio.gather(*map(Worker().batched().answer, range(20)), return_exceptions=True)
    assert [answer for answer in answers if isinstance(answer, int)] == [2 * n for n in range(20) if n != 13]
    assert isinstance(answers[13], ValueError)


async def test_calls_that_come_as_others_end_are_never_forgotten() -> None:
    batches = Worker().batched(1)

    async def some(first: int) -> int:
        return sum([await batches.answer(number) for number in range(first, first + 200)])

    await asyncio.wait_for(asyncio.gather(*(some(200 * n + 100) for n in range(5))), 30)


async def test_one_that_is_cancelled_leaves_the_others() -> None:
    batches = Worker().batched(1)
    calls = [asyncio.ensure_future(batches.answer(number)) for number in range(5)]
    await asyncio.sleep(0)
    calls[3].cancel()
    assert await asyncio.gather(*calls[:3], calls[4]) == [0, 2, 4, 8]
