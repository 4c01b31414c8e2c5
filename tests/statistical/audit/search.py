"""The search itself: settings one after the other, kept in a store, and the page of findings."""

import json
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from abovechance.resampling import Processes, Serial, Store
from statistical.audit import bands, group_maps, validated
from statistical.audit.settings import drawn
from statistical.audit.trials import CONFIRM, SCREEN, examine

MOST = 100_000  # settings of one seed


@dataclass(frozen=True)
class Look:
    """What a worker does with one setting; its answer is JSON in an array, as stores keep.

    `room` says how settings are drawn and examined: that of predictions, of group maps, of
    trained models, or of bands of curves.
    """

    seed: int
    room: Literal["predictions", "maps", "trained", "bands"] = "predictions"

    def __call__(self, block: int) -> Any:
        started = time.process_time()
        found = self.examined(block)
        found["seconds"] = round(time.process_time() - started, 2)
        return np.frombuffer(json.dumps(found).encode(), dtype=np.uint8)

    def examined(self, block: int) -> dict[str, Any]:
        """What is found in a setting."""
        if self.room == "maps":
            return group_maps.examine(group_maps.drawn(self.seed, block))
        if self.room == "bands":
            return bands.examine(bands.drawn(self.seed, block))
        if self.room == "trained":
            curve = validated.of_curve(self.seed, block)
            return validated.examine(validated.drawn(self.seed, block), curve)
        return examine(drawn(self.seed, block))


def run(look: Look, minutes: float, workers: int, path: Path, most: int) -> dict[int, Any]:
    """Everything known of a seed after some minutes, the stored part included."""
    ends = time.monotonic() + 60.0 * minutes
    executor = Serial() if workers == 1 else Processes(workers)
    about = {
        "audit": 1,
        "seed": look.seed,
        **({} if look.room == "predictions" else {"room": look.room}),
    }
    with Store(path, configuration=about).open("audit", {}) as shelf:
        done = {b: _read(shelf.load(b)) for b in shelf.blocks()}
        blocks = [b for b in range(most) if b not in done]
        if blocks and time.monotonic() < ends:
            for block, value in executor.map(look, blocks):
                shelf.save(block, value)
                done[block] = _read(value)
                _show(done)
                if time.monotonic() > ends:
                    break
    print(file=sys.stderr)
    return dict(sorted(done.items()))


def _read(value: Any) -> Any:
    return json.loads(bytes(value))


def _show(done: dict[int, Any]) -> None:
    found = sum(len(d["findings"]) for d in done.values())
    suspects = sum(bool(d["suspects"]) for d in done.values())
    print(f"\r{len(done)} settings, {suspects} suspect, {found} findings", end="", file=sys.stderr)


NAMED = {
    "predictions": "",
    "maps": ", group maps",
    "trained": ", trained models",
    "bands": ", bands",
}


CLAIMS = {"predictions": "intervals", "maps": "claims", "trained": "intervals", "bands": "bands"}


def table(look: Look, done: dict[int, Any]) -> str:
    """The findings as a page, with how to see each again."""
    command = f"./run audit --seed {look.seed}"
    command += "" if look.room == "predictions" else f" --{look.room}"
    few, many = SCREEN, CONFIRM
    if look.room != "predictions":
        room: Any = {"maps": group_maps, "trained": validated, "bands": bands}[look.room]
        few, many = room.SCREEN, room.CONFIRM
    hours = sum(d["seconds"] for d in done.values()) / 3600.0
    suspects = sum(bool(d["suspects"]) for d in done.values())
    rows = [(i, d["words"], f) for i, d in done.items() for f in d["findings"]]
    kinds = Counter(f["what"].partition(":")[0] for _, _, f in rows)
    lines = [
        f"# Audit of seed {look.seed}{NAMED[look.room]}",
        "",
        f"{len(done)} settings drawn, {sum(d['intervals'] for d in done.values())} "
        f"{CLAIMS[look.room]} screened with {few} replications each; {suspects} "
        f"settings were suspect and looked at again with {many} new replications; {len(rows)} "
        f"findings; {hours:.2f} CPU-hours.",
        "",
        f"Made by `{command}`; a row is seen again by `{command} --setting NUMBER`.",
        "",
        *(f"- {name}: {count}" for name, count in sorted(kinds.items())),
        "",
        "| setting | measure | what | figure | in words |",
        "|---|---|---|---|---|",
        *(
            f"| {i} | {f['measure']} | {f['what']} | {f['figure']} | {words} |"
            for i, words, f in rows
        ),
    ]
    return "\n".join(lines) + "\n"
