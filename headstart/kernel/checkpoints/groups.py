"""Names that share objects: what one shows when it is changed, the other shows, too. They are saved and restored together."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def of(shared: Mapping[str, Iterable[int]]) -> list[tuple[str, ...]]:
    """Groups of names that have an object in common, directly or through others.

    Parameters
    ----------
    shared : mapping of str to iterable of int
        For each name the objects in its value that others may refer to, by number.

    Returns
    -------
    list of tuple of str
        Each name once; groups and names in the order of the mapping.

    Examples
    --------
    >>> of({"a": [1, 2], "b": [3], "c": [2, 4], "d": [4]})
    [('a', 'c', 'd'), ('b',)]
    """
    leader: dict[str, str] = {}

    def find(name: str) -> str:
        while leader.setdefault(name, name) != name:
            leader[name] = leader[leader[name]]
            name = leader[name]
        return name

    order = {name: place for place, name in enumerate(shared)}
    first: dict[int, str] = {}
    for name, objects in shared.items():
        root = find(name)
        for one in objects:
            other = find(first.setdefault(one, name))
            if other != root:
                # The earlier name leads, so that groups stand where their first name does.
                root, other = sorted((root, other), key=order.__getitem__)
                leader[other] = root
    members: dict[str, list[str]] = {}
    for name in shared:
        members.setdefault(find(name), []).append(name)
    return [tuple(names) for names in members.values()]
