/* JSON as a tape of values in one array: parsing a text in place, and looking values up. */
#include "record/json.h"

#include <stdbool.h>
#include <string.h>

#include "host/arena.h"

void ets_json_init(struct ets_json *json, const struct ets_allocator *allocator)
{
    *json = (struct ets_json){.allocator = allocator != NULL ? allocator : &ets_libc_allocator};
}

void ets_json_reset(struct ets_json *json)
{
    json->allocator->release(json->allocator->context, json->values);
    *json = (struct ets_json){.allocator = json->allocator};
}

/* The code unit of the escape "\uXXXX" at `at`; 0: none. */
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
