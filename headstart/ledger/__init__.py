"""The ledger: the harness state of an agent in one JSON file, `harness_state.json`.

Prompt notes, memories, skills and specifications of subagents, and what was refined and why. The file is that of the
RLM runtime of Prime Agent: each reads what the other wrote. Needs no kernel and nothing but Python; `import headstart`
does not import it.
"""

from headstart.ledger.entry import KINDS, HarnessEntry, RefinementEvent
from headstart.ledger.state import HarnessState, get_harness_state

__all__ = [
    "KINDS",
    "HarnessEntry",
    "HarnessState",
    "RefinementEvent",
    "get_harness_state",
]
