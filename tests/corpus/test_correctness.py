"""docs/correctness.md is what hs does now; the other readers' verdicts are those kept in peers.json."""

import json

import answers
import grid
from cases import OWN, load_variants


def test_the_page_is_up_to_date():
    peers = json.loads(grid.PEERS.read_text(encoding="utf-8"))
    renew = "make docs writes it anew"
    assert grid.page(peers) == grid.PAGE.read_text(encoding="utf-8"), renew


def test_hs_is_never_wrong_without_a_word():
    verdicts = {
        variant.key: grid.verdict_of_hs(variant) for variant in load_variants(OWN)
    }
    wrong = {
        key: verdict[1]
        for key, verdict in verdicts.items()
        if verdict is not None and verdict[0] == answers.WRONG
    }
    assert wrong == {}
