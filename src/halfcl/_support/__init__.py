"""What every part leans on, and what leans on no part: files and tables of text, extra packages,
arguments that are integers or masks, byte order, other libraries' arrays, processors, and the rules
of public names. No module here imports anything else of halfcl."""
