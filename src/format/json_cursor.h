/*
 * Walks through JSON in memory, for the small texts in payloads: containers are entered or
 * skipped, nothing is kept.
 *
 *     struct ets_json_cursor cursor = {.text = text};
 *     struct ets_text key;
 *     if (ets_json_cursor_enter(&cursor, '{')) {
 *         while (ets_json_cursor_member(&cursor, &key)) ets_json_cursor_skip(&cursor);
 *     }
 *     if (cursor.is_broken) refuse(cursor.at);
 *
 * Texts are as they stand between their quotes: escapes stay.
 */
#ifndef ETSCOPE_FORMAT_JSON_CURSOR_H
#define ETSCOPE_FORMAT_JSON_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "etscope/base.h"

struct ets_json_cursor {
    struct ets_text text;
    size_t at;
    bool is_broken; /* and the rest is not read */
};

/* Whether an object ('{') or array ('[') begins here, which is entered. */
bool ets_json_cursor_enter(struct ets_json_cursor *cursor, char bracket);
/* Goes to the next member of an object. false: the object has ended, and was left. */
bool ets_json_cursor_member(struct ets_json_cursor *cursor, struct ets_text *key_out);
/* Goes to the next item of an array; likewise. */
bool ets_json_cursor_item(struct ets_json_cursor *cursor);
/* Take the value here if it is of that kind; else it is skipped. */
bool ets_json_cursor_text(struct ets_json_cursor *cursor, struct ets_text *text_out);
bool ets_json_cursor_count(struct ets_json_cursor *cursor, uint64_t *count_out);
/* *value_out: the value's own text. */
void ets_json_cursor_value(struct ets_json_cursor *cursor, struct ets_text *value_out);
/* Enters the object here and goes to the member `key`. false: there is none. */
bool ets_json_cursor_find(struct ets_json_cursor *cursor, const char *key);

static inline void ets_json_cursor_skip(struct ets_json_cursor *cursor)
{
    struct ets_text value;
    ets_json_cursor_value(cursor, &value);
}

#endif
