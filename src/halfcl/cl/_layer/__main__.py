"""The translator process, which OpenCL's layer starts: see `halfcl.cl._layer`.

The layer runs this file by its path. Then the packages around it are stand-ins, until a text has to
be translated: importing them takes longer than an answer from the cache.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # signal takes longer: it makes enumerations
import os
import sys
from importlib import import_module
from importlib.machinery import ModuleSpec, SourceFileLoader

TYPE_CHECKING = False

if TYPE_CHECKING:
    from halfcl.cl._layer.protocol import Fields

#: Packages whose own modules are not imported, since they import what translation does not need.
_STAND_INS = ("halfcl", "halfcl.cl", "halfcl.device", "halfcl._images")

#: Where names of the package are that translation needs.
_MODULES = {
    "MODES": "_settings.regions",
    "half": "_core",
    "Sampler": "_images.sampler",
    "addressing_mode": "_images.constants",
    "filter_mode": "_images.constants",
}


def _enter_stand_ins() -> None:
    """Replace the packages around this file by empty ones, from which modules are imported."""
    here = os.path.dirname(os.path.abspath(__file__))
    root = os.path.dirname(os.path.dirname(os.path.dirname(here)))
    # Python has put this folder first, where its modules would hide others of their names.
    sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder) != here]
    for name in _STAND_INS:
        folder = os.path.join(root, *name.split("."))
        loader = SourceFileLoader(name, os.path.join(folder, "__init__.py"))
        spec = ModuleSpec(name, loader, origin=loader.path, is_package=True)
        spec.submodule_search_locations = [folder]
        module = sys.modules[name] = type(sys)(name)
        module.__spec__, module.__path__ = spec, spec.submodule_search_locations
    sys.modules["halfcl"].__dict__["__getattr__"] = _find


def _find(name: str) -> object:
    """Return what the package itself has under a name."""
    if name == "__version__":
        from halfcl.cl._layer.serving import package_version

        return package_version().decode()
    if name.startswith("_"):  # a module, which is imported
        raise AttributeError(name)
    if name in _MODULES:
        return getattr(import_module(f"halfcl.{_MODULES[name]}"), name)
    _import_halfcl()
    return getattr(sys.modules["halfcl"], name)


def _import_halfcl() -> bool:
    """Import the package itself in place of its stand-in; return whether there was one."""
    package = sys.modules["halfcl"]
    if "__getattr__" not in package.__dict__ or package.__dict__["__getattr__"] is not _find:
        return False
    stand_ins = {name: sys.modules.pop(name) for name in ("halfcl", "halfcl._images")}
    root = os.path.dirname(package.__path__[0])
    sys.path.insert(0, root)
    try:
        import halfcl  # noqa: F401
    except BaseException:
        sys.modules.update(stand_ins)
        raise
    finally:
        sys.path.remove(root)
    return True


def _translate(request: Fields) -> tuple[dict[str, bytes], list[str] | None]:
    from halfcl._support.extras import MissingPackageError, require
    from halfcl.cl._layer.serving import failure

    try:
        require("clang.cindex", "libclang", "kernels", "to translate OpenCL C")
    except MissingPackageError as error:
        return failure(str(error)), None
    from halfcl.cl._layer.translating import translate_request

    try:
        return translate_request(request)
    except Exception:  # something needs what the package itself sets up
        if not _import_halfcl():
            raise
        return translate_request(request)


def main() -> None:
    """Answer the requests on standard input until it ends."""
    for name in ("SIGINT", "SIGQUIT"):  # the terminal's keys are for the program
        if hasattr(_signal, name):
            _signal.signal(getattr(_signal, name), _signal.SIG_IGN)
    if os.environ.get("HALFCL_LAYER_LOG", "-") != "-":  # requests change the working folder
        os.environ["HALFCL_LAYER_LOG"] = os.path.abspath(os.environ["HALFCL_LAYER_LOG"])
    reader = os.fdopen(os.dup(0), "rb")
    writer = os.fdopen(os.dup(1), "wb")
    # What prints does so elsewhere than between the messages.
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(2, 1)

    from halfcl.cl._layer.cache import Cache, cache_folder
    from halfcl.cl._layer.serving import Server, serve

    serve(Server(_translate, Cache(cache_folder(os.environ))), reader, writer)
    os._exit(0)  # without the time that Python takes to free everything


if __name__ == "__main__":
    if not __package__:
        _enter_stand_ins()
    main()
