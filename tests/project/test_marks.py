"""The lists of test files in tests/conftest.py, by which parts of the suite are chosen."""

import ast

from places import TESTS


def lists():
    for statement in ast.parse((TESTS / "conftest.py").read_text()).body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Dict):
            yield from ast.literal_eval(statement.value).items()


def test_lists_name_files_that_exist():
    """A file that was renamed would lose its marks, and nobody would see it."""
    files = [
        TESTS / folder / f"test_{name}.py" for folder, names in lists() for name in names.split()
    ]
    assert len(files) > 100
    assert not [str(path.relative_to(TESTS)) for path in files if not path.exists()]
