"""A host that asks anything at any time: each cell ends once, states are true, and nothing is left.

Seeded. `HEADSTART_SLOW=1` asks a hundred times as much.
"""

import json
import os
import random
import signal
import time

import pytest

SLOW = os.environ.get("HEADSTART_SLOW") == "1"
ROUNDS = 400 if SLOW else 40
SEEDS = range(10 if SLOW else 2)

#: Cells that end soon, that fail, and that end only when they are told to.
OTHERS = [
    "1 / 0",
    "for i in range(3000): print(i)",
    "print('é' * 60_000)",
    "import time; time.sleep(0.02)",
    "import asyncio; await asyncio.sleep(0.02)",
    "import asyncio; await asyncio.sleep(60)",
    "import time; time.sleep(60)",
    "while True: pass",
    "%%bash\nsleep 60",
    "def :",
    "",
    "exit()",
    "while True: print('x' * 999)",
    "import threading; threading.Timer(0.01, print, ['late']).start()",
    "import sys; sys.stdout.close()",
    "input()",
]
NONSENSE = [
    b"{",
    b"[]",
    b"\xff\xfe\0",
    b'{"type": "fly"}',
    b'{"type": "run"}',
    b"",
    b"7",
    b'"' * 999,
]


class Model:
    """What a host must be able to believe."""

    def __init__(self) -> None:
        #: For each cell that gives `n` a value, the value; for one that asks, None.
        self.sets: dict[str, int | None] = {}
        self.runs: list[str] = []
        #: Values that `n` may have now, and the kernel that holds it.
        self.may: set[int | None] = {None}
        self.generation = 0

    def check(self, event: dict) -> None:
        """Takes the end of a cell in; asserts that what it says of `n` is true."""
        name = event["id"]
        if name not in self.sets:
            return
        if event["generation"] != self.generation:
            self.generation, self.may = event["generation"], {None}
        value = self.sets[name]
        if event["status"] == "error":
            assert event["error"]["ename"] == "KeyboardInterrupt", event
            # It may have been stopped before or behind the assignment.
            if value is not None:
                self.may.add(value)
        elif value is not None:
            self.may = {value}
        else:
            found = json.loads(event["output"].strip() or "null")
            assert found in self.may, (event, self.may)
            self.may = {found}


def step(host, model: Model, choice: random.Random, number: int) -> bytes:
    """One request, as a line."""
    what = choice.random()
    if what < 0.25:
        name, line = host.line("run", code=f"n = {number}", queue=choice.random() < 0.9)
        model.sets[name] = number
        model.runs.append(name)
    elif what < 0.45:
        code = "import json; print(json.dumps(globals().get('n')))"
        name, line = host.line("run", code=code, queue=choice.random() < 0.9)
        model.sets[name] = None
        model.runs.append(name)
    elif what < 0.62:
        options = (
            {"timeout_s": choice.choice([0, 0.01, 5])} if choice.random() < 0.2 else {}
        )
        name, line = host.line(
            "run", code=choice.choice(OTHERS), queue=choice.random() < 0.8, **options
        )
        model.runs.append(name)
    elif what < 0.82:
        known = model.runs[-8:] or ["nobody"]
        line = host.line(
            "cancel",
            **(
                {"run": choice.choice(known)}
                if choice.random() < 0.7
                else {"id": choice.choice(known)}
            ),
        )[1]
    elif what < 0.86:
        line = host.line(
            "wait", run=choice.choice(model.runs or ["nobody"]), timeout_s=0.01
        )[1]
    elif what < 0.90:
        line = host.line(
            "read",
            run=choice.choice(model.runs or ["nobody"]),
            from_line=choice.randrange(1, 99),
        )[1]
    elif what < 0.95:
        line = host.line(choice.choice(["status", "list", "hello", "search"]))[1]
    elif what < 0.97:
        line = choice.choice(NONSENSE) + b"\n"
    elif what < 0.985:
        line = host.line("open")[1]
    else:
        line = host.line("restart")[1]
    return line


@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_a_host_asks_each_cell_ends_once_and_states_are_true(start, seed):
    choice, model = random.Random(seed), Model()
    host = start()
    for number in range(ROUNDS):
        lines = [
            step(host, model, choice, number)
            for _ in range(choice.choice([1, 1, 2, 5]))
        ]
        host.write(b"".join(lines))
        if choice.random() < 0.03:
            pid = host.ask("status").get("pid")
            if pid is not None:
                kill(pid)
        if choice.random() < 0.3:
            settle(host, model)
    settle(host, model)
    for name in model.runs:
        ends = [
            e
            for e in host.events
            if e.get("id") == name and e["type"] in ("result", "error", "cancelled")
        ]
        # A cancel that has the id of its run is answered under it, too.
        ends = [
            e
            for e in ends
            if e["type"] == "result" or e.get("kind") not in ("unknown_run",)
        ]
        ends = [e for e in ends if e["type"] != "cancelled"]
        assert len(ends) == 1, ends
    for event in list(host.events):
        if event["type"] == "result" and "run" not in event:
            model.check(event)
    assert host.unpaired() == []
    # A kill may be noticed now, or have met a kernel that was starting; and the fourth death in a row is told once
    # instead of a start.
    for _ in range(3):
        ran = host.run("6 * 7")
        if ran.kind not in ("lost", "start"):
            break
    assert ran.output == "42\n", (ran.kind, host.events[-12:])


def kill(pid: int) -> None:
    """As the machine does that has no memory left."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def settle(host, model: Model) -> None:
    """Stops what runs until each cell has its end."""
    end = time.monotonic() + 90
    for name in model.runs:
        while True:
            host.send("cancel", run=name)
            try:
                host.place(
                    lambda e, n=name: (
                        e.get("id") == n and e["type"] in ("result", "error")
                    ),
                    4,
                )
                break
            except AssertionError:
                assert not host.ended and time.monotonic() < end, (
                    f"{name} never ended: {host.ask('status')}"
                )
