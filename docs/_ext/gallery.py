"""How the gallery is made: each script of ``gallery_src`` runs, and its pictures are shown."""

from pathlib import Path

_PAGES = Path(__file__).resolve().parent.parent / "explanation"

GALLERY = {
    "examples_dirs": [str(_PAGES / "gallery_src")],
    "gallery_dirs": [str(_PAGES / "gallery")],
    "backreferences_dir": "explanation/gallery/backreferences",  # for the landing page's gallery
    "filename_pattern": r"plot_",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 5,
    "remove_config_comments": True,
    "abort_on_example_error": True,
    "plot_gallery": True,
    "image_scrapers": ("matplotlib",),
    "reset_modules": ("matplotlib",),
    "capture_repr": ("_repr_html_", "__repr__"),
    "copyfile_regex": "",
    "write_computation_times": False,
    "nested_sections": False,
}
