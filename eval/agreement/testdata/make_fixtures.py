"""Origin of fixtures.json: correlations and their p-values as scipy computes them.

Made with scipy 1.10.1 and numpy 1.24.2: python3 make_fixtures.py > fixtures.json
"""

import json

import numpy
import scipy
from scipy.stats import beta, kendalltau, mannwhitneyu, pearsonr, spearmanr

rng = numpy.random.default_rng(20240929)


def correlation(name, x, y):
    x, y = [float(v) for v in x], [float(v) for v in y]
    rho, tau, r = spearmanr(x, y), kendalltau(x, y, variant="b"), pearsonr(x, y)
    return {"name": name, "x": x, "y": y,
            "spearman": float(rho.correlation), "spearman_p": defined(rho.pvalue),
            "kendall_tau_b": float(tau.correlation), "kendall_p": defined(tau.pvalue),
            "pearson": float(r.statistic), "pearson_p": defined(r.pvalue)}


def defined(p):
    return None if numpy.isnan(p) else float(p)


def pearson_p(r, n):
    return 2 * beta(n / 2 - 1, n / 2 - 1, loc=-1, scale=2).sf(abs(r))  # as pearsonr has it


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
later = numpy.random.default_rng(20261122)
many = later.integers(1, 6, 1500)

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
        correlation("three in order", [1, 2, 3], [1, 4, 9]),
        correlation("three with a tie", [1, 2, 2], [3, 1, 2]),
        correlation("nine systems", range(9), [0, 2, 1, 5, 3, 8, 4, 7, 6]),
        correlation("half of the pairs in order", [1, 2, 3, 4], [2, 4, 1, 3]),
        correlation("33 without ties", range(33), later.permutation(33)),
        correlation("34 without ties", range(34), later.permutation(34)),
        correlation("34 in order", range(34), range(34)),
        correlation("34 with one exchange", range(34), [1, 0, *range(2, 34)]),
        correlation("200 reversed with one exchange", range(200), [198, 199, *range(197, -1, -1)]),
        correlation("ten with ties", [1, 1, 2, 2, 3, 3, 4, 4, 5, 5], [2, 1, 2, 3, 3, 4, 4, 5, 4, 5]),
        correlation("far from zero", [1e9 + v for v in range(20)], [1e9 + v % 7 for v in range(20)]),
        correlation("1500 labels", many, (many + later.integers(0, 6, 1500)) // 2),
        correlation("1500 labels, weakly", many, later.integers(0, 60, 1500) + many),
    ],
    "p_values": [
        {"r": r, "n": n, "p": float(pearson_p(r, n))}
        for n in (3, 4, 10, 1395, 20000) for r in (-1, -0.9, -0.3, 0, 1e-9, 1e-4, 0.03, 0.5, 0.999)
    ],
    "aucs": [
        auc("no ties", rng.random(300) + 0.3 * linked, linked),
        auc("ties", numpy.round(rng.random(300) + 0.3 * linked, 1), linked),
        auc("separated", [1, 2, 3, 4], [0, 0, 1, 1]),
        auc("reversed", [4, 3, 2, 1], [0, 0, 1, 1]),
        auc("all tied", [1, 1, 1], [0, 1, 1]),
    ],
}, indent=None, separators=(",", ":")))
