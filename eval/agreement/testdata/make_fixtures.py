"""Origin of fixtures.json: rank statistics as scipy computes them.

Made with scipy 1.10.1 and numpy 1.24.2: python3 make_fixtures.py > fixtures.json
"""

import json

import numpy
import scipy
from scipy.stats import kendalltau, mannwhitneyu, spearmanr

rng = numpy.random.default_rng(20240929)


def correlation(name, x, y):
    x, y = [float(v) for v in x], [float(v) for v in y]
    return {"name": name, "x": x, "y": y,
            "spearman": float(spearmanr(x, y).correlation),
            "kendall_tau_b": float(kendalltau(x, y, variant="b").correlation)}


def auc(name, scores, labels):
    scores, labels = numpy.array(scores, dtype=float), numpy.array(labels, dtype=bool)
    u = mannwhitneyu(scores[labels], scores[~labels], method="asymptotic").statistic
    return {"name": name, "scores": scores.tolist(), "labels": labels.tolist(),
            "auc": float(u / (labels.sum() * (~labels).sum()))}


likert = rng.integers(1, 6, 400)
shares = numpy.clip(rng.integers(0, 6, 400) + likert, 0, 8) / 8
harmonic = 2 * shares * (likert / 7) / (shares + likert / 7)
noise = rng.normal(size=60)
linked = rng.random(300) < 0.2

print(json.dumps({
    "scipy": scipy.__version__,
    "numpy": numpy.__version__,
    "correlations": [
        correlation("no ties", noise, noise + rng.normal(size=60)),
        correlation("labels and shares", likert, shares),
        correlation("labels and harmonic means", likert, harmonic),
        correlation("unrelated with ties", likert, rng.permutation(shares)),
        correlation("opposed", range(12), range(12, 0, -1)),
        correlation("same", [1, 2, 2, 3, 3, 3], [10, 20, 20, 30, 30, 30]),
        correlation("all but one tied", [0] * 19 + [1], [5] + [1] * 19),
        correlation("two", [1, 2], [2, 1]),
        correlation("zeros of both signs", [0.0, -0.0, 1, 2, 0], [1, 2, 3, 3, 1]),
        correlation("huge and tiny", [1e300, 1e-300, -1e300, 1e300, 5], [1, 2, 3, 4, 5]),
    ],
    "aucs": [
        auc("no ties", rng.random(300) + 0.3 * linked, linked),
        auc("ties", numpy.round(rng.random(300) + 0.3 * linked, 1), linked),
        auc("separated", [1, 2, 3, 4], [0, 0, 1, 1]),
        auc("reversed", [4, 3, 2, 1], [0, 0, 1, 1]),
        auc("all tied", [1, 1, 1], [0, 1, 1]),
    ],
}, indent=None, separators=(",", ":")))
