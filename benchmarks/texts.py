"""What EM and F1 cost, against the definition written down and against torchmetrics."""

import random
import re
import string
from collections import Counter
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from statistics import median
from time import process_time
from typing import Any

from benchmarks.table import Bound, Table, judged
from evalkit.texts import exact_and_f1

SIZE, QUICK_SIZE = 100_000, 1_000
GOLDS = 3
PEER_SHARE = 100
"""The peer is put to one row of so many: each costs it the same."""
EVALKIT = "evalkit"
HEAD = ("contender", "us/row", "x evalkit", "bound", "", "rounds")
PLAIN_BOUND = Bound(5, aim=8, least=True)
PEER_BOUND = Bound(50, least=True)
SINGLE = 1e-4
"""How near the peer's means must be: it counts in floats of 32 bits."""
PEER = "torchmetrics.text.SQuAD"
ABSENT = f"{PEER}: not installed (pip install torchmetrics)"
WORDS = re.findall(
    r"\S+",
    "the The a an of in to and by on battle Normandy William Conqueror king England 1066 Paris "
    "France population, 67 million (approximately) U.S. state-of-the-art New York city's Denver "
    "Broncos Carolina Panthers 24-10 Levi's Stadium Santa Clara, California. February 7 2016 gold "
    "anniversary Roman numerals Zürich",
)

Row = tuple[str, Sequence[str]]
Scores = tuple[float, float]
Scorer = Callable[[Sequence[Row]], list[Scores]]


def texts(repeat: int, size: int) -> Table:
    """The CPU seconds of each in turn; nobody wins by another result."""
    rows = predictions(size)
    few = rows[: max(1, size // PEER_SHARE)]
    wanted = definition(rows)
    assert evalkit(rows) == wanted
    field: dict[str, tuple[Scorer, Sequence[Row]]] = {
        EVALKIT: (evalkit, rows),
        "the definition": (definition, rows),
    }
    if find_spec("torchmetrics") is not None:
        check_near(torchmetrics_at_once(few), [means(wanted[: len(few)])])
        check_near(torchmetrics_by_row(few), wanted[: len(few)])
        field[f"{PEER}, means of all at once"] = (torchmetrics_at_once, few)
        field[f"{PEER}, row by row as well"] = (torchmetrics_by_row, few)
    rounds = [{name: _seconds(*field[name]) for name in field} for _ in range(repeat)]
    title = f"EM and F1 of {size:,} predictions, {GOLDS} golds each"
    notes = () if find_spec("torchmetrics") is not None else (ABSENT,)
    return Table(title, HEAD, [_row(name, rounds) for name in field], notes)


def evalkit(rows: Sequence[Row]) -> list[Scores]:
    """What the operators call."""
    return [exact_and_f1(prediction, golds, "squad") for prediction, golds in rows]


def definition(rows: Sequence[Row]) -> list[Scores]:
    """The functions of the official script, a pair at a time, and the best of the golds."""
    return [
        (
            max(normalised(gold) == normalised(prediction) for gold in golds),
            max(f1(gold, prediction) for gold in golds),
        )
        for prediction, golds in rows
    ]


def normalised(text: str) -> str:
    """The official `normalize_answer`."""
    punctuation = set(string.punctuation)
    text = "".join(each for each in text.lower() if each not in punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())


def f1(gold: str, prediction: str) -> float:
    """The official `compute_f1`."""
    wanted, said = normalised(gold).split(), normalised(prediction).split()
    same = sum((Counter(wanted) & Counter(said)).values())
    if not wanted or not said:
        return float(wanted == said)
    if not same:
        return 0.0
    precision, recall = same / len(said), same / len(wanted)
    return 2 * precision * recall / (precision + recall)


def torchmetrics_at_once(rows: Sequence[Row]) -> list[Scores]:
    """The means of all rows, which is all that one call gives."""
    from torchmetrics.text import SQuAD

    metric = SQuAD()
    metric.update(*_as_squad(rows))
    return [_of_peer(metric.compute())]


def torchmetrics_by_row(rows: Sequence[Row]) -> list[Scores]:
    """The scores of each row, as evalkit gives them, from a metric that goes on counting."""
    from torchmetrics.text import SQuAD

    metric = SQuAD()
    return [_of_peer(metric(*_as_squad([row]))) for row in rows]


def _as_squad(rows: Sequence[Row]) -> tuple[list[Any], list[Any]]:
    """The predictions and the golds in the metric's own shape."""
    said = [{"prediction_text": row[0], "id": str(number)} for number, row in enumerate(rows)]
    golds = [
        {"answers": {"answer_start": [0] * GOLDS, "text": list(row[1])}, "id": str(number)}
        for number, row in enumerate(rows)
    ]
    return said, golds


def _of_peer(found: Any) -> Scores:
    """EM and F1 out of 1."""
    return float(found["exact_match"]) / 100, float(found["f1"]) / 100


def check_near(found: Sequence[Scores], wanted: Sequence[Scores]) -> None:
    """Refuse a peer that measures something else."""
    for mine, theirs in zip(wanted, found, strict=True):
        assert all(abs(one - other) < SINGLE for one, other in zip(mine, theirs, strict=True))


def means(scores: Sequence[Scores]) -> Scores:
    """The mean EM and the mean F1."""
    equal, overlap = zip(*scores, strict=True)
    return sum(equal) / len(scores), sum(overlap) / len(scores)


def predictions(size: int) -> list[Row]:
    """So many different predictions of 1 to 12 tokens, each with golds of its own."""
    chance = random.Random(size)  # noqa: S311  - equal rows every time
    return [_prediction(chance, number) for number in range(size)]


def _prediction(chance: random.Random, number: int) -> Row:
    """A gold, two more ways to put it, and what a model might have said."""
    # the row's own number is in each, so that no text is met again in another row
    gold = [*chance.choices(WORDS, k=chance.randint(1, 9)), str(number)]
    said, *others = (" ".join(_varied(gold, chance)) for _ in range(GOLDS))
    return said, (" ".join(gold), *others)


def _varied(gold: list[str], chance: random.Random) -> list[str]:
    """The same text, a part of it, more than it, or another."""
    more = chance.choices(WORDS, k=2)
    ways = (gold, gold[chance.randrange(len(gold)) :], [*more, *gold], [*more, gold[-1]])
    return chance.choice(ways)


def _seconds(scorer: Scorer, rows: Sequence[Row]) -> float:
    """CPU seconds of one row, over all of them."""
    began = process_time()
    scorer(rows)
    return (process_time() - began) / len(rows)


def _row(name: str, rounds: Sequence[dict[str, float]]) -> tuple[str, ...]:
    """What a row costs one of them, and how many evalkits that is."""
    cost = median(costs[name] for costs in rounds)
    if name == EVALKIT:
        return (name, f"{cost * 1e6:.1f}", "", "", "", "")
    ratios = [costs[name] / costs[EVALKIT] for costs in rounds]
    bound = PEER_BOUND if name.startswith(PEER) else PLAIN_BOUND
    spread = f"{min(ratios):.1f}..{max(ratios):.1f}"
    return (name, f"{cost * 1e6:.1f}", *judged(median(ratios), bound), spread)
