"""Conditions of `hs verifie` beside duckdb: random ones on random tables, equal truths on every row.

`pytest --expressions 5000` looks longer. Where the two differ on purpose (docs/verifie.md), the generator keeps away:
big ints beside floats, NaN, types that do not go together.
"""

import json
import random
import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

HS = Path(sys.executable).parent / "hs"
TEXTS = ["", "a", "b", "ab", "AB", "a_b", "10%", "é", "ab ", "zz"]
PATTERNS = ["a%", "%b", "_b", "%", "", "a!_b", "%!%", "A%", "_"]
DATES = ["2024-02-28", "2024-02-29", "2026-01-01", "2026-12-31"]


class Conditions:
    """Makes conditions; all choices come from one seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def pick(self, *choices):
        return self.random.choice(choices)

    def number(self, depth: int, whole: bool = False) -> str:
        if depth <= 0 or self.random.random() < 0.3:
            literals = ["0", "1", "-3", "7"] + (
                [] if whole else ["0.5", "1.25", "-2.0"]
            )
            columns = ["i", "j"] + ([] if whole else ["f", "f"])
            return self.pick(*columns, *columns, *literals, "NULL")
        a, b = self.number(depth - 1, whole), self.number(depth - 1, whole)
        c = self.condition(depth - 1)
        made = [
            f"({a} + {b})",
            f"({a} - {b})",
            f"({a} * {b})",
            f"abs({a})",
            f"(- {a})",
            f"(CASE WHEN {c} THEN {a} ELSE {b} END)",
            f"length({self.text(depth - 1)})",
            f"({self.date()} - {self.date()})",
            f"({self.number(0, True)} % {self.number(0, True)})",
        ]
        if not whole:
            made += [f"({a} / {b})", f"round({a})", f"round({a}, 1)"]
        return self.pick(*made)

    def text(self, depth: int) -> str:
        if depth <= 0 or self.random.random() < 0.5:
            return self.pick("t", "u", "t", f"'{self.pick(*TEXTS)}'")
        a, b = self.text(depth - 1), self.text(depth - 1)
        c = self.condition(depth - 1)
        return self.pick(
            f"lower({a})", f"upper({a})", f"(CASE WHEN {c} THEN {a} ELSE {b} END)"
        )

    def date(self) -> str:
        return self.pick("d", "e", "d", f"DATE '{self.pick(*DATES)}'")

    def condition(self, depth: int) -> str:
        if depth <= 0:
            return self.pick("b", "c", "TRUE", "i > 0", "t = 'a'", "b")
        compare = self.pick("=", "<>", "<", "<=", ">", ">=")
        a, b, c = (self.number(depth - 1) for _ in range(3))
        s, t = self.text(depth - 1), self.text(depth - 1)
        p, q = self.condition(depth - 1), self.condition(depth - 1)
        no = self.pick("", "NOT ")
        return self.pick(
            f"({a} {compare} {b})",
            f"({s} {compare} {t})",
            f"({self.date()} {compare} {self.date()})",
            f"(d {compare} '{self.pick(*DATES)}')",
            f"({a} {no}IN ({b}, {c}))",
            f"({s} {no}IN ('a', 'b', NULL, {t}))",
            f"(i {no}IN (0, 1, 2, 3, 4, 5, 6, 7, 8, NULL))",
            f"(t {no}IN ('', 'a', 'b', 'ab', 'AB', 'x', 'y', 'z', 'zz'))",
            f"({a} {no}BETWEEN {b} AND {c})",
            f"({s} {no}LIKE '{self.pick(*PATTERNS)}' ESCAPE '!')",
            f"({a} IS {no}NULL)",
            f"({s} IS {no}NULL)",
            f"({p} AND {q})",
            f"({p} OR {q})",
            f"(NOT {p})",
            f"({p} IS {no}TRUE)",
            f"({a} IS {no}DISTINCT FROM {b})",
            f"(CASE WHEN {p} THEN {q} ELSE {self.condition(0)} END)",
            f"(CASE {a} WHEN {b} THEN {p} WHEN {c} THEN {q} END)",
        )

    def aggregate(self) -> str:
        n = self.number(1)
        w = self.number(1, whole=True)
        whole = self.pick(
            "count(*)",
            f"count({n})",
            f"count(distinct {w})",
            f"count(distinct {self.text(1)})",
            f"sum({w})",
            f"min({n})",
            f"max({n})",
            f"avg({w})",
            f"sum(CASE WHEN {self.condition(1)} THEN 1 ELSE 0 END)",
        )
        return (
            f"({whole} {self.pick('<', '=', '>=')} {self.pick('0', '3', '7', '20.5')})"
        )


def table(rng: random.Random, rows: int) -> pa.Table:
    def column(make, kind):
        gaps = rng.choice([0, 0.2, 0.2, 1])
        return pa.array(
            [None if rng.random() < gaps else make() for _ in range(rows)], kind
        )

    import datetime

    def day():
        return datetime.date.fromisoformat(rng.choice(DATES))

    return pa.table(
        {
            "i": column(lambda: rng.randint(-3, 9), pa.int64()),
            "j": column(lambda: rng.randint(0, 4), pa.int8()),
            "f": column(lambda: rng.choice([0.0, 0.5, -1.5, 2.0, 0.1]), pa.float64()),
            "t": column(lambda: rng.choice(TEXTS), pa.string()),
            "u": column(lambda: rng.choice(TEXTS), pa.string()),
            "b": column(lambda: rng.random() < 0.5, pa.bool_()),
            "c": column(lambda: rng.random() < 0.5, pa.bool_()),
            "d": column(day, pa.date32()),
            "e": column(day, pa.date32()),
        }
    )


def theirs(connection, condition: str, whole: bool) -> tuple[int, int] | None:
    """How often it is not true, and how often unknown; None where duckdb refuses."""
    try:
        if whole:
            truth = connection.execute(f"SELECT {condition} FROM t").fetchone()[0]
            return int(truth is not True), int(truth is None)
        counts = connection.execute(
            f"SELECT count(*) FILTER ({condition} IS NOT TRUE), "
            f"count(*) FILTER ({condition} IS NULL) FROM t"
        )
        return counts.fetchone()
    except duckdb.Error:
        return None


def ours(path: Path, conditions: list[str]) -> list[tuple[int, int]]:
    checks = []
    for number, condition in enumerate(conditions):
        checks += [f"n{number}={condition}", f"k{number}=({condition}) IS NOT NULL"]
    done = subprocess.run(
        [HS, "verifie", path, *checks, "--format", "json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    answer = json.loads(done.stdout)
    failed = [
        int(not row["ok"]) if row["failed"] is None else row["failed"]
        for row in answer["data"]
    ]
    return list(zip(failed[::2], failed[1::2], strict=True))


def test_random_conditions_are_true_where_duckdb_says(tmp_path, expressions):
    rng = random.Random(20261130)
    conditions = Conditions(7)
    each = 40
    refused = 0
    for number in range(max(1, expressions // each)):
        frame = table(rng, rng.choice([0, 1, 7, 30, 30, 30]))
        path = tmp_path / f"{number}.parquet"
        pq.write_table(frame, path)
        connection = duckdb.connect()
        connection.execute("SET error_on_division_by_zero = false")
        connection.execute("SET ieee_floating_point_ops = false")
        connection.register("t", frame)
        wanted, asked = [], []
        for _ in range(each):
            whole = rng.random() < 0.2
            condition = conditions.aggregate() if whole else conditions.condition(3)
            # A condition without columns is one truth, and not one for each row.
            if not whole and not any(
                f"{before}{name}{after}" in f" {condition} "
                for name in frame.column_names
                for before in " (-,"
                for after in " ),"
            ):
                continue
            answer = theirs(connection, condition, whole)
            if answer is None:
                refused += 1
                continue
            wanted.append(answer)
            asked.append(condition)
        for condition, right, found in zip(
            asked, wanted, ours(path, asked), strict=True
        ):
            assert found == right, f"{condition}\n{frame.to_pydict()}"
    # duckdb refuses what overflows its decimals; most must be compared.
    assert refused < expressions / 4
