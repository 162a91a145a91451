"""What a name that `hs` does not have was meant to be. It is imported for an error only."""

from __future__ import annotations

#: What other libraries call it.
ELSEWHERE = {
    "DataFrame": "charge",
    "from_pandas": "charge",
    "head": "montre",
    "merge": "joins",
    "open": "charge",
    "print": "montre",
    "query": "interroge",
    "read": "charge",
    "scan": "charge",
    "sql": "interroge",
    "summary": "decris",
    "tail": "montre",
    "to": "sauve",
    "value_counts": "combien",
    "write": "sauve",
}


def error(name: str, here: list[str]) -> AttributeError:
    """The error for a name that is not there, with the one that is nearest.

    Parameters
    ----------
    name
        What was asked for.
    here
        The public names.
    """
    import difflib

    from headstart._headstart import functions

    meant = {one["alias"]: one["name"] for one in functions()}
    word = name.split("_")[0]
    found = meant.get(name) or ELSEWHERE.get(name) or ELSEWHERE.get(word)
    if found is None:
        close = difflib.get_close_matches(name, [*here, *meant, *ELSEWHERE], 1)
        found = (
            meant.get(close[0], ELSEWHERE.get(close[0], close[0])) if close else None
        )
    text = f"module 'headstart' has no attribute {name!r}"
    if found is not None:
        text += f"; did you mean hs.{found}?"
    return AttributeError(text, name=name)
