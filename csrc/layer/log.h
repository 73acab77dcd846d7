// The log: one line an event, in the file that HALFCL_LAYER_LOG names.
#ifndef HALFCL_LAYER_LOG_H
#define HALFCL_LAYER_LOG_H

#include "text.h"

#include <stdatomic.h>

// Sets the file; NULL for none.
void log_open(const char *path);

// Appends a line.
void log_line(const char *format, ...) TEXT_FORMAT(1, 2);

// Appends a line for the first call with this flag, which the caller keeps.
void log_once(atomic_flag *flag, const char *line);

#endif
