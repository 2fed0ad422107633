"""How much processor time a command takes, with all the processes that it starts:

python bench/lib/meter.py FILE COMMAND...     # writes {"status", "seconds", "cpu", "megabytes"} to FILE
"""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
import time
from pathlib import Path

SUBREAPER = 36  # prctl's PR_SET_CHILD_SUBREAPER: what a child leaves running is waited for here


def measured(command: list[str]) -> dict[str, float]:
    """CPU is that of the command and its descendants, in seconds; memory the most that one of them held."""
    ctypes.CDLL(None, use_errno=True).prctl(SUBREAPER, 1, 0, 0, 0)
    began = time.monotonic()
    process = subprocess.Popen(command)
    status, cpu, most = 0, 0.0, 0.0
    while True:
        try:
            pid, ended, used = os.wait4(-1, 0)
        except ChildProcessError:
            break
        if pid == process.pid:
            status = os.waitstatus_to_exitcode(ended)
        cpu += used.ru_utime + used.ru_stime
        most = max(most, used.ru_maxrss / 1024)
    return {"status": status, "seconds": time.monotonic() - began, "cpu": cpu, "megabytes": most}


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(measured(sys.argv[2:])))
