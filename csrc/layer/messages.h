// Messages between the layer and the translator: fields of key and value (README.md).
#ifndef HALFCL_LAYER_MESSAGES_H
#define HALFCL_LAYER_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MESSAGE_FIELDS_MAX 65536u
#define MESSAGE_LENGTH_MAX (UINT64_C(1) << 30)

// A message that is being written. If memory runs out, `has_failed` is set, and all else does
// nothing.
struct message {
    unsigned char *bytes;
    size_t size, room;
    uint32_t fields;
    bool has_failed;
};

void message_begin(struct message *message);
void message_add(struct message *message, const char *key, const char *value);
void message_add_bytes(struct message *message, const char *key, const char *value,
                       size_t size);
void message_add_number(struct message *message, const char *key, unsigned long long value);

// Adds all fields of another message.
void message_add_all(struct message *message, const struct message *other);
bool message_is_same(const struct message *one, const struct message *other);
void message_free(struct message *message);

// A message that was read.
struct fields {
    uint32_t count;
    char **fields; // keys, each with its value behind a zero, and another zero
};

// A function that reads exactly as many bytes.
typedef bool (*read_function)(void *source, void *bytes, size_t size);

// Returns whether a message was read. What is malformed is not.
bool fields_read(struct fields *fields, read_function read, void *source);

// The value of a key, NULL without it.
const char *fields_find(const struct fields *fields, const char *key);
void fields_free(struct fields *fields);

#endif
