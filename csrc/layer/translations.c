#include "translations.h"

#include "log.h"
#include "text.h"
#include "translator.h"

#include <stdlib.h>

// Copies a field if there is one. Clears `*has_memory` if it cannot.
static char *copy_field(const struct fields *answer, const char *key, bool *has_memory)
{
    const char *value = fields_find(answer, key);
    char *copy = value ? text_duplicate(value) : NULL;
    *has_memory = *has_memory && (copy || !value);
    return copy;
}

static enum translation_kind kind_of(const struct fields *answer)
{
    const char *status = fields_find(answer, "status");
    if (!text_is_same(status, "ok"))
        return TRANSLATION_REFUSED;
    const char *passes = fields_find(answer, "passes");
    return text_is_same(passes, "untouched") ? TRANSLATION_UNTOUCHED : TRANSLATION_CHANGED;
}

static struct translation refuse(char *log)
{
    return (struct translation){.kind = TRANSLATION_REFUSED, .log = log};
}

static struct translation read_answer(const struct fields *answer)
{
    bool has_memory = true;
    struct translation translation = {
        .kind = kind_of(answer),
        .text = copy_field(answer, "text", &has_memory),
        .options = copy_field(answer, "options", &has_memory),
        .log = copy_field(answer, "log", &has_memory),
        .types = copy_field(answer, "types", &has_memory),
        .attributes = copy_field(answer, "attributes", &has_memory),
        .launches = copy_field(answer, "launches", &has_memory),
    };
    bool lacks_text = translation.kind == TRANSLATION_CHANGED && !translation.text;
    if (has_memory && !lacks_text)
        return translation;
    translation_free(&translation);
    return refuse(text_duplicate(has_memory ? "halfcl's translator: an answer has no text\n"
                                            : "halfcl: no memory for a translation\n"));
}

struct translation translation_ask(const struct message *request)
{
    struct fields answer;
    char *error = translator_ask(request, &answer);
    if (error) {
        log_line("%s", error);
        char *log = text_print("error: %s\n", error);
        free(error);
        return refuse(log);
    }
    struct translation translation = read_answer(&answer);
    fields_free(&answer);
    return translation;
}

void translation_free(struct translation *translation)
{
    free(translation->text);
    free(translation->options);
    free(translation->log);
    free(translation->types);
    free(translation->attributes);
    free(translation->launches);
    *translation = (struct translation){0};
}
