"""The only place that knows pandas, polars and pyarrow: frames in (`take`), frames out (`give`).

None of them is imported unless a frame of theirs comes in or is wanted.
"""

from headstart.frames import imports
from headstart.frames.ends import ends, first
from headstart.frames.give import default_library, give
from headstart.frames.losses import losses
from headstart.frames.take import Taken, look, name_of, take, take_data

__all__ = [
    "Taken",
    "default_library",
    "ends",
    "first",
    "give",
    "imports",
    "look",
    "losses",
    "name_of",
    "take",
    "take_data",
]
