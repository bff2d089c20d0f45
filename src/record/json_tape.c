/* Fills the tape: makes room for values, and parses numbers. */
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record/json.h"

enum { FIRST_CAPACITY = 256 };

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

/* strtod expects the decimal point of the current locale. */
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

static int fail_number(struct ets_json_failure *failure, const char *text)
{
    failure->status = ETS_MALFORMED;
    failure->text = text;
    return -1;
}

/* What Python writes; the parser also takes "-NaN", "Inf" and digits behind them. */
static int set_word(struct ets_json_value *value, const char *text, size_t size,
                    struct ets_json_failure *failure)
{
    static const struct word {
        char text[12];
        double number;
    } words[] = {{"NaN", NAN}, {"Infinity", INFINITY}, {"-Infinity", -INFINITY}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (size != strlen(words[i].text) || memcmp(text, words[i].text, size) != 0) continue;
        value->as.number = words[i].number;
        return 0;
    }
    return fail_number(failure, "expected a value");
}

int ets_json_set_number(struct ets_json_value *value, const char *text, size_t size, int is_kept,
                        struct ets_json_failure *failure)
{
    const size_t sign = size > 0 && text[0] == '-';
    if (size > ETS_JSON_MAX_NUMBER_CHARS || size == sign) {
        failure->status = ETS_LIMIT;
        failure->text = "a number is too long";
        return -1;
    }
    if (text[sign] != 'N' && text[sign] != 'I' && set_integer(value, text, size)) return 0;
    if (is_kept) {
        value->kind = ETS_JSON_DECIMAL;
        value->size = (uint32_t)size;
        value->as.text = (char *)(uintptr_t)text;
        return 0;
    }
    value->kind = ETS_JSON_DOUBLE;
    if (text[sign] == 'N' || text[sign] == 'I') return set_word(value, text, size, failure);
    value->as.number = parse_double(text, size);
    if (isfinite(value->as.number)) return 0;
    return fail_number(failure, "a number is too big");
}
