"""Every test here runs on every backend."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from servers.frontiers import BACKENDS, Opener

from scraping_ai.frontier.protocol import Frontier


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(params=BACKENDS)
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Opener:
    """Opens a frontier of this test's own."""
    return BACKENDS[request.param](tmp_path)


@pytest.fixture
async def frontier(opened: Opener) -> AsyncIterator[Frontier]:
    async with opened() as frontier:
        yield frontier
