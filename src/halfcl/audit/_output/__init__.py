"""Reports as a page, and as code that reproduces a mistake."""
