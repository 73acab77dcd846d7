"""Parse the examples' command line, and style their pictures."""

import argparse
import io

import numpy as np

UNSTABLE, STABLE, ENCLOSURE, EXACT = "#c4161c", "#2a78b5", "#e3b23c", "#202020"


def as_floats(values):
    """Convert halves to float64."""
    return np.asarray(values).astype(np.float64)


def panels(*titles):
    """Return a figure with a panel for each title, side by side."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.6, 3.4), dpi=100, layout="constrained")
    axes = figure.subplots(1, len(titles))
    for ax, title in zip(axes, titles, strict=True):
        ax.set_title(title, fontsize="medium")
        ax.tick_params(labelsize="small")
        ax.spines[["top", "right"]].set_visible(False)
    return figure, axes


def draw_rerun(ax, x, report, colour, label, off=as_floats):
    """Draw the results rounded to nearest as a line, those of the four modes as a band.

    off: what is drawn of them, such as how far they are off.
    """
    runs = np.stack([off(run) for run in report.values.values()])
    ax.fill_between(x, runs.min(0), runs.max(0), color=colour, alpha=0.3, lw=0)
    ax.plot(x, runs[0], color=colour, lw=1, label=label)


def draw_enclosure(ax, x, enclosure, off=as_floats):
    """Draw intervals as a band."""
    low, high = off(enclosure.inf), off(enclosure.sup)
    ax.fill_between(x, low, high, color=ENCLOSURE, alpha=0.5, lw=0, label="in intervals")


def per_cent_off(exact):
    """Return a function of values that returns their errors, in per cent of the exact ones."""
    return lambda values: 100 * (as_floats(values) / exact - 1)


def save(figure, path, colours=64):
    """Write a picture, in few colours: a third of the bytes."""
    from PIL import Image

    whole = io.BytesIO()
    figure.savefig(whole, format="png")
    Image.open(whole).convert("RGB").quantize(colours).save(path, format="png", optimize=True)


def run(text, show, picture, argv=None):
    """Run an example: print its results, and draw the picture if --picture names a file."""
    parser = argparse.ArgumentParser(description=text.splitlines()[0])
    parser.add_argument("--picture", metavar="FILE", help="draw the picture, too")
    options = parser.parse_args(argv)
    show()
    if options.picture:
        save(picture(), options.picture)
