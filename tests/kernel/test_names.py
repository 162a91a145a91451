"""Each answer to a cell says how many names the user has; startup code defines none of them."""

import pytest

STARTUP = {"headstart": {"startup": True}}


def names(kernel, code: str = "pass", **options) -> int:
    return kernel.run(code, **options).reply["headstart"]["names"]


def startup(kernel, code: str):
    message = kernel.client.session.msg(
        "execute_request",
        {"code": code, "silent": True, "store_history": False},
        metadata=STARTUP,
    )
    kernel.client.shell_channel.send(message)
    return kernel.finish(message["header"]["msg_id"])


def test_names_of_cells_count_and_no_others(start):
    kernel = start()
    assert names(kernel) == 0
    assert names(kernel, "x = 41; import os; _private = 1; None") == 2
    # IPython's own results and inputs are not the user's.
    assert names(kernel, "6 * 7") == 2
    assert names(kernel, "def f(): pass\nclass C: pass") == 4
    assert sorted(kernel.run("%who").text().split()) == ["C", "f", "os", "x"]
    assert names(kernel, "del f, C") == 2
    assert names(kernel, "hs = 5; In = None") == 4
    assert names(kernel, "%reset -f") == 0


@pytest.mark.parametrize(
    "code, status",
    [
        ("1 / 0", "error"),
        ("def :", "error"),
        ("", "ok"),
        ("await __import__('asyncio').sleep(0)", "ok"),
        ("exit()", "ok"),
        ("globals()[1] = globals()[('a',)] = None", "ok"),
        ("import threading as _t\n_t.Thread(target=lambda: None).start()", "ok"),
    ],
)
def test_each_answer_has_the_number(kernel, code, status):
    before = names(kernel, "a = 1")
    ran = kernel.run(code)
    assert ran.status == status
    assert ran.reply["headstart"] == {"names": before}


def test_an_answer_comes_where_names_cannot_be_counted(start):
    kernel = start()
    ran = kernel.run(
        "class Bad(dict):\n    def get(self, *_): raise OSError\n"
        "get_ipython().user_ns_hidden = Bad()\n41"
    )
    assert (ran.status, ran.results) == ("ok", ["41"])
    assert "headstart" not in ran.reply


def test_names_that_threads_define_meanwhile_do_no_harm(start):
    kernel = start()
    kernel.run(
        "import threading\n_done = threading.Event()\n"
        "def _define():\n"
        "    i = 0\n"
        "    while not _done.is_set():\n"
        "        globals()[f'n{i % 1000}'] = i; globals().pop(f'n{(i * 7) % 1000}', None); i += 1\n"
        "threading.Thread(target=_define).start()"
    )
    counts = [names(kernel) for _ in range(50)]
    kernel.run("_done.set()")
    assert all(isinstance(count, int) for count in counts)


def test_names_of_startup_code_do_not_count_until_a_cell_gives_them_a_value(start):
    kernel = start()
    ran = startup(kernel, "import json\nlimit = 5\nasync def f(): pass\nawait f()")
    assert (ran.status, ran.reply["headstart"]) == ("ok", {"names": 0})
    assert kernel.run("limit").results == ["5"]
    assert names(kernel, "y = 1") == 1
    assert kernel.run("%who").text().split() == ["y"]
    assert names(kernel, "limit = 6") == 2
    # One that fails has defined what it has defined.
    ran = startup(kernel, "left = 1\n1 / 0")
    assert (ran.status, ran.error) == ("error", "ZeroDivisionError")
    assert kernel.run("left").results == ["1"]
    assert names(kernel) == 2


def test_an_ordinary_silent_request_is_the_users(start):
    kernel = start()
    message = kernel.client.session.msg(
        "execute_request", {"code": "z = 1", "silent": True}
    )
    kernel.client.shell_channel.send(message)
    assert kernel.finish(message["header"]["msg_id"]).reply["headstart"]["names"] == 1
