"""Folders of jobs without a name: each goes with its process, and those that killed processes left go later."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

from scraping_ai.frontier.protocol import FrontierError
from scraping_ai.frontier.sqlite.owner import Owner

PREFIX = "scraping-ai-"
KEPT = 86_400.0  # seconds: who was told how a killed job goes on has as long


def temporary_folder(file: str) -> TemporaryDirectory[str]:
    """A new folder for a job whose file has that name; those of jobs that nobody worked on for a day are removed."""
    for folder in Path(gettempdir()).glob(f"{PREFIX}*"):
        _remove_abandoned(folder, file)
    return TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True)


def _remove_abandoned(folder: Path, file: str) -> None:
    """Everybody may write beside it: only a real folder of this user's is touched."""
    try:
        found = folder.lstat()
        is_ours = folder.is_dir() and not folder.is_symlink() and found.st_uid == os.geteuid()
        if not is_ours or time.time() - max((found.st_mtime, *(p.lstat().st_mtime for p in folder.iterdir()))) < KEPT:
            return
        owner = Owner(folder / file)
    except (OSError, FrontierError, AttributeError):  # in use, or gone; Windows has no users
        return
    shutil.rmtree(folder, ignore_errors=True)
    owner.release()
