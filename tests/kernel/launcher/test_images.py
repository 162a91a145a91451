"""Figures through the protocol: the first four, within 8 MiB, whatever the environment says of backends."""

import base64

import pytest

PNG = b"\x89PNG\r\n\x1a\n"
DRAW = "import matplotlib.pyplot as plt\n"
ONE = "plt.figure(figsize=(2, 1)); plt.plot([1, 3, 2]); plt.show()\n"


def pictures(ran) -> list[bytes]:
    return [base64.b64decode(image["data"]) for image in ran.images]


def test_of_six_figures_four_and_the_others_counted(host):
    ran = host.run(DRAW + f"for _ in range(6):\n    {ONE}")
    assert ran.status == "ok"
    assert [image["mime"] for image in ran.images] == ["image/png"] * 4
    assert all(picture.startswith(PNG) for picture in pictures(ran))
    assert any("2 dropped" in text for text in ran.told), ran.told
    events = ran.of("image")
    assert [event["data"] for event in events] == [i["data"] for i in ran.images]


def test_a_figure_that_is_too_large_is_dropped_and_counted(host):
    large = "import os\nfrom IPython.display import Image, display\n"
    large += f"display(Image(data={PNG!r} + os.urandom(20 << 20), format='png'))\n"
    ran = host.run(large + DRAW + ONE)
    assert ran.status == "ok"
    assert len(ran.images) == 1 and len(pictures(ran)[0]) < 1 << 20
    assert any("1 dropped" in text for text in ran.told), ran.told
    assert len(ran.of("image")) == 1


@pytest.mark.parametrize("where", ["host", "open"])
def test_no_backend_of_the_environment_takes_the_figures_away(start, where):
    host = start(
        opened=where == "host", env={"MPLBACKEND": "agg"} if where == "host" else {}
    )
    if where == "open":
        host.open(env={"MPLBACKEND": "agg"})
    ran = host.run(DRAW + "import os; print(os.environ['MPLBACKEND'])\n" + ONE)
    assert "inline" in ran.output
    assert len(pictures(ran)) == 1


def test_a_figure_that_the_cell_leaves_open_is_shown_at_its_end(host):
    ran = host.run(DRAW + "plt.figure(figsize=(2, 1)); plt.plot([1, 2]);")
    assert len(ran.images) == 1
    kinds = [kind for kind in ran.types if kind != "notice"]
    assert kinds.index("image") < kinds.index("cell-end") < kinds.index("result")


def test_cleared_output_takes_figures_along(host):
    ran = host.run(
        DRAW + ONE + "from IPython.display import clear_output\nclear_output()\n" + ONE
    )
    assert len(ran.images) == 1
    assert len(ran.of("clear")) == 1


def test_a_figure_of_a_cell_that_fails_is_there(host):
    ran = host.run(DRAW + ONE + "1 / 0")
    assert (ran.ename, len(ran.images)) == ("ZeroDivisionError", 1)


def test_other_pictures_come_with_their_type(host):
    ran = host.run(
        "from IPython.display import SVG, display\n"
        "display({'image/jpeg': b'\\xff\\xd8\\xff jpeg', 'text/plain': 'a picture'}, raw=True)\n"
        "SVG('<svg xmlns=\"http://www.w3.org/2000/svg\"/>')"
    )
    assert [image["mime"] for image in ran.images][:1] == ["image/jpeg"]
    assert base64.b64decode(ran.images[0]["data"]).startswith(b"\xff\xd8\xff")
    # Models see no vector graphics, but can read them.
    assert "<svg" in ran.output
