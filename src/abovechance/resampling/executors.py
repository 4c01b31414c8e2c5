"""Where blocks are computed: in this process, in several, or on a Dask cluster."""

import logging
import os
import pickle
import signal
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, Protocol, TypeAlias, cast

from abovechance.errors import AboveChanceError, Unfinished

# ----------------------------------------------------------------------------------------------
# Where blocks are computed: in this process, or in several.
#
# An executor has one method, `map(task, blocks)`, which yields (block, task(block)) in whatever
# order blocks finish. It may compute a block twice; it never loses one.
# ----------------------------------------------------------------------------------------------


Task = Callable[[int], Any]


class Executor(Protocol):
    """Anything that computes blocks."""

    def map(self, task: Task, blocks: Iterable[int]) -> Iterator[tuple[int, Any]]: ...


Workers: TypeAlias = int | Executor
"""So many processes on this machine, or an executor."""


@dataclass(frozen=True)
class Serial:
    """Computes one block after the other, in this process: what `workers=1` does.

    See Also
    --------
    Processes, Dask : several blocks at once.

    Examples
    --------
    >>> dict(Serial().map(lambda block: block**2, range(3)))
    {0: 0, 1: 1, 2: 4}
    """

    def map(self, task: Task, blocks: Iterable[int]) -> Iterator[tuple[int, Any]]:
        """Each block with its result, in order."""

        for block in blocks:
            yield block, task(block)


@dataclass(frozen=True)
class Processes:
    """Fresh processes on this machine; the block of a worker that dies is done again.

    Parameters
    ----------
    workers
        Number of processes.
    tries
        A block that ends its worker as many times ends the run: something in it is fatal. So do
        as many workers that die one after the other before they have started.
    main
        Whether workers know what the script that started them defines, and so run it again: it
        must guard what it does by ``if __name__ == "__main__"``.

    Raises
    ------
    Unfinished
        When a block, or the start of workers, fails as many times, and when what is to be
        computed cannot be pickled.

    See Also
    --------
    Dask : many machines.

    Examples
    --------
    >>> dict(Processes(1).map(float, [3]))
    {3: 3.0}
    """

    workers: int
    tries: int = 5
    main: bool = field(default=True, repr=False)  # whether workers know what the script defines

    def map(self, task: Task, blocks: Iterable[int]) -> Iterator[tuple[int, Any]]:
        """Each block with its result, in the order in which they finish."""

        queue, failures, stillborn = deque(blocks), Counter[int](), 0
        size = min(self.workers, len(queue))
        with _written(task) as path, _Team(path, self.main) as team:
            while queue or team.busy:
                while queue and len(team.busy) < size:
                    team.give(queue.popleft())
                for block, answer in team.answers():
                    if isinstance(answer, Lost):
                        queue.appendleft(block)
                        failures[block] += answer.started
                        stillborn = 0 if answer.started else stillborn + 1
                        if failures[block] >= self.tries:
                            raise Unfinished(_fatal(block, self.tries, answer.code))
                        if stillborn >= self.tries:
                            raise Unfinished(_unable(stillborn, answer.code))
                    else:
                        stillborn = 0
                        yield block, _value(answer)


CORES = "ABOVECHANCE_WORKERS"  # the environment variable that bounds processes nobody asked for
PAYS = 5.0  # seconds of work that repay starting processes, which read Python anew
LOADING = 3.0  # seconds that a first block may spend on modules and on compiling
MOST_COPIES = 2**31  # bytes of the data that all processes together may hold


def cores() -> int:
    """How many processors this process may use; no more than ABOVECHANCE_WORKERS says."""
    there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    stated = os.environ.get(CORES, "").strip()
    if not stated:
        return there or 1
    if not stated.isdigit() or int(stated) < 1:
        raise AboveChanceError(f"{CORES} must be a whole number from 1 on; got {stated!r}.")
    return min(int(stated), there or 1)


