"""Blocks on a Dask cluster: many machines, or the cores of this one."""

import os
import pickle
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from abovechance.errors import NotApplicable, Unfinished
from abovechance.resampling.executors import Task, pickled

WINDOW = 4
"""Blocks under way for every thread of the cluster."""


class Done(NamedTuple):
    """A finished block. Anything else that arrives is not one of ours."""

    block: int
    value: Any


@dataclass(frozen=True)
class Dask:
    """A Dask cluster at `address` (tcp://host:port), or "local" for `workers` processes here.

    Workers need this package installed. A worker that dies is Dask's to replace: its blocks are
    done elsewhere. When the scheduler dies the run ends as unfinished; a store keeps what was done.
    """

    address: str = "local"
    workers: int = 2
    patience: float = 30.0

    def map(self, task: Task, blocks: Iterable[int]) -> Iterator[tuple[int, Any]]:
        payload = pickled(task)
        with self._client() as client:
            from distributed import wait

            run = os.urandom(16).hex()
            # a submitted task, unlike scattered data, can be made again when its worker dies
            shared = client.submit(pickle.loads, payload, key=f"abovechance-{run}", pure=False)
            waiting = iter(blocks)
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
        why = (str(reason).splitlines() or [type(reason).__name__])[0][:80]
        return Unfinished(
            f"the Dask scheduler at {self.address} went away ({why}); start it again and rerun. "
            "With a store, finished blocks are kept."
        )

    @contextmanager
    def _client(self) -> Iterator[Any]:
        try:
            from distributed import Client, LocalCluster
        except ImportError as error:
            raise NotApplicable(
                "a cluster needs Dask; install it with the extra: abovechance[cluster]"
            ) from error
        if self.address != "local":
            try:
                client = Client(self.address, timeout=self.patience, set_as_default=False)
            except (OSError, TimeoutError, ValueError) as error:
                raise Unfinished(
                    f"no Dask scheduler answers at {self.address} ({error}); check the address"
                ) from error
            with client:
                yield client
            return
        with (
            LocalCluster(
                n_workers=self.workers,
                threads_per_worker=1,
                dashboard_address=None,
                scheduler_kwargs={"dashboard": False},
                silence_logs="ERROR",
            ) as cluster,
            Client(cluster, set_as_default=False) as client,
        ):
            yield client


def _compute(task: Task, block: int) -> Done:
    return Done(block, task(block))
