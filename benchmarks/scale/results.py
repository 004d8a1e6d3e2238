"""What was measured of all stores, as figures with bars and as tables."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.figures import Figure
from benchmarks.quality.intervals import Interval
from benchmarks.scale.probe import Probe
from benchmarks.scale.stores import BuiltStore

_CPU_MS, _MEMORY_MB = 60.0, 600.0
_GROWTH, _OF_STORE = 4.0, 1.5
_QUALITY = 0.9


@dataclass(frozen=True, slots=True)
class Measured:
    """A store of one user. `quality` is R@10 of each set in percent, `agreement` that of the vector part with exact."""

    built: BuiltStore
    probe: Probe
    backup_cpu_s: float
    quality: Mapping[str, Interval]
    agreement: float


@dataclass(frozen=True, slots=True)
class MeasuredUsers:
    """A store of many users: recalls of some of the small ones, and of one with a thousand memories."""

    built: BuiltStore
    users: int
    small: Probe
    middle: Probe


@dataclass(frozen=True, slots=True)
class Results:
    """All of it, by size."""

    giants: Sequence[Measured]
    shared: Sequence[MeasuredUsers]

    def figures(self) -> Iterator[Figure]:
        """Compare the largest store with the one before and with the bars."""
        before, last = self.giants[-2:]
        rows = f"{last.built.rows:,}"
        ours, peer = (max(one.probe.usual.cpu_p95, one.probe.common.cpu_p95) for one in (last, before))
        detail = f"{ours:.1f} ms of processor time against {peer:.1f} ms"
        name = f"recall p95 of a user with {rows} memories"
        yield Figure(f"{name}, against {before.built.rows:,}", ours / peer, _GROWTH, "at most", detail)
        yield Figure(f"{name}, against 60 ms of CPU", ours / _CPU_MS, 1.0, "at most", f"{ours:.1f} ms")
        peak = last.probe.peak_mb
        yield Figure(
            f"memory of a process that recalls among {rows}, in 600 MB",
            peak / _MEMORY_MB,
            1.0,
            "at most",
            f"{peak:.0f} MB",
        )
        share = last.agreement
        yield Figure(f"top-10 agreement with the exact scan of {rows}", share, 0.99, "at least", "50 questions")
        for name, least in self.giants[0].quality.items():
            mean = last.quality[name].mean
            detail = f"R@10 {mean:.1f} % against {least.mean:.1f} %"
            title = f"answers of {name} among {rows} memories, against {self.giants[0].built.rows:,}"
            yield Figure(title, mean / least.mean, _QUALITY, "at least", detail)
        few, many = self.shared
        for what, one, other in (
            ("10 to 100", many.small, few.small),
            ("1,000", many.middle, few.middle),
        ):
            ours, peer = one.usual.cpu_p50, other.usual.cpu_p50
            detail = f"{ours:.2f} ms of processor time against {peer:.2f} ms"
            title = f"recall of a user with {what} memories among {many.users:,} users, against {few.users:,}"
            yield Figure(title, ours / peer, _OF_STORE, "at most", detail)

    def table(self) -> str:
        """Lay out a column per store of one user."""
        rows: dict[str, list[str]] = {
            "memories of one user": [f"{one.built.rows:,}" for one in self.giants],
            "recall, CPU p50 / p95, ms": [
                f"{one.probe.usual.cpu_p50:.1f} / {one.probe.usual.cpu_p95:.1f}" for one in self.giants
            ],
            "recall, by the clock p50 / p95, ms": [
                f"{one.probe.usual.wall_p50:.0f} / {one.probe.usual.wall_p95:.0f}" for one in self.giants
            ],
            "recall with common words, CPU p50 / p95, ms": [
                f"{one.probe.common.cpu_p50:.1f} / {one.probe.common.cpu_p95:.1f}" for one in self.giants
            ],
            "opening, CPU s": [f"{one.probe.open_s:.2f}" for one in self.giants],
            "first recall of a process, CPU s": [f"{one.probe.first_recall_s:.2f}" for one in self.giants],
            "recall after a memory was forgotten, CPU ms": [f"{one.probe.after_forget_ms:.0f}" for one in self.giants],
            "storing one memory, CPU ms": [f"{one.probe.remember_ms:.0f}" for one in self.giants],
            "forgetting one memory, CPU ms": [f"{one.probe.forget_ms:.0f}" for one in self.giants],
            "peak memory of the process, MB": [f"{one.probe.peak_mb:.0f}" for one in self.giants],
            "file, MB": [f"{one.built.bytes / 1e6:.0f}" for one in self.giants],
            "loading the last 10,000, rows per CPU second": [
                f"{one.built.load_rows_per_s:,.0f}" for one in self.giants
            ],
            "`maintain` after loading, CPU s": [f"{one.built.maintain_cpu_s:.1f}" for one in self.giants],
            "backup, CPU s": [f"{one.backup_cpu_s:.1f}" for one in self.giants],
        }
        rows["top 10 by vectors, as by an exact scan, %"] = [f"{100 * one.agreement:.1f}" for one in self.giants]
        for name in self.giants[0].quality:
            rows[f"R@10 of {name}, %"] = [f"{one.quality[name].mean:.1f}" for one in self.giants]
        return table(rows)

    def table_of_users(self) -> str:
        """Lay out a column per store of many users."""
        return table(
            {
                "users": [f"{one.users:,}" for one in self.shared],
                "memories of all users": [f"{one.built.rows:,}" for one in self.shared],
                "recall of a user with 10 to 100 memories, CPU p50 / p95, ms": [
                    f"{one.small.usual.cpu_p50:.1f} / {one.small.usual.cpu_p95:.1f}" for one in self.shared
                ],
                "recall of a user with 1,000 memories, CPU p50 / p95, ms": [
                    f"{one.middle.usual.cpu_p50:.1f} / {one.middle.usual.cpu_p95:.1f}" for one in self.shared
                ],
                "opening and first recall, CPU s": [
                    f"{one.small.open_s + one.small.first_recall_s:.2f}" for one in self.shared
                ],
                "peak memory of the process, MB": [f"{one.small.peak_mb:.0f}" for one in self.shared],
                "file, MB": [f"{one.built.bytes / 1e6:.0f}" for one in self.shared],
            }
        )


def table(rows: Mapping[str, Sequence[str]]) -> str:
    """Lay out rows by their names; the first is the head."""
    lines = [f"| {name} | {' | '.join(cells)} |" for name, cells in rows.items()]
    width = len(next(iter(rows.values())))
    return "\n".join((lines[0], f"| --- |{' ---: |' * width}", *lines[1:]))
