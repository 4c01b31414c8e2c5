"""A Dask scheduler and workers, each a process of its own, on this machine only."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
PATIENCE = 600.0  # seconds a process may take to start on a machine that is busy


class Machines:
    """A scheduler and two workers, each started on its own; what they say goes to files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        path = os.pathsep.join([str(FOLDER), os.environ.get("PYTHONPATH", "")])
        self.environment = {**os.environ, "PYTHONPATH": path}
        self.started: list[Any] = []
        self.scheduler, said = self._start("scheduler", "--port", "0")
        self.address = _found(r"Scheduler at:\s+(tcp://\S+)", said)
        self.workers = [self.worker() for _ in range(2)]

    def _start(self, *arguments: str) -> tuple[Any, Path]:
        said = self.folder / f"machine-{len(self.started)}.log"
        command = [sys.executable, "-m", "distributed.cli.dask_" + arguments[0], *arguments[1:]]
        with said.open("w") as file:
            process = subprocess.Popen(
                [*command, "--host", "127.0.0.1", "--no-dashboard"],
                env=self.environment,
                stdout=subprocess.DEVNULL,
                stderr=file,
            )
        self.started.append(process)
        return process, said

    def worker(self) -> Any:
        """One more worker, ready to work."""
        process, said = self._start("worker", self.address, "--nthreads", "1", "--no-nanny")
        _found(r"Registered to:\s+(\S+)", said)
        return process

    def stop(self) -> None:
        for process in reversed(self.started):
            process.kill()
            process.wait()


def _found(pattern: str, said: Path) -> str:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if found := re.search(pattern, said.read_text("utf-8", errors="replace")):
            return found[1]
        time.sleep(0.05)
    raise TimeoutError(f"no {pattern!r} in {said.read_text()!r}")
