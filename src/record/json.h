/*
 * Reads JSON into flat arrays of values ("tapes") with RapidJSON's SAX parser.
 *
 * NaN, Infinity and -Infinity, which Python writes and strict parsers refuse, are numbers here.
 * Integers up to 64 bits are exact; other numbers are rounded to the nearest double, in any locale.
 *
 * The tape lists values in text order: a container is followed by its children, and an object's
 * children are key, value, key, value... `span` leads from a container past its children:
 *
 *     const struct ets_json_value *item = ets_json_first(array);
 *     for (uint32_t i = 0; i < array->size; i++, item = ets_json_next(item)) ...
 */
#ifndef ETSCOPE_RECORD_JSON_H
#define ETSCOPE_RECORD_JSON_H

#include <stddef.h>
#include <stdint.h>

#include "etscope/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Limits of one text. */
enum { ETS_JSON_MAX_DEPTH = 1024, ETS_JSON_MAX_NUMBER_CHARS = 1024 };
#define ETS_JSON_MAX_BYTES ((size_t)1 << 30)
#define ETS_JSON_MAX_VALUES ((size_t)1 << 26)

enum ets_json_kind {
    ETS_JSON_NULL = 0,
    ETS_JSON_BOOL = 1,    /* integer: 0 or 1 */
    ETS_JSON_INT = 2,     /* integer */
    ETS_JSON_UINT = 3,    /* uinteger, above INT64_MAX */
    ETS_JSON_DOUBLE = 4,  /* number */
    ETS_JSON_TEXT = 5,    /* text[size], terminated */
    ETS_JSON_DECIMAL = 6, /* text[size], not terminated: a number as it is written */
    ETS_JSON_ARRAY = 7,   /* size elements, span */
    ETS_JSON_OBJECT = 8   /* size members, span */
};

struct ets_json_value {
    uint32_t kind; /* enum ets_json_kind */
    uint32_t size;
    union {
        int64_t integer;
        uint64_t uinteger;
        double number;
        char *text;    /* in the parsed buffer */
        uint64_t span; /* values up to the next sibling, itself included */
    } as;
};

/* A tape. Parsing again reuses its memory. */
struct ets_json {
    const struct ets_allocator *allocator;
    struct ets_json_value *values;
    size_t count, capacity;
    int keeps_decimals; /* 1: numbers that are no integers of 64 bits become DECIMALs */
};

/* An error of the parser; `text` is static. */
struct ets_json_failure {
    enum ets_status status;
    size_t offset; /* in the text */
    const char *text;
};

void ets_json_init(struct ets_json *json, const struct ets_allocator *allocator);
void ets_json_reset(struct ets_json *json);

/*
 * Parses text[0, size) in place and overwrites it; the tape's texts point into it. text[size] must
 * be 0. Statuses: MALFORMED, LIMIT, NO_MEMORY, with the position in `failure`.
 */
enum ets_status ets_json_parse(struct ets_json *json, char *text, size_t size,
                               struct ets_json_failure *failure);

/* The parser itself (json_sax.cc), on a checked size. */
enum ets_status ets_json_scan(struct ets_json *json, char *text, size_t size,
                              struct ets_json_failure *failure);

/*
 * Sets `value` from the text of a number: JSON's grammar, NaN, or Infinity with or without a sign.
 * `is_kept`: a DECIMAL that points to `text`, unless it is an integer. Returns 0, or -1 with
 * `failure` set if it is too long.
 */
int ets_json_set_number(struct ets_json_value *value, const char *text, size_t size, int is_kept,
                        struct ets_json_failure *failure);

/* Makes room for one more value. Returns 0, or -1 with `failure` set (limit or no memory). */
int ets_json_grow(struct ets_json *json, struct ets_json_failure *failure);

static inline const struct ets_json_value *ets_json_first(const struct ets_json_value *container)
{
    return container + 1;
}

static inline const struct ets_json_value *ets_json_next(const struct ets_json_value *value)
{
    return value + (value->kind >= ETS_JSON_ARRAY ? value->as.span : 1);
}

/* 1 if `value` (NULL allowed) has that kind. */
static inline int ets_json_is(const struct ets_json_value *value, enum ets_json_kind kind)
{
    return value != NULL && value->kind == (uint32_t)kind;
}

/* The member of an object, or NULL (no such member, not an object, NULL). */
const struct ets_json_value *ets_json_get(const struct ets_json_value *object, const char *key);

/* The text, or an absent text for another kind or NULL. */
struct ets_text ets_json_text(const struct ets_json_value *value);

/* 1 if it is a text equal to `expected`. */
int ets_json_text_is(const struct ets_json_value *value, const char *expected);

#ifdef __cplusplus
}
#endif

#endif
