"""The statistics of a weather station, in float16: plain NumPy.

    python examples/climate.py
    python -m halfcl stability examples/climate.py            # which digits to trust, and why
    python -m halfcl stability examples/climate.py --mended   # the same with what was found

Temperatures of a cellar, its humidity, and pressures above 900 hPa hardly change. What is asked for
is how much they do, whether they rise from day to day, and which go together. The formulas are
those of textbooks. docs/howto/stability_of_programs.md reads the report.
"""

import argparse
import csv

import numpy as np

half = np.float16


def measurements(days, rng):
    """Return daily temperature, humidity and pressure, in the types that the logger stores."""
    day = np.arange(days)
    season = np.sin(2 * np.pi * day / 365)
    temperature = 18 + 0.6 * season + 0.002 * day + rng.normal(0, 0.1, days)
    humidity = 65 - 3 * season + rng.normal(0, 0.8, days)
    pressure = 80 + 4 * np.sin(day / 9) + rng.normal(0, 1.5, days)  # over 900 hPa
    return {
        "temperature": temperature.astype(half),
        "humidity": humidity.astype(half),
        "pressure": pressure.astype(half),
    }


def variance(x):
    """Return the mean of squares less the square of the mean."""
    return (x * x).mean() - x.mean() ** 2


def covariance(x, y):
    """Return the mean of products less the product of the means."""
    return (x * y).mean() - x.mean() * y.mean()


def variance_mended(x):
    """Return the mean square of the deviations."""
    deviation = x - x.mean()
    return (deviation * deviation).mean()


def covariance_mended(x, y):
    """Return the mean product of the deviations."""
    return ((x - x.mean()) * (y - y.mean())).mean()


def standardize(x, variance):
    """Return x in standard deviations from the mean."""
    spread = np.sqrt(np.maximum(variance(x), half(1e-4)))
    return (x - x.mean()) / spread


def correlation(x, y, variance, covariance):
    """Return Pearson's correlation, from -1 to 1."""
    spread = np.sqrt(np.maximum(variance(x) * variance(y), half(1e-4)))
    return covariance(x, y) / spread


def trend(x, variance, covariance):
    """Return the slope of the line of regression, per year."""
    year = (np.arange(len(x)) / 365).astype(half)
    return covariance(year, x) / variance(year)


def outliers(x, variance):
    """Return how many values are more than 2.5 standard deviations from the mean."""
    return int((np.abs(standardize(x, variance)) > 2.5).sum())


def describe(series, variance, covariance):
    """Return a row for each series: mean, variance, trend, outliers."""
    return {
        name: (
            float(x.mean()),
            float(variance(x)),
            float(trend(x, variance, covariance)),
            outliers(x, variance),
        )
        for name, x in series.items()
    }


def write(rows, path):
    """Write the rows as a CSV table."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["series", "mean", "variance", "trend", "outliers"])
        for name, row in rows.items():
            writer.writerow([name, *row])


def parse(argv=None):
    """Parse the command line."""
    parser = argparse.ArgumentParser(description="a weather station's statistics in float16")
    parser.add_argument("--days", type=int, default=730, help="days of measurements")
    parser.add_argument("--seed", type=int, default=3, help="seed of the weather")
    parser.add_argument("--mended", action="store_true", help="compute by deviations from the mean")
    return parser.parse_args(argv)


def main(argv=None):
    """Print how much the series vary; return the rows."""
    options = parse(argv)
    series = measurements(options.days, np.random.default_rng(options.seed))
    of = (variance_mended, covariance_mended) if options.mended else (variance, covariance)
    rows = describe(series, *of)
    for name, (mean, spread, slope, far) in rows.items():
        print(f"{name}: mean {mean:.2f}, variance {spread:.4f}, {slope:+.3f} a year, {far} far off")
    together = correlation(series["temperature"], series["humidity"], *of)
    print(f"temperature and humidity: correlation {float(together):.3f}")
    write(rows, "statistics.csv")
    return rows


if __name__ == "__main__":
    main()
