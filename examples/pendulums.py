"""Pendulums that swing out, followed by Runge and Kutta's method in float16: plain NumPy.

    python examples/pendulums.py
    python -m halfcl stability examples/pendulums.py            # which digits to trust, and why
    python -m halfcl stability examples/pendulums.py --mended   # the same with what was found

Fifty pendulums start at angles from 0.1 to 2. What is asked for is where they are after ten
seconds, how often they have gone through the middle, and how much of their energy is left.
docs/howto/stability_of_programs.md reads the report.
"""

import argparse

import numpy as np

half = np.float16

GRAVITY = half(9.81)
LENGTH = half(1.0)
FRICTION = half(0.15)


def acceleration(angle, speed):
    """Return the acceleration of a pendulum with friction."""
    return -GRAVITY / LENGTH * np.sin(angle) - FRICTION * speed


def slopes(angle, speed):
    """Return the derivatives of angle and speed."""
    return speed, acceleration(angle, speed)


def increments(angle, speed, step):
    """Return what one step of the fourth order adds to angle and speed."""
    a1, v1 = slopes(angle, speed)
    a2, v2 = slopes(angle + step / 2 * a1, speed + step / 2 * v1)
    a3, v3 = slopes(angle + step / 2 * a2, speed + step / 2 * v2)
    a4, v4 = slopes(angle + step * a3, speed + step * v3)
    more_angle = step * ((a1 + 2 * a2 + 2 * a3 + a4) / 6)
    more_speed = step * ((v1 + 2 * v2 + 2 * v3 + v4) / 6)
    return more_angle, more_speed


def energy(angle, speed):
    """Return the energy of a mass of one, from the lowest point."""
    return speed * speed / 2 * LENGTH + GRAVITY * (1 - np.cos(angle))


def energy_mended(angle, speed):
    """Return the energy without the difference of numbers that are nearly equal."""
    sine = np.sin(angle / 2)
    return speed * speed / 2 * LENGTH + GRAVITY * 2 * (sine * sine)


def count_passes(before, after):
    """Return whether pendulums went through the middle."""
    return np.signbit(before) != np.signbit(after)


def swing(angle, speed, seconds, steps):
    """Return final angles and speeds, and how often each pendulum passed the middle."""
    step = half(seconds / steps)
    passes = np.zeros(angle.shape, int)
    for _ in range(steps):
        before = angle
        more_angle, more_speed = increments(angle, speed, step)
        angle = angle + more_angle
        speed = speed + more_speed
        passes += count_passes(before, angle)
    return angle, speed, passes


def swing_mended(angle, speed, seconds, steps):
    """Swing with compensated sums: add what a step's rounding has lost to the next step."""
    step = half(seconds / steps)
    passes = np.zeros(angle.shape, int)
    lost_angle, lost_speed = np.zeros_like(angle), np.zeros_like(speed)
    for _ in range(steps):
        before = angle
        more_angle, more_speed = increments(angle, speed, step)
        angle, lost_angle = add(angle, more_angle - lost_angle)
        speed, lost_speed = add(speed, more_speed - lost_speed)
        passes += count_passes(before, angle)
    return angle, speed, passes


def add(total, term):
    """Return a sum, and by how much it is too large."""
    further = total + term
    return further, (further - total) - term


def parse(argv=None):
    """Parse the command line."""
    parser = argparse.ArgumentParser(description="pendulums in float16")
    parser.add_argument("--count", type=int, default=50, help="number of pendulums")
    parser.add_argument("--seconds", type=float, default=10.0, help="duration of the swing")
    parser.add_argument("--steps", type=int, default=640, help="steps of the method")
    parser.add_argument("--mended", action="store_true", help="use compensated sums")
    return parser.parse_args(argv)


def main(argv=None):
    """Print the outcome of the pendulums; return the energy that remains."""
    options = parse(argv)
    start = np.linspace(0.1, 2, options.count).astype(half)
    still = np.zeros(options.count, half)
    go, of = (swing_mended, energy_mended) if options.mended else (swing, energy)
    angle, speed, passes = go(start, still, options.seconds, options.steps)
    share = of(angle, speed) / of(start, still)
    print(f"passes through the middle: {passes.min()} to {passes.max()}")
    print(f"energy left: {float(share.min()):.4f} to {float(share.max()):.4f}")
    print(f"the last one is at {float(angle[-1]):.4f}")
    np.save("energy.npy", share)
    return share


if __name__ == "__main__":
    main()
