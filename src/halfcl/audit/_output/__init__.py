"""Reports as a page, as text, and as code that reproduces a mistake."""
