"""Fixtures that all tests of kernels use."""

import functools

import pytest

from halfcl import cl


@pytest.fixture(autouse=True)
def _compiled_translations(monkeypatch):
    """Compile each translation that a test makes."""
    from compiled_texts import compile_text

    translate = cl.translate

    @functools.wraps(translate)
    def translate_and_compile(source, language="opencl", **settings):
        result = translate(source, language, **settings)
        if language in ("opencl", "cuda"):  # other dialects are a test's own
            text = result.text if settings.get("full_output") else result
            compile_text(text, language, settings.get("options", ""))
        return result

    monkeypatch.setattr(cl, "translate", translate_and_compile)
