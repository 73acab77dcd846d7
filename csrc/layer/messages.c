#include "messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_number(unsigned char *target, uint64_t number, size_t size)
{
    for (size_t i = 0; i < size; i++)
        target[i] = (unsigned char)(number >> (8 * i));
}

static uint64_t get_number(const unsigned char *source, size_t size)
{
    uint64_t number = 0;
    for (size_t i = 0; i < size; i++)
        number |= (uint64_t)source[i] << (8 * i);
    return number;
}

// Makes room for more bytes, and returns where they belong; NULL if there is no memory.
static unsigned char *extend(struct message *message, size_t size)
{
    if (message->has_failed)
        return NULL;
    if (message->room - message->size < size) {
        size_t room = 2 * message->room + size + 256;
        unsigned char *bytes = realloc(message->bytes, room);
        if (!bytes) {
            message->has_failed = true;
            return NULL;
        }
        message->bytes = bytes;
        message->room = room;
    }
    message->size += size;
    return message->bytes + message->size - size;
}

static void count_fields(struct message *message, uint32_t more)
{
    message->fields += more;
    if (message->bytes)
        put_number(message->bytes, message->fields, 4);
}

void message_begin(struct message *message)
{
    *message = (struct message){0};
    unsigned char *target = extend(message, 4);
    if (target)
        put_number(target, 0, 4);
}

void message_add_bytes(struct message *message, const char *key, const char *value, size_t size)
{
    size_t key_size = strlen(key) + 1;
    unsigned char *target = extend(message, 8 + key_size + size);
    if (!target)
        return;
    put_number(target, key_size + size, 8);
    memcpy(target + 8, key, key_size);
    if (size)
        memcpy(target + 8 + key_size, value, size);
    count_fields(message, 1);
}

void message_add(struct message *message, const char *key, const char *value)
{
    message_add_bytes(message, key, value, value ? strlen(value) : 0);
}

void message_add_number(struct message *message, const char *key, unsigned long long value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%llu", value);
    message_add(message, key, digits);
}

void message_add_all(struct message *message, const struct message *other)
{
    message->has_failed |= other->has_failed;
    size_t size = message->has_failed ? 0 : other->size - 4;
    unsigned char *target = extend(message, size);
    if (!target)
        return;
    memcpy(target, other->bytes + 4, size);
    count_fields(message, other->fields);
}

bool message_is_same(const struct message *one, const struct message *other)
{
    return one->size == other->size && !memcmp(one->bytes, other->bytes, one->size);
}

void message_free(struct message *message)
{
    free(message->bytes);
    *message = (struct message){0};
}

// Reads a field, which gets a zero behind its key even if it has none. NULL on failure.
static char *read_field(read_function read, void *source)
{
    unsigned char length_bytes[8];
    if (!read(source, length_bytes, sizeof length_bytes))
        return NULL;
    uint64_t length = get_number(length_bytes, sizeof length_bytes);
    if (length > MESSAGE_LENGTH_MAX)
        return NULL;
    size_t size = (size_t)length;
    char *field = malloc(size + 2);
    if (!field)
        return NULL;
    field[size] = field[size + 1] = 0;
    if (size && !read(source, field, size)) {
        free(field);
        return NULL;
    }
    return field;
}

bool fields_read(struct fields *fields, read_function read, void *source)
{
    *fields = (struct fields){0};
    unsigned char count_bytes[4];
    if (!read(source, count_bytes, sizeof count_bytes))
        return false;
    uint32_t count = (uint32_t)get_number(count_bytes, sizeof count_bytes);
    if (!count || count > MESSAGE_FIELDS_MAX)
        return false;
    fields->fields = calloc(count, sizeof *fields->fields);
    if (!fields->fields)
        return false;
    while (fields->count < count) {
        char *field = read_field(read, source);
        if (!field) {
            fields_free(fields);
            return false;
        }
        fields->fields[fields->count++] = field;
    }
    return true;
}

const char *fields_find(const struct fields *fields, const char *key)
{
    for (uint32_t i = 0; i < fields->count; i++)
        if (!strcmp(fields->fields[i], key))
            return fields->fields[i] + strlen(key) + 1;
    return NULL;
}

void fields_free(struct fields *fields)
{
    for (uint32_t i = 0; i < fields->count; i++)
        free(fields->fields[i]);
    free(fields->fields);
    *fields = (struct fields){0};
}
