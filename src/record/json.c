#include "record/json.h"

#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "host/arena.h"

enum { FIRST_CAPACITY = 256 };

void ets_json_init(struct ets_json *json, const struct ets_allocator *allocator)
{
    *json = (struct ets_json){.allocator = allocator != NULL ? allocator : &ets_libc_allocator};
}

void ets_json_reset(struct ets_json *json)
{
    json->allocator->release(json->allocator->context, json->values);
    *json = (struct ets_json){.allocator = json->allocator};
}

int ets_json_grow(struct ets_json *json, struct ets_json_failure *failure)
{
    const size_t capacity = json->capacity == 0 ? FIRST_CAPACITY : json->capacity * 2;
    if (capacity > ETS_JSON_MAX_VALUES) {
        failure->status = ETS_LIMIT;
        failure->text = "too many values";
        return -1;
    }
    struct ets_json_value *values = json->allocator->reallocate(
        json->allocator->context, json->values, capacity * sizeof *values);
    if (values == NULL) {
        failure->status = ETS_NO_MEMORY;
        failure->text = "no memory";
        return -1;
    }
    json->values = values;
    json->capacity = capacity;
    return 0;
}

/* 1 where `text` is an integer of 64 bits. */
static int set_integer(struct ets_json_value *value, const char *text, size_t size)
{
    const int negative = text[0] == '-';
    uint64_t number = 0;
    for (size_t i = (size_t)negative; i < size; i++) {
        if (text[i] < '0' || text[i] > '9') return 0;
        const unsigned digit = (unsigned)(text[i] - '0');
        if (number > (UINT64_MAX - digit) / 10) return 0;
        number = number * 10 + digit;
    }
    if (negative) {
        if (number > (uint64_t)INT64_MAX + 1) return 0;
        value->kind = ETS_JSON_INT;
        value->as.integer = (int64_t)(0 - number);
    } else if (number <= INT64_MAX) {
        value->kind = ETS_JSON_INT;
        value->as.integer = (int64_t)number;
    } else {
        value->kind = ETS_JSON_UINT;
        value->as.uinteger = number;
    }
    return 1;
}

/* strtod wants the program's decimal point, whatever that is at the moment. */
static double parse_double(const char *text, size_t size)
{
    char copy[ETS_JSON_MAX_NUMBER_CHARS + 8];
    const char *point = localeconv()->decimal_point;
    const size_t point_size = strlen(point);
    size_t used = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '.' && point_size > 0 && point_size < 8) {
            memcpy(copy + used, point, point_size);
            used += point_size;
        } else {
            copy[used++] = text[i];
        }
    }
    copy[used] = '\0';
    return strtod(copy, NULL);
}

int ets_json_set_number(struct ets_json_value *value, const char *text, size_t size,
                        struct ets_json_failure *failure)
{
    const size_t sign = size > 0 && text[0] == '-';
    if (size > ETS_JSON_MAX_NUMBER_CHARS || size == sign) {
        failure->status = ETS_LIMIT;
        failure->text = "a number is too long";
        return -1;
    }
    if (text[sign] != 'N' && text[sign] != 'I' && set_integer(value, text, size)) return 0;
    value->kind = ETS_JSON_DOUBLE;
    if (text[sign] == 'N') value->as.number = NAN;
    else if (text[sign] == 'I') value->as.number = sign ? -INFINITY : INFINITY;
    else value->as.number = parse_double(text, size);
    return 0;
}

/* The code unit of the escape "\uXXXX" at `at`; 0 where there is none. */
static unsigned read_escape(const char *at, const char *end)
{
    unsigned unit = 0;
    if (end - at < 6 || at[0] != '\\' || at[1] != 'u') return 0;
    for (int i = 2; i < 6; i++) {
        const char c = at[i];
        const bool is_digit = c >= '0' && c <= '9';
        const bool is_letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'f';
        if (!is_digit && !is_letter) return 0;
        unit = unit * 16 + (unsigned)(is_digit ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return unit;
}

/*
 * Half of a pair of surrogates alone becomes U+FFFD: Python writes one for each byte of a path that
 * is no UTF-8, and the path is no reason to refuse the record.
 */
static void mend_surrogates(char *text, size_t size)
{
    char *const end = text + size;
    for (char *at = text; at < end && (at = memchr(at, '\\', (size_t)(end - at))) != NULL;) {
        const unsigned unit = read_escape(at, end);
        if (unit < 0xd800 || unit > 0xdfff) {
            at += end - at < 2 ? 1 : 2;
            continue;
        }
        const unsigned next = read_escape(at + 6, end);
        const bool is_pair = unit < 0xdc00 && next >= 0xdc00 && next <= 0xdfff;
        if (!is_pair) memcpy(at + 2, "fffd", 4);
        at += is_pair ? 12 : 6;
    }
}

enum ets_status ets_json_parse(struct ets_json *json, char *text, size_t size,
                               struct ets_json_failure *failure)
{
    *failure = (struct ets_json_failure){.status = ETS_OK};
    json->count = 0;
    if (size > ETS_JSON_MAX_BYTES) {
        *failure = (struct ets_json_failure){ETS_LIMIT, 0, "the text is too long"};
        return ETS_LIMIT;
    }
    mend_surrogates(text, size);
    return ets_json_scan(json, text, size, failure);
}

const struct ets_json_value *ets_json_get(const struct ets_json_value *object, const char *key)
{
    if (!ets_json_is(object, ETS_JSON_OBJECT)) return NULL;
    const size_t size = strlen(key);
    const struct ets_json_value *name = ets_json_first(object);
    for (uint32_t i = 0; i < object->size; i++) {
        if (name->size == size && memcmp(name->as.text, key, size) == 0) return name + 1;
        name = ets_json_next(name + 1);
    }
    return NULL;
}

struct ets_text ets_json_text(const struct ets_json_value *value)
{
    if (!ets_json_is(value, ETS_JSON_TEXT)) return (struct ets_text){NULL, 0};
    return (struct ets_text){value->as.text, value->size};
}

int ets_json_text_is(const struct ets_json_value *value, const char *expected)
{
    return ets_json_is(value, ETS_JSON_TEXT) && value->size == strlen(expected) &&
           memcmp(value->as.text, expected, value->size) == 0;
}
