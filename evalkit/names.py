"""Which names came twice, of so many that they can't all be kept: eight bytes for each."""

import unicodedata
from array import array

_BUCKETS = 256
_MASK = 2**64 - 1


def folded(name: str) -> str:
    """Give what two names that a reader takes for one have in common."""
    if not name.isascii():
        name = unicodedata.normalize("NFC", name)
    return name.casefold()


class Names:
    """Names seen so far, as their hashes; `maybe` says of a name whether it may have come twice.

    Two names may share a hash, so those that may have come twice are to be looked at by name.
    """

    def __init__(self) -> None:
        """Begin with none."""
        self._buckets = [array("Q") for _ in range(_BUCKETS)]
        self._twice: set[int] = set()

    def add(self, name: str) -> None:
        """Take in a name."""
        seen = hash(folded(name)) & _MASK
        self._buckets[seen % _BUCKETS].append(seen)

    def close(self) -> bool:
        """Let go of the names; True where some may have come twice."""
        for bucket in self._buckets:
            seen: set[int] = set()
            for each in bucket if len(set(bucket)) < len(bucket) else ():
                self._twice |= {each} & seen
                seen.add(each)
        self._buckets.clear()
        return bool(self._twice)

    def maybe(self, name: str) -> bool:
        """Say whether a name may have come twice; known once they are closed."""
        return hash(folded(name)) & _MASK in self._twice
