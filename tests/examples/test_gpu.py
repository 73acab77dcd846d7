"""The PyTorch example: its bounds hold the exact results, and mended functions are near them."""

import runpy
import sys

import numpy as np
import pytest
from places import ROOT

torch = pytest.importorskip("torch", reason="needs PyTorch, and HALFCL_TEST_DEVICES=1")
sys.path.insert(0, str(ROOT / "examples"))

import gpu  # noqa: E402

pytestmark = [pytest.mark.once, pytest.mark.kernels]

PAGE = ROOT / "docs" / "tutorial" / "lessons" / "gpu.md"
FUNCTIONS = {name: dict(ways) for name, ways in gpu.WAYS.items()}


@pytest.fixture(scope="module")
def inputs():
    return gpu.inputs("cpu", rows=32, length=1024)


@pytest.mark.parametrize("name", gpu.WAYS)
def test_bounds_hold_the_exact_results(name, inputs):
    ((_, outside, widest, _),) = (
        row for row in gpu.measure_bounds("cpu", inputs) if row[0] == name
    )
    assert outside == "0" and 1 < int(widest) < 16


@pytest.mark.parametrize("name", gpu.WAYS)
def test_bounds_of_large_and_small_numbers(name):
    """Steps are inexact, cancel, or underflow."""
    rng = np.random.default_rng(3)
    drawn = rng.normal(0, 1, (64, 64)) * 2.0 ** rng.integers(-12, 4, (64, 1))
    x = torch.from_numpy(drawn.astype(np.float16))
    low, high = (bound.double() for bound in gpu.BOUNDS[name](x))
    exact = gpu.EXACT[name](x)
    assert bool(((low <= exact) & (exact <= high)).all())


@pytest.mark.parametrize("name", gpu.WAYS)
def test_mended_functions_have_small_errors(name, inputs):
    errors = {
        label: gpu.errors(function(inputs[name]), gpu.EXACT[name](inputs[name])).max()
        for label, function in FUNCTIONS[name].items()
    }
    assert errors["halfcl, in steps"] > 5
    assert errors["halfcl, mended"] < 3


def test_the_difference_is_exact(inputs):
    x = inputs["softmax"]
    d, r = gpu.subtract_greatest(x)
    assert torch.equal(d.double() + r.double(), x.double() - x.double().amax(-1, keepdim=True))
    assert bool((r != 0).any())


def test_a_sum_has_one_result_in_all_orders():
    x = gpu.terms("cpu", 1 << 12)
    (only,) = gpu.sums(gpu.hc.sum, x, 20)
    assert only == float(np.float16(float(x.double().sum())))


def test_prints_and_draws(monkeypatch, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(gpu, "inputs", lambda device: INPUTS(device, 4, 64))
    monkeypatch.setattr(gpu, "ORDERS", 3)
    page, picture = tmp_path / "page.md", tmp_path / "gpu.png"
    page.write_text(PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    gpu.main(["--device", "cpu", "--markdown", "--page", str(page), "--picture", str(picture)])
    printed = capsys.readouterr().out.strip()
    assert "| softmax | torch.softmax |" in printed and "| halfcl.sum | 1 |" in printed
    _, mark, after = PAGE.read_text(encoding="utf-8").partition("<!-- end -->")
    put = page.read_text(encoding="utf-8")
    assert printed in put and put.endswith(mark + after)
    assert picture.read_bytes().startswith(b"\x89PNG")
    page.write_text(after, encoding="utf-8")
    with pytest.raises(SystemExit, match="expected the marks of one table, got 0"):
        gpu.put(page, "new")
    assert page.read_text(encoding="utf-8") == after


INPUTS = gpu.inputs


def test_without_pytorch(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(SystemExit, match=r"pip install torch.*halfcl\[cuda\]"):
        runpy.run_path(str(ROOT / "examples" / "gpu.py"))
