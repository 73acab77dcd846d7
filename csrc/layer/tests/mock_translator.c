// A translator for test_counts where no Python is, as on Windows under Wine: it says the same
// as tests/layer/mock_translator.py. Compiled with messages.c.
#include "../messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#endif

static bool read_input(void *source, void *bytes, size_t size)
{
    return fread(bytes, 1, size, source) == size;
}

static void write_answer(const struct message *answer)
{
    fwrite(answer->bytes, 1, answer->size, stdout);
    fflush(stdout);
}

// Adds a text that differs between devices if the source asks for it.
static void add_text(struct message *answer, const struct fields *request)
{
    static char text[1000];
    const char *source = fields_find(request, "source");
    bool differs = strstr(source, "DEVICE");
    const char *device = differs ? fields_find(request, "device.NAME") : "";
    snprintf(text, sizeof text, "%s // %s", source, device);
    message_add(answer, "text", text);
    message_add(answer, "options", fields_find(request, "options"));
    message_add(answer, "attributes", "answer\tattributes of mock\n");
}

static void answer(const struct fields *request)
{
    struct message message;
    message_begin(&message);
    const char *source = fields_find(request, "source");
    bool is_refused = source && strstr(source, "REFUSED");
    message_add(&message, "status", is_refused ? "refused" : "ok");
    if (source)
        add_text(&message, request);
    else
        message_add(&message, "protocol", "1");
    write_answer(&message);
    message_free(&message);
}

int main(void)
{
    struct fields request;
    if (getenv("OPENCL_LAYERS") || getenv("HALFCL_LAYER_PYTHON") || !getenv("HALFCL_LAYER_LOG"))
        return 3;
#ifdef _WIN32
    _setmode(_fileno(stdin), _O_BINARY);
    _setmode(_fileno(stdout), _O_BINARY);
#endif
    while (fields_read(&request, read_input, stdin)) {
        answer(&request);
        fields_free(&request);
    }
    return 0;
}
