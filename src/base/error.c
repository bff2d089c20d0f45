/* Names of statuses, and error messages from a small printf that needs no C library. */
#include "base/error.h"
#include "base/utf8.h"

#include <stdbool.h>

#include "etscope/base.h"

const char *ets_status_name(enum ets_status status)
{
    switch (status) {
#define ETS_CASE(name, number, meaning) \
    case ETS_##name: return #name;
        ETS_STATUS_LIST(ETS_CASE)
#undef ETS_CASE
    }
    return "UNKNOWN";
}

const char *ets_status_meaning(enum ets_status status)
{
    switch (status) {
#define ETS_CASE(name, number, meaning) \
    case ETS_##name: return meaning;
        ETS_STATUS_LIST(ETS_CASE)
#undef ETS_CASE
    }
    return "unknown status";
}

/* A bounded line being built. */
struct line {
    char *data;
    size_t capacity;
    size_t size;
};

static void put(struct line *line, char byte)
{
    if (line->size + 1 < line->capacity) line->data[line->size++] = byte;
}

static void put_text(struct line *line, const char *text, size_t limit)
{
    if (text == NULL) text = "(none)";
    size_t left = 0;
    while (left < limit && text[left] != '\0') left++;
    while (left > 0) {
        const size_t whole = ets_utf8_length(text, left), length = whole > 0 ? whole : 1;
        const bool is_plain = ets_plain_length(text, left) > 0;
        /* If a character does not fit, the line ends before it. */
        if (line->size + length >= line->capacity) line->capacity = line->size;
        for (size_t i = 0; is_plain && i < length; i++) put(line, text[i]);
        if (!is_plain) put(line, '?');
        text += length;
        left -= length;
    }
}

static void put_number(struct line *line, unsigned long long value, bool negative, unsigned base)
{
    char digits[24];
    size_t count = 0;
    do {
        digits[count++] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value != 0);
    if (negative) put(line, '-');
    while (count > 0) put(line, digits[--count]);
}

static long long next_signed(va_list *arguments, int width)
{
    if (width == 2) return va_arg(*arguments, long long);
    if (width == 1) return va_arg(*arguments, long);
    if (width == -1) return (long long)va_arg(*arguments, size_t);
    return va_arg(*arguments, int);
}

static unsigned long long next_unsigned(va_list *arguments, int width)
{
    if (width == 2) return va_arg(*arguments, unsigned long long);
    if (width == 1) return va_arg(*arguments, unsigned long);
    if (width == -1) return va_arg(*arguments, size_t);
    return va_arg(*arguments, unsigned);
}

size_t ets_format_text(char *buffer, size_t capacity, const char *format, va_list arguments)
{
    struct line line = {buffer, capacity, 0};
    va_list list;
    va_copy(list, arguments);
    for (const char *at = format; *at != '\0'; at++) {
        if (*at != '%') {
            put(&line, *at);
            continue;
        }
        at++;
        size_t limit = SIZE_MAX;
        if (at[0] == '.' && at[1] == '*') {
            const int given = va_arg(list, int);
            limit = given < 0 ? SIZE_MAX : (size_t)given;
            at += 2;
        }
        int width = 0; /* number of 'l', -1 for 'z' */
        while (*at == 'l') {
            width++;
            at++;
        }
        if (*at == 'z') {
            width = -1;
            at++;
        }
        if (*at == 's') {
            put_text(&line, va_arg(list, const char *), limit);
        } else if (*at == 'c') {
            put(&line, (char)va_arg(list, int));
        } else if (*at == 'd' || *at == 'i') {
            const long long value = next_signed(&list, width);
            const bool negative = value < 0;
            put_number(&line,
                       negative ? 0ULL - (unsigned long long)value : (unsigned long long)value,
                       negative, 10);
        } else if (*at == 'u') {
            put_number(&line, next_unsigned(&list, width), false, 10);
        } else if (*at == 'x') {
            put_number(&line, next_unsigned(&list, width), false, 16);
        } else if (*at == '\0') {
            break;
        } else {
            put(&line, *at);
        }
    }
    va_end(list);
    if (capacity > 0) buffer[line.size] = '\0';
    return line.size;
}

size_t ets_print_text(char *buffer, size_t capacity, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const size_t size = ets_format_text(buffer, capacity, format, arguments);
    va_end(arguments);
    return size;
}

void ets_set_error(struct ets_error *error, enum ets_status status, uint64_t offset,
                   const char *format, ...)
{
    if (error == NULL) return;
    va_list arguments;
    va_start(arguments, format);
    error->status = status;
    error->offset = offset;
    error->advice = ETS_ADVICE_NONE;
    error->file = NULL;
    ets_format_text(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
}
