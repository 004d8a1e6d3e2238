"""The twelve promises, which figure each has to reach, and which tests stand for it."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Promise:
    """What is promised. `at_least` and `none_of` name figures of its tests; others of them are shown as well."""

    number: int
    text: str
    at_least: Mapping[str, int]
    none_of: tuple[str, ...]
    tests: tuple[str, ...]
    shown: tuple[str, ...] = field(default=())


_KILLED = (
    "test_killed.py", "test_killed_at_syscalls.py", "test_turns_killed_at_syscalls.py", "test_killed_conversations.py",
    "test_readings_killed.py", "test_sync_killed.py", "test_queue_killed.py", "test_reindex_killed.py",
    "test_places_killed.py",
)  # fmt: skip

PROMISES = (
    Promise(
        1,
        "What was acknowledged survives a process that is killed",
        {"kill_points": 5_000},
        ("lost", "half_done"),
        tuple(f"tests/reliability/{name}" for name in _KILLED),
    ),
    Promise(
        2,
        "… and a loss of power",
        {"images": 10_000},
        ("lost", "damaged"),
        ("tests/reliability/disk/test_power_loss.py", "tests/reliability/disk/test_originals_synced.py"),
    ),
    Promise(
        3,
        "An error of the disk is reported, never swallowed",
        {"faults": 1_000},
        ("false_acknowledgements",),
        (
            "tests/reliability/disk/test_io_faults.py",
            "tests/storage/test_no_room.py",
            "tests/storage/test_reserve.py",
        ),
        ("reported",),
    ),
    Promise(
        4,
        "Many processes share one store",
        {"processes": 8, "seconds": 600},
        ("locked", "lost", "doubled"),
        (
            "tests/reliability/test_mixed_load.py",
            "tests/reliability/test_many_processes.py",
            "tests/reliability/test_compacting_at_once.py",
            "tests/reliability/test_sync_at_once.py",
            "tests/reliability/test_same_turn.py",
        ),
        ("verbs",),
    ),
    Promise(
        5,
        "The same fact is kept once",
        {"offers": 8 * 200 * 2},
        ("kept_twice", "missing"),
        ("tests/reliability/test_many_processes.py::test_the_same_facts_are_kept_once",),
        ("facts",),
    ),
    Promise(
        6,
        "Trouble with an embedding provider blocks nothing and loses nothing",
        {"cases": 150},
        ("lost",),
        ("tests/embedding_service/test_faults.py", "tests/conformance/test_degraded.py"),
    ),
    Promise(
        7,
        "The embedding model changes without a pause",
        {"changes_killed": 50, "searches": 1_000},
        ("failed_searches", "mixed_rankings"),
        ("tests/reliability/test_model_change_killed.py", "tests/conformance/test_spaces.py"),
    ),
    Promise(
        8,
        "No user sees what belongs to another",
        {"calls": 20_000, "mutants_noticed": 10},
        ("foreign_rows",),
        ("tests/service/isolation", "tests/storage/test_row_security.py"),
    ),
    Promise(
        9,
        "What is forgotten is gone",
        {"canaries": 2_000},
        ("left",),
        (
            "tests/reliability/test_forgotten.py",
            "tests/reliability/test_forgotten_conversations.py",
            "tests/reliability/test_forgotten_files.py",
            "tests/reliability/test_never_on_disk.py",
            "tests/reliability/test_purged.py",
        ),
        ("columns",),
    ),
    Promise(
        10,
        "No input makes the service fail",
        {"requests": 100_000},
        ("answers_5xx",),
        ("tests/service/fuzz",),
    ),
    Promise(
        11,
        "Backups restore",
        {"backups": 20},
        ("not_restored", "differences"),
        (
            "tests/reliability/test_backup.py",
            "tests/reliability/test_point_in_time.py",
            "tests/conformance/test_backup.py",
        ),
        ("acknowledged",),
    ),
    Promise(
        12,
        "PostgreSQL may vanish and come back",
        {"crashes": 20},
        ("lost",),
        ("tests/service/restart/test_server_restarts.py", "tests/reliability/test_server_crashes.py"),
        ("acknowledged", "healed_ms"),
    ),
)

# What else may happen to a store.
FURTHER = (
    Promise(
        13,
        "A forked process harms nothing",
        {"children": 60},
        ("lost", "hung"),
        ("tests/reliability/test_forked.py",),
        ("acknowledged",),
    ),
    Promise(
        14,
        "A clock that jumps leaves no job waiting and no key open",
        {"jumps": 10},
        ("left_waiting", "left_open"),
        ("tests/conformance/test_clock_jumps.py",),
    ),
    Promise(
        15,
        "A damaged file costs what was damaged, and no answer is wrong",
        {"flips": 1_000},
        ("wrong_answers",),
        ("tests/reliability/test_byte_flips.py", "tests/storage/repair"),
        ("refused",),
    ),
    Promise(
        16,
        "It reads nothing that was not given",
        {"hostile_archives": 200},
        ("changed", "answers_5xx", "foreign_bytes"),
        ("tests/reliability/test_hostile_archives.py", "tests/conformance/test_archives_from_outside.py"),
        ("refused",),
    ),
    Promise(
        17,
        "A difference in meaning is never a duplicate",
        {"pairs": 800, "styled": 400, "messages": 60},
        ("dropped", "kept_twice"),
        ("tests/reliability/test_same_meaning.py",),
        ("known_again",),
    ),
    Promise(
        18,
        "What derives from the forgotten stays forgotten",
        {"lives": 100},
        ("back_again",),
        ("tests/reliability/test_back_again.py",),
        ("words_forgotten",),
    ),
)
