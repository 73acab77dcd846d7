"""What pyopencl has and halfcl has not: each name is there, and says so when it is used."""

from __future__ import annotations

_SVM = "halfcl has no shared virtual memory; buffers and pyopencl.array do the same"
_GL = "halfcl has no OpenGL"
_WHY = {
    "SVM": _SVM, "SVMAllocation": _SVM, "SVMMap": _SVM, "SVMPointer": _SVM,
    "svm_empty": _SVM, "svm_empty_like": _SVM, "csvm_empty": _SVM, "csvm_empty_like": _SVM,
    "fsvm_empty": _SVM, "fsvm_empty_like": _SVM, "enqueue_svm_memfill": _SVM,
    "enqueue_svm_migrate_mem": _SVM,
    "GLBuffer": _GL, "GLRenderBuffer": _GL, "GLTexture": _GL,
    "enqueue_acquire_gl_objects": _GL, "enqueue_release_gl_objects": _GL,
    "Pipe": "halfcl has no pipes",
    "UserEvent": "halfcl's queues do all at once, and wait for nothing",
    "ImageDescriptor": "halfcl's Image takes a shape and is_array",
    "enqueue_fill_image": "enqueue_copy of a whole array does the same",
    "enqueue_migrate_mem_objects": "halfcl has one device",
    "get_supported_image_formats": "the reference's page on images lists halfcl's formats",
    "create_program_with_built_in_kernels": "halfcl has none",
    "link_program": "Program takes the whole source",
}  # fmt: skip


def refusing(name: str, why: str) -> type:
    """A class that says so when it is called."""

    def __init__(self: object, *args: object, **kwargs: object) -> None:
        raise NotImplementedError(f"pyopencl.{name}: {why}")

    text = f"pyopencl's; refused: {why}."
    return type(
        name.split(".")[-1], (), {"__init__": __init__, "__doc__": text, "__module__": __name__}
    )


#: Of modules, which have these names.
TEMPLATES = "halfcl has no templates of kernels; kernels of snippets take a preamble"

#: Classes all of them, so that isinstance may ask for one.
REFUSED = {name: refusing(name, why) for name, why in _WHY.items()}
