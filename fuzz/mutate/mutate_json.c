/* Changes a JSON text by its values: removes, copies and exchanges them, and puts others there. */
#include <stdio.h>
#include <string.h>

#include "mutate.h"

struct span {
    size_t at, size;
};

static size_t end_of_text(const struct mutant *m, size_t at)
{
    for (at++; at < m->size && m->data[at] != '"'; at++) {
        if (m->data[at] == '\\') at++;
    }
    return at < m->size ? at + 1 : m->size;
}

static bool is_plain(uint8_t byte)
{
    return strchr("{}[],:\" \t\r\n", byte) == NULL || byte == 0;
}

/* The end of the value that begins here. */
static size_t end_of_value(const struct mutant *m, size_t at)
{
    size_t depth = 0;
    do {
        const uint8_t byte = m->data[at];
        if (byte == '"') at = end_of_text(m, at);
        else if (is_plain(byte)) {
            while (at < m->size && is_plain(m->data[at])) at++;
        } else {
            depth += byte == '{' || byte == '[';
            if ((byte == '}' || byte == ']') && depth > 0) depth--;
            at++;
        }
    } while (at < m->size && depth > 0);
    return at;
}

/* A value or a name, from a place chosen at random. */
static struct span any_value(struct mutant *m)
{
    const size_t start = mutant_random(m, m->size);
    size_t at = 0;
    /* From the start of a text on, so that what is inside of texts is not taken for values. */
    while (at < m->size) {
        const uint8_t byte = m->data[at];
        const bool is_start = byte == '{' || byte == '[' || byte == '"' || is_plain(byte);
        if (at >= start && is_start) return (struct span){at, end_of_value(m, at) - at};
        if (byte == '"') at = end_of_text(m, at);
        else at++;
    }
    return (struct span){0, end_of_value(m, 0)};
}

static void remove_value(struct mutant *m)
{
    struct span value = any_value(m);
    size_t end = value.at + value.size;
    if (end < m->size && m->data[end] == ',') end++;
    else if (value.at > 0 && m->data[value.at - 1] == ',') value.at--;
    (void)mutant_replace(m, value.at, end - value.at, NULL, 0);
}

/* In the place of another one, or beside it. */
static void copy_value(struct mutant *m)
{
    const struct span from = any_value(m), to = any_value(m);
    const bool is_beside = mutant_random(m, 2) == 0;
    if (mutant_replace(m, to.at, is_beside ? 0 : to.size, m->data + from.at, from.size) &&
        is_beside) {
        (void)mutant_replace(m, to.at + from.size, 0, ",", 1);
    }
}

/* Another number, literal or escape. */
static void put_value(struct mutant *m)
{
    static const char *const values[] = {"null",
                                         "true",
                                         "false",
                                         "[]",
                                         "{}",
                                         "\"\"",
                                         "-0",
                                         "1e999",
                                         "-1e-999",
                                         "0.1",
                                         "NaN",
                                         "[[]]",
                                         "-1",
                                         "Infinity",
                                         "\"\\ud800\"",
                                         "1E5",
                                         "\"\\u0000\"",
                                         "[null]",
                                         "{\"as_int\":1}",
                                         "9007199254740993",
                                         "18446744073709551616"};
    char text[24];
    const struct span to = any_value(m);
    const char *value = values[mutant_random(m, sizeof values / sizeof *values)];
    if (mutant_random(m, 2) == 0) {
        snprintf(text, sizeof text, "%lld", (long long)mutant_number(m));
        value = text;
    }
    (void)mutant_replace(m, to.at, to.size, value, strlen(value));
}

static void change_text(struct mutant *m)
{
    for (int i = 0; i < 8; i++) {
        const struct span text = any_value(m);
        if (m->data[text.at] != '"' || text.size < 2) continue;
        mutant_shake(m, text.at + 1, text.size - 2);
        return;
    }
}

void mutate_json(struct mutant *mutant)
{
    static void (*const changes[])(struct mutant *) = {remove_value, copy_value, put_value,
                                                       change_text};
    if (mutant->size == 0) return;
    changes[mutant_random(mutant, sizeof changes / sizeof *changes)](mutant);
}
