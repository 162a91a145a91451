"""The half of checkpoints that lives in the kernel: what of the namespace is kept, and how it comes back.

A map; importing it imports nothing.

- `engine`: when to save and to restore, as the launcher asks; what the kernel calls
- `restoring`: a restore that was asked for: which checkpoint, marks, limits of time
- `freeze` after a cell, `restore` before one: which values changed, which come back
- `names` says which names count, `live` what cannot be kept, `sizes` what is too large, `pickling` turns values into bytes
  and back, `memory` tells arrays and frames apart without a pickle, `sharing` which objects of a pickle show to others,
  `groups` which names share them, `reasons` says why one is not kept
- `attempts`: code of values, run so that the kernel goes on whatever it does; `pace`: how long all of it may take

Where bytes go is not decided here: that is the store.
"""
