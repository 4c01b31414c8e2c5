"""Blocks on a Dask cluster: many machines, or the cores of this one."""

import logging
import os
import pickle
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

from abovechance.errors import AboveChanceError, NotApplicable, Unfinished
from abovechance.resampling.executors import Task, pickled

WINDOW = 4
"""Blocks under way for every thread of the cluster."""

NOISE = ("distributed", "distributed.client", "tornado", "tornado.application", "asyncio")
"""Loggers that tell at length of connections that end; what matters is said by an exception."""


class Done(NamedTuple):
    """A finished block. Anything else that arrives is not one of ours."""

    block: int
    value: Any


@dataclass(frozen=True)
class Dask:
    """Computes blocks on a Dask cluster, of many machines or of processes here.

    Workers need this package installed. A worker that dies is Dask's to replace: its blocks are
    done elsewhere. When the scheduler dies the run ends as unfinished; a store keeps what was done.
    A program of many computations opens it once: `with Dask("local") as cluster: …`. Without
    `with`, each computation connects anew.

    Parameters
    ----------
    address
        tcp://host:port of the scheduler, or "local" for `workers` processes here.
    workers
        Number of processes of a local cluster.
    patience
        For how many seconds to wait for the scheduler.

    Raises
    ------
    AboveChanceError
        If it is no such address.
    NotApplicable
        If dask is not installed.
    Unfinished
        When the cluster is lost.

    See Also
    --------
    Processes : this machine, without Dask.
    Store : keeps what was done.

    Examples
    --------
    >>> Dask("tcp://head:8786").address
    'tcp://head:8786'
    >>> Dask("head")
    Traceback (most recent call last):
    abovechance.errors.AboveChanceError: a cluster is 'local' or the address of ...
    """

    address: str = "local"
    workers: int = 2
    patience: float = 30.0
    _open: list["_Connection"] = field(default_factory=list, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.address != "local" and "://" not in self.address:
            raise AboveChanceError(
                f"a cluster is 'local' or the address of a Dask scheduler, tcp://host:port; "
                f"got {self.address!r}."
            )

    def __enter__(self) -> "Dask":
        self._open.append(_Connection())
        return self

    def __exit__(self, *exception: object) -> None:
        self._open.pop().stack.close()

    def map(self, task: Task, blocks: Iterable[int]) -> Iterator[tuple[int, Any]]:
        """Each block with its result, in the order in which they finish."""

        wanted = list(blocks)
        if not wanted:
            return
        payload = pickled(task)
        with self._client() as client, _quiet():
            from distributed import wait

            run = os.urandom(16).hex()
            # a submitted task, unlike scattered data, can be made again when its worker dies
            shared = client.submit(pickle.loads, payload, key=f"abovechance-{run}", pure=False)
            waiting = iter(wanted)
            width = WINDOW * max(1, sum(client.nthreads().values()))
            futures: dict[Any, int] = {}
            try:
                while True:
                    for block in islice(waiting, width - len(futures)):
                        key = f"abovechance-{run}-{block}"
                        future = client.submit(_compute, shared, block, key=key, pure=False)
                        futures[future] = block
                    if not futures:
                        return
                    for future in self._finished(client, wait, futures):
                        block = futures.pop(future)
                        yield block, self._value(future, block)
            finally:
                if client.status == "running":
                    client.cancel(list(futures))

    def _finished(self, client: Any, wait: Any, futures: dict[Any, int]) -> list[Any]:
        silent = time.monotonic()
        while True:
            try:
                with client.as_current():
                    done = wait(list(futures), timeout=2, return_when="FIRST_COMPLETED").done
                if done:
                    return list(done)
            except TimeoutError:
                pass
            except Exception as error:
                raise self._gone(error) from error
            if client.status == "running":
                silent = time.monotonic()
            elif client.status == "closed" or time.monotonic() - silent > self.patience:
                raise self._gone(client.status)

    def _value(self, future: Any, block: int) -> Any:
        from distributed import KilledWorker

        if future.status == "cancelled" or future.status == "lost":
            raise self._gone(future.status)
        try:
            result = future.result(timeout=self.patience)
        except KilledWorker as error:
            raise Unfinished(
                f"block {block} ended its Dask workers again and again; they may need more memory"
            ) from error
        except (OSError, TimeoutError) as error:
            raise self._gone(error) from error
        if not isinstance(result, Done) or result.block != block:
            raise self._gone(f"it answered {type(result).__name__}")
        return result.value

    def _gone(self, reason: object) -> Unfinished:
        return Unfinished(
            f"the Dask scheduler at {self.address} went away ({_first_line(reason)}); start it "
            "again and rerun. With a store, finished blocks are kept."
        )

    @contextmanager
    def _client(self) -> Iterator[Any]:
        """A connection to the cluster: the one that is open, or one for this computation."""
        if not self._open:
            with self._connected() as client:
                yield client
            return
        held = self._open[-1]
        if held.client is None:
            held.client = held.stack.enter_context(self._connected())
        if held.client.status == "closed":
            raise self._gone("closed")
        yield held.client

    @contextmanager
    def _connected(self) -> Iterator[Any]:
        try:
            from distributed import Client, LocalCluster
        except ImportError as error:
            raise NotApplicable(
                "a cluster needs Dask; install it with the extra: abovechance[cluster]"
            ) from error
        with ExitStack() as stack:
            stack.enter_context(_quiet())
            where: Any = self.address
            if where == "local":
                where = stack.enter_context(
                    LocalCluster(
                        n_workers=self.workers,
                        threads_per_worker=1,
                        dashboard_address=None,
                        scheduler_kwargs={"dashboard": False},
                        silence_logs="CRITICAL",
                    )
                )
            try:
                client = Client(where, timeout=self.patience, set_as_default=False)
            except (OSError, TimeoutError, ValueError) as error:
                raise Unfinished(
                    f"no Dask scheduler answers at {self.address} ({_first_line(error)}); check "
                    "the address"
                ) from error
            yield stack.enter_context(client)


@dataclass
class _Connection:
    """A client that stays open between computations."""

    stack: ExitStack = field(default_factory=ExitStack)
    client: Any = None


@contextmanager
def _quiet() -> Iterator[None]:
    """Dask says nothing meanwhile."""
    loggers = [logging.getLogger(name) for name in NOISE]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _first_line(error: object) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:80]


def _compute(task: Task, block: int) -> Done:
    """One block on a worker; its threads of linear algebra stay at one, whoever works beside."""
    from threadpoolctl import threadpool_limits

    threadpool_limits(limits=1)
    return Done(block, task(block))
