"""joins of random frames with labels of any kind, which may repeat: every column holds what it should, no two are one.

`HEADSTART_FRAMES_TRIED=2000` tries as many frames instead of a few hundred.
"""

import itertools
import os
import random

import numpy
import pandas
import pytest

import headstart as hs

FRAMES = int(os.environ.get("HEADSTART_FRAMES_TRIED", "300"))
WHEN = pandas.Timestamp("2026-01-01")
LABELS = [0, "0", 1, "1", 1.5, None, ("a", 1), "('a', 1)", "a", "a_x", "a_y", "0_x"]
LABELS += ["k", "k_y", "", numpy.nan, ("a", "b"), True, WHEN, b"0", -1, "x_", "_x"]
SUFFIXES = [("_x", "_y"), (None, "_y"), ("_x", None), ("", "_r"), (None, None)]
SUFFIXES += [("_x", "_x")]
HOWS = ["left", "inner", "right", "outer", "semi", "anti"]
A_ROWS, B_ROWS = 4, 3


class Frame:
    """A random frame of texts that say where they stand, but for the key."""

    def __init__(self, draw, side, rows):
        self.labels = [draw.choice(LABELS) for _ in range(draw.randint(1, 6))]
        self.key = draw.randrange(len(self.labels))
        width = range(len(self.labels))
        self.rows = [[f"{side}{row}{place}" for place in width] for row in range(rows)]
        for row in self.rows:
            row[self.key] = draw.choice("pqrs")

    def pandas(self):
        frame = pandas.DataFrame(self.rows)
        frame.columns = pandas.Index(self.labels, dtype=object, tupleize_cols=False)
        return frame

    def keys(self):
        return [row[self.key] for row in self.rows]

    def repeats_key(self):
        return sum(same(label, self.labels[self.key]) for label in self.labels) > 1


def same(one, other):
    return one is other or (type(one) is type(other) and one == other)


def wanted_rows(a, b, how):
    """Pairs of row numbers, `None` for no row."""
    matches = {
        (row, other)
        for row, other in itertools.product(range(A_ROWS), range(B_ROWS))
        if a.keys()[row] == b.keys()[other]
    }
    lefts, rights = {row for row, _ in matches}, {other for _, other in matches}
    if how == "semi":
        return [(row, None) for row in sorted(lefts)]
    if how == "anti":
        return [(row, None) for row in range(A_ROWS) if row not in lefts]
    if how == "right":
        alone = {(None, other) for other in range(B_ROWS) if other not in rights}
        return sorted(matches | alone, key=lambda pair: (pair[1], pair[0] or 0))
    alone = {(row, None) for row in range(A_ROWS) if row not in lefts}
    rows = sorted(
        matches | (alone if how != "inner" else set()),
        key=lambda pair: (pair[0], pair[1] or 0),
    )
    if how == "outer":
        rows += [(None, other) for other in range(B_ROWS) if other not in rights]
    return rows


@pytest.mark.parametrize("seed", range(FRAMES))
def test_labels_of_any_kind(seed):
    draw = random.Random(seed)
    a, b = Frame(draw, "a", A_ROWS), Frame(draw, "b", B_ROWS)
    key = a.labels[a.key], b.labels[b.key]
    how, suffixes = draw.choice(HOWS), draw.choice(SUFFIXES)
    ask = a.pandas(), b.pandas(), [key], how, "m:m"
    if None in key:
        with pytest.raises(hs.TypeMismatchError, match="key: expected a column"):
            hs.joins(*ask, suffixes=suffixes)
        return
    if a.repeats_key() or b.repeats_key():
        with pytest.raises(hs.ArgumentError, match="expected one column"):
            hs.joins(*ask, suffixes=suffixes)
        return
    result = hs.joins(*ask, suffixes=suffixes)
    once = str(key[0]) == str(key[1])
    places = [(a, place) for place in range(len(a.labels))]
    if how not in ("semi", "anti"):
        others = range(len(b.labels))
        places += [(b, place) for place in others if not (once and place == b.key)]
    assert result.shape[1] == len(places)
    for number, (frame, place) in enumerate(places):
        column = []
        for row, other in wanted_rows(a, b, how):
            at = row if frame is a else other
            value = None if at is None else frame.rows[at][place]
            if at is None and once and frame is a and place == a.key:
                value = b.keys()[other]
            column.append(value)
        found = result.iloc[:, number].tolist()
        assert [None if pandas.isna(value) else value for value in found] == column
    labels = result.columns.tolist()
    kept = []
    for label, (frame, place) in zip(labels, places, strict=True):
        kept.append(same(label, frame.labels[place]))
        if not kept[-1]:
            there = b if frame is a else a
            assert str(frame.labels[place]) in map(str, there.labels)
    # Only a frame's own labels, left as they are, may read alike.
    for one, two in itertools.combinations(range(len(places)), 2):
        if str(labels[one]) == str(labels[two]):
            assert kept[one]
            assert kept[two]
            assert places[one][0] is places[two][0]