@dataclass(frozen=True)
class Automatic:
    """One block after the other in this process, and the rest in several where that pays.

    What `workers="auto"` does. Blocks hold the same numbers wherever they are computed, so that
    the time the first of them took decides only when the answer comes. A script that does not
    guard what it does by `if __name__ == "__main__"` is not run again; what only it defines
    cannot be sent, and then all is done here, as it is where processes do not start.
    """

    clock: Callable[[], float] = time.perf_counter

    def map(self, task: Task, blocks: Iterable[int]) -> Iterator[tuple[int, Any]]:
        """Each block with its result, in the order in which they finish."""
        queue, least, loading = deque(blocks), float("inf"), LOADING
        while queue:
            block, begun = queue.popleft(), self.clock()
            value = task(block)
            spent, loading = self.clock() - begun - loading, 0.0
            least = min(least, spent) if spent >= 0.0 else least
            yield block, value
            if len(queue) > 1 and PAYS < least * len(queue) < float("inf"):
                break
        if queue:
            yield from self._shared(task, queue)

    def _shared(self, task: Task, queue: "deque[int]") -> Iterator[tuple[int, Any]]:
        left = dict.fromkeys(queue)
        several = self._processes(task, len(queue))
        if several > 1:
            with suppress(Unfinished):
                for block, value in Processes(several, main=False).map(task, queue):
                    del left[block]
                    yield block, value
        for block in left:
            yield block, task(block)

    def _processes(self, task: Task, blocks: int) -> int:
        """How many processes to start; none where they could not do the work."""
        from multiprocessing import current_process

        if current_process().daemon or cores() < 2:
            return 1
        try:
            payload = pickled(task)
        except Unfinished:
            return 1
        if b"__main__" in payload:  # what only the script defines
            return 1
        return min(cores(), blocks, max(1, MOST_COPIES // len(payload)))


@dataclass(frozen=True)
class Lost:
    """A worker ended without an answer; `started` if it had come so far as to read its block."""

    code: int | None
    started: bool


@dataclass(frozen=True)
class Failed:
    """The task raised an exception."""

    error: BaseException
    trace: str


@dataclass(frozen=True)
class Started:
    """A worker is up and reads its block."""


class _Team:
    """Live workers: those with a block to do, and those waiting for one."""

    def __init__(self, path: Path, main: bool = True) -> None:
        from multiprocessing import get_context

        self.context = get_context("spawn")
        self.path = path
        self.born = nullcontext if main else _without_main
        self.busy: dict[Any, int] = {}
        self.idle: list[Any] = []
        self.process: dict[Any, Any] = {}
        self.started: set[Any] = set()

    def __enter__(self) -> "_Team":
        return self

    def __exit__(self, *exception: object) -> None:
        for process in self.process.values():
            process.terminate()
        for line, process in self.process.items():
            process.join(5)
            if process.is_alive():
                process.kill()
                process.join()
            line.close()
            process.close()

    def give(self, block: int) -> None:
        """Hand a block to a waiting worker, or to a new one."""
        line = self.idle.pop() if self.idle else self._hire()
        self.busy[line] = block
        with suppress(OSError):  # it died while waiting: `answers` finds its line closed
            line.send(block)

    def answers(self) -> Iterator[tuple[int, Any]]:
        """Wait until a worker has answered or died; say which block, and what."""
        from multiprocessing.connection import wait

        line: Any
        for line in wait(list(self.busy)):
            try:
                answer = line.recv()
            except (EOFError, OSError):
                answer = self._bury(line)
            if isinstance(answer, Started):
                self.started.add(line)
                continue
            if not isinstance(answer, Lost):
                self.idle.append(line)
            yield self.busy.pop(line), answer

    def _hire(self) -> Any:
        mine, theirs = self.context.Pipe()
        process = self.context.Process(target=_work, args=(theirs, self.path), daemon=True)
        with _deaf(), self.born():
            process.start()
        theirs.close()
        self.process[mine] = process
        return mine

    def _bury(self, line: Any) -> Lost:
        process = self.process.pop(line)
        process.join()
        lost = Lost(process.exitcode, line in self.started)
        self.started.discard(line)
        line.close()
        process.close()
        return lost


def _work(line: Any, path: Path) -> None:
    """The life of a worker: read the task, then answer blocks until the line closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    task: Task | None = None
    answer: Any = Started()
    while True:
        try:
            line.send(answer)
            block = line.recv()
        except (EOFError, OSError):
            return
        try:
            task = task or _loaded(path.read_bytes())
            answer = task(block)
        except BaseException as error:
            answer = _failed(error)


def _failed(error: BaseException) -> Failed:
    import traceback

    trace = "".join(traceback.format_exception(error))
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        error = RuntimeError(f"{type(error).__name__}: {error}")
    return Failed(error, trace)


def _value(answer: Any) -> Any:
    if isinstance(answer, Failed):
        answer.error.add_note(f"in a worker process:\n{answer.trace}")
        raise answer.error
    return answer


def pickled(task: Task) -> bytes:
    """A task as bytes, or the reason why it cannot travel."""
    try:
        return pickle.dumps(task, protocol=5)
    except Exception as error:
        raise _bound_here(error) from error


def _loaded(payload: bytes) -> Task:
    """A task from its bytes; in another process what it is made of may not be found by name."""
    try:
        return cast(Task, pickle.loads(payload))
    except Exception as error:
        raise _bound_here(error) from error


def _bound_here(error: Exception) -> Unfinished:
    """Not of the predictions but of how to compute: nobody may take it for a missing answer."""
    return Unfinished(
        f"several processes need a statistic that can be pickled ({error}); define it at the "
        "top of a module, not inside a function, or use workers=1"
    )


@contextmanager
def _written(task: Task) -> Iterator[Path]:
    """The task in a file, so that starting a worker never waits for it to read."""
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="abovechance-") as folder:
        path = Path(folder) / "task"
        path.write_bytes(pickled(task))
        yield path


@contextmanager
def _deaf() -> Iterator[None]:
    """Let a child be born with Ctrl-C blocked, so that it cannot die of it half-started."""
    if not hasattr(signal, "pthread_sigmask") or os.name != "posix":
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # started with the first child, it would unblock Ctrl-C
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _without_main() -> Iterator[None]:
    """Let a child be born that does not run the script again: nobody asked for it to be started."""
    script = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = script


def _fatal(block: int, times: int, code: int | None) -> str:
    return (
        f"block {block} ended its worker {times} times (exit code {code}); it may need more memory "
        "than there is: try fewer workers"
    )


def _unable(times: int, code: int | None) -> str:
    hint = (
        "a script must start its work under if __name__ == '__main__':"
        if code == 1
        else "there may be no memory left for them: try fewer workers"
    )
    return f"{times} workers ended before they had started (exit code {code}); {hint}"


# ----------------------------------------------------------------------------------------------
# Blocks on a Dask cluster: many machines, or the cores of this one.
# ----------------------------------------------------------------------------------------------


WINDOW = 4  # blocks under way for every thread of the cluster
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
    Unfinished
        If dask is not installed, when what is to be computed cannot be pickled, and when the
        cluster is lost.

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
            shared = client.submit(_loaded, payload, key=f"abovechance-{run}", pure=False)
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
        from concurrent.futures import CancelledError

        from distributed import KilledWorker

        if future.status == "cancelled" or future.status == "lost":
            raise self._gone(future.status)
        try:
            result = future.result(timeout=self.patience)
        except KilledWorker as error:
            raise Unfinished(
                f"block {block} ended its Dask workers again and again; they may need more memory"
            ) from error
        # cancelled: the connection was lost after its status was asked
        except (OSError, TimeoutError, CancelledError) as error:
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
            raise Unfinished(
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
