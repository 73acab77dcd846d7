"""What OpenCL C has beside the table of functions: conversions and reinterpretation, loads and
stores, selection, constants, and errors in ulps. Many names are made by rule, when asked for."""
