/* Borrowed texts and their comparison. */
#ifndef ETSCOPE_BASE_TEXT_H
#define ETSCOPE_BASE_TEXT_H

#include <stdbool.h>
#include <string.h>

#include "etscope/base.h"

/* NULL is the absent text. */
static inline struct ets_text ets_text_of(const char *string)
{
    return (struct ets_text){string, string == NULL ? 0 : strlen(string)};
}

/* Absent texts equal nothing, not even each other. */
static inline bool ets_text_equal(struct ets_text left, struct ets_text right)
{
    return left.data != NULL && right.data != NULL && left.size == right.size &&
           memcmp(left.data, right.data, left.size) == 0;
}

/* Compares bytes like strcmp: below, equal to or above 0. */
static inline int ets_text_compare(struct ets_text left, struct ets_text right)
{
    const size_t size = left.size < right.size ? left.size : right.size;
    const int order = size == 0 ? 0 : memcmp(left.data, right.data, size);
    return order != 0 ? order : (left.size > right.size) - (left.size < right.size);
}

/* Absent and empty texts are alike. */
static inline bool ets_text_same(struct ets_text left, struct ets_text right)
{
    return left.size == right.size && ets_text_compare(left, right) == 0;
}

static inline bool ets_text_is(struct ets_text text, const char *expected)
{
    return ets_text_equal(text, (struct ets_text){expected, strlen(expected)});
}

static inline bool ets_text_starts_with(struct ets_text text, const char *start)
{
    const size_t size = strlen(start);
    return text.data != NULL && text.size >= size && memcmp(text.data, start, size) == 0;
}

static inline bool ets_text_contains(struct ets_text text, const char *part)
{
    for (size_t at = 0; at < text.size; at++) {
        const struct ets_text rest = {text.data + at, text.size - at};
        if (ets_text_starts_with(rest, part)) return true;
    }
    return false;
}

/* Space within a line, and what a line of other systems ends with. */
static inline bool ets_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Without blanks at its ends. */
static inline struct ets_text ets_text_trim(struct ets_text text)
{
    while (text.size > 0 && ets_is_blank(text.data[text.size - 1])) text.size--;
    while (text.size > 0 && ets_is_blank(text.data[0])) {
        text.data++;
        text.size--;
    }
    return text;
}

/* What follows the last '/'. */
static inline struct ets_text ets_text_without_folder(struct ets_text path)
{
    for (size_t i = path.size; i > 0; i--) {
        if (path.data[i - 1] == '/') return (struct ets_text){path.data + i, path.size - i};
    }
    return path;
}

#endif
