// A translator for tests where there is no Python, as under Wine: it names the device in texts.
#include "../messages.h"
#include "../text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#endif

static bool read_bytes(void *source, void *bytes, size_t size)
{
    return fread(bytes, 1, size, source) == size;
}

static void answer(const struct message *message)
{
    if (message->has_failed ||
        fwrite(message->bytes, 1, message->size, stdout) != message->size)
        exit(3);
    fflush(stdout);
}

static void translate(const struct fields *request, struct message *message)
{
    const char *source = fields_find(request, "source");
    const char *device = fields_find(request, "device.NAME");
    bool is_refused = strstr(source, "REFUSED") != NULL;
    char *text = text_print("%s\n// %s\n", source, strstr(source, "DEVICE") ? device : "");
    message_add(message, "status", is_refused ? "refused" : "ok");
    message_add(message, "log", is_refused ? "refused\n" : "a warning\n");
    message_add(message, "text", text);
    message_add(message, "options", fields_find(request, "options"));
    message_add(message, "launches", "answer\t64\t16\t0\t0\n");
    free(text);
}

int main(void)
{
#ifdef _WIN32
    _setmode(0, _O_BINARY);
    _setmode(1, _O_BINARY);
#endif
    struct fields request;
    while (fields_read(&request, read_bytes, stdin)) {
        struct message message;
        message_begin(&message);
        if (!strcmp(fields_find(&request, "command"), "hello")) {
            message_add(&message, "status", "ok");
            message_add(&message, "protocol", "1");
        } else {
            translate(&request, &message);
        }
        answer(&message);
        message_free(&message);
        fields_free(&request);
    }
    return 0;
}
