// The process beside the program that translates.
#ifndef HALFCL_LAYER_TRANSLATOR_H
#define HALFCL_LAYER_TRANSLATOR_H

#include "messages.h"

// Sends a request and reads its answer; starts the translator if there is none, and once more
// if it ends meanwhile. Returns NULL, or why there is no answer, to be freed. Threads take
// turns.
char *translator_ask(const struct message *request, struct fields *answer);

// Ends the process, until the next request.
void translator_stop(void);

// Has the child of a fork start a translator of its own.
void translator_prepare_for_forks(void);

#endif
