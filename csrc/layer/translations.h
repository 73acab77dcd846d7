// Translations, as the translator answers them.
#ifndef HALFCL_LAYER_TRANSLATIONS_H
#define HALFCL_LAYER_TRANSLATIONS_H

#include "messages.h"

enum translation_kind { TRANSLATION_UNTOUCHED, TRANSLATION_CHANGED, TRANSLATION_REFUSED };

struct translation {
    enum translation_kind kind;
    char *text, *options, *log, *types, *attributes, *launches; // to be freed, or NULL
};

// Asks the translator. A request that has no answer is refused, with the reason in the log.
struct translation translation_ask(const struct message *request);
void translation_free(struct translation *translation);

#endif
