# SPDX-License-Identifier: GPL-2.0-or-later
"""How a benchmark's ratios become its last line and its exit status."""

import statistics

STATUS = {"ok": 0, "short": 1, "noisy": 2}
NOISE = 0.10  # of the median


def summary(values):
    """(median, interquartile range / median)"""
    if len(values) == 1:
        return values[0], 0.0
    q1, median, q3 = statistics.quantiles(values, n=4, method="inclusive")
    return median, (q3 - q1) / median


def noisy(values):
    """Whether they differ too much for a verdict."""
    return summary(values)[1] > NOISE


def judge(ratios, goal):
    """ratios: name -> the ratios of every pair; the worst name counts.

    Returns (its median, "ok", "short" or "noisy").
    """
    results = {name: summary(values) for name, values in ratios.items()}
    for name, (median, spread) in results.items():
        print(f"{name}: median ratio {median:.3f}, interquartile range {spread:.1%}")
    median = max(median for median, _ in results.values())
    if any(noisy(values) for values in ratios.values()):
        return median, "noisy"
    return median, "ok" if median <= goal else "short"


def conclude(name, measure, goal, reruns=2, missed=lambda: ()):
    """Measures until the result isn't noisy, prints the last line.

    measure() returns the ratios for judge(), and missed(), after it, texts
    about what else fell short.  Returns the exit status.
    """
    ratio, word = judge(measure(), goal)
    while word == "noisy" and reruns > 0:
        reruns -= 1
        print("the pairs differ too much: measuring again", flush=True)
        ratio, word = judge(measure(), goal)
    if missed() and word == "ok":
        word = "short"
    also = "".join(f", {text}" for text in missed())
    print(f"{name}: ratio {ratio:.2f} (goal <= {goal}): {word}{also}", flush=True)
    return STATUS[word]
