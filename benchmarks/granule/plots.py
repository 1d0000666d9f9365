"""Results as pictures. SVG without dates, so that the same results give the same file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import matplotlib

from benchmarks.granule.tables import TITLES

matplotlib.use("svg")
from matplotlib import pyplot

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes

COLOURS = ("#1b7f79", "#7cc6b8", "#c0c4cc", "#6b7280")


def draw(results: dict[str, Any], folder: Path) -> None:
    """Write all plots into ``folder``."""
    matplotlib.rcParams.update({"svg.hashsalt": "granule", "font.size": 10, "axes.axisbelow": True})
    _save(_compression, results, folder / "bytes_per_token.svg")
    _save(_encoding, results, folder / "encoding.svg")
    _save(_training, results, folder / "training.svg")


def _save(fill: Any, results: dict[str, Any], path: Path) -> None:
    figure, axes = pyplot.subplots(figsize=(9, 4.8), layout="constrained")
    fill(axes, results)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.savefig(path, metadata={"Date": None}, facecolor="white")
    pyplot.close(figure)


def _compression(axes: Axes, results: dict[str, Any]) -> None:
    found = results["compression"]["corpora"]
    names = list(next(iter(found.values())))
    sizes = results["compression"]["vocab_size"]
    series = {
        f"{name} ({sizes[name]:,} tokens)": [by[name]["bytes_per_token"] for by in found.values()]
        for name in names
    }
    _bars(axes, [TITLES[corpus] for corpus in found], series)
    axes.set_xlabel("UTF-8 bytes per token, unseen text (more is better)")


def _encoding(axes: Axes, results: dict[str, Any]) -> None:
    found = results["encoding"]
    names = list(next(iter(found.values()))["mb_per_s"])
    series = {name: [by["mb_per_s"][name] for by in found.values()] for name in names}
    _bars(axes, [TITLES[corpus] for corpus in found], series)
    axes.set_xlabel("MB of text encoded per CPU second, same 32k vocabulary, one thread")


def _bars(axes: Axes, groups: list[str], series: dict[str, list[float]]) -> None:
    height = 0.8 / len(series)
    for number, ((name, values), colour) in enumerate(zip(series.items(), COLOURS, strict=False)):
        places = [group + (number + 0.5) * height - 0.4 for group in range(len(groups))]
        axes.barh(places, values, height, label=name, color=colour)
    axes.set_yticks(range(len(groups)), groups)
    axes.invert_yaxis()
    axes.set_xlim(left=0)
    axes.grid(axis="x", color="#e5e7eb")
    axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _training(axes: Axes, results: dict[str, Any]) -> None:
    for cases, other, marker in (("naive", "naive", "s"), ("naive", "fast", "o")):
        found = results["training"][cases]
        sizes = [case["bytes"] / 1e3 for case in found]
        seconds = [case["cpu_s"][other] for case in found]
        colour = COLOURS[0] if other == "fast" else COLOURS[3]
        axes.loglog(sizes, seconds, marker=marker, color=colour, label=f"{other} trainer")
        for size, second in zip(sizes, seconds, strict=True):
            axes.annotate(
                f"{second:.2g} s",
                (size, second),
                xytext=(0, 7),
                textcoords="offset points",
                ha="center",
                fontsize=9,
            )
    axes.set_xticks(sizes, [f"{size:g} kB" for size in sizes])
    axes.minorticks_off()
    axes.margins(0.12)
    axes.set_xlabel("size of the training text (logarithmic)")
    axes.set_ylabel("CPU seconds for 256 merges (logarithmic)")
    axes.grid(color="#e5e7eb")
    axes.legend(frameon=False, loc="center left")
