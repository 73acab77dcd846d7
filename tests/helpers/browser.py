"""Pages in a real browser: Chromium, without a window."""

import shutil
import subprocess

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

needs_chromium = pytest.mark.skipif(not CHROMIUM, reason="Chromium is not installed")


def dump_page(path, *options, query=""):
    """Return a page's HTML after its scripts have run; an error of a script fails.

    query: what the page's address ends in, such as "?x=1".
    """
    completed = subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files",
         "--virtual-time-budget=2000", f"--user-data-dir={path.parent / 'profile'}", "--dump-dom",
         "--enable-logging=stderr", *options, path.as_uri() + query],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert "CONSOLE" not in completed.stderr, completed.stderr  # scripts report errors there
    return completed.stdout
