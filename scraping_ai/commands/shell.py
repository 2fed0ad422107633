"""What the project's commands share: their settings, and how they refuse."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from scrapy.settings import Settings

from scraping_ai.environment import PREFIX


def refuse(command: str, problem: str, status: int = 2) -> NoReturn:
    """One line on standard error, and an exit status."""
    sys.stderr.write(f"scrapy {command}: {' '.join(problem.split())}\n")
    raise SystemExit(status)


def own_settings(command: str) -> Settings:
    """The project's settings, quieter: a person reads a command's output."""
    settings = Settings()
    try:
        settings.setmodule("scraping_ai.settings", priority="project")
    except ValueError as error:  # a variable of the environment
        refuse(command, str(error))
    if PREFIX + "LOG_LEVEL" not in os.environ:
        settings.set("LOG_LEVEL", "WARNING", priority="project")
    settings.set("LOG_FORMAT", "%(levelname)s: %(message)s", priority="project")
    return settings
