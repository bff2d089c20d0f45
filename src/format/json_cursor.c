/* Finds the ends of values by brackets and quotes. */
#include "format/json_cursor.h"

#include <string.h>

#include "base/text.h"

static int peek(struct ets_json_cursor *c)
{
    while (c->at < c->text.size &&
           (ets_is_blank(c->text.data[c->at]) || c->text.data[c->at] == '\n')) {
        c->at++;
    }
    return !c->is_broken && c->at < c->text.size ? (unsigned char)c->text.data[c->at] : -1;
}

static bool take(struct ets_json_cursor *c, char wanted)
{
    if (peek(c) != wanted) return false;
    c->at++;
    return true;
}

static bool fail(struct ets_json_cursor *c)
{
    c->is_broken = true;
    return false;
}

/* Behind the quote that ends the text whose first quote is here. */
static bool pass_text(struct ets_json_cursor *c)
{
    for (c->at++; c->at < c->text.size; c->at++) {
        const char letter = c->text.data[c->at];
        if (letter == '\\') {
            c->at++;
        } else if (letter == '"') {
            c->at++;
            return true;
        }
    }
    return fail(c);
}

bool ets_json_cursor_enter(struct ets_json_cursor *cursor, char bracket)
{
    return take(cursor, bracket);
}

/* Between members and items: at the next one, or behind the container. */
static bool advance(struct ets_json_cursor *c, char end)
{
    if (take(c, end)) return false;
    take(c, ',');
    return peek(c) >= 0 && peek(c) != end ? true : fail(c);
}

bool ets_json_cursor_member(struct ets_json_cursor *cursor, struct ets_text *key_out)
{
    *key_out = (struct ets_text){NULL, 0};
    if (!advance(cursor, '}')) return false;
    if (peek(cursor) != '"') return fail(cursor);
    const size_t start = cursor->at + 1;
    if (!pass_text(cursor)) return false;
    *key_out = (struct ets_text){cursor->text.data + start, cursor->at - 1 - start};
    return take(cursor, ':') ? true : fail(cursor);
}

bool ets_json_cursor_item(struct ets_json_cursor *cursor)
{
    return advance(cursor, ']');
}

static void pass_container(struct ets_json_cursor *c)
{
    size_t depth = 0;
    do {
        const int letter = peek(c);
        if (letter < 0) {
            fail(c);
            return;
        }
        if (letter == '"') {
            if (!pass_text(c)) return;
            continue;
        }
        depth += letter == '{' || letter == '[';
        depth -= letter == '}' || letter == ']';
        c->at++;
    } while (depth > 0);
}

void ets_json_cursor_value(struct ets_json_cursor *cursor, struct ets_text *value_out)
{
    const int first = peek(cursor);
    const size_t start = cursor->at;
    *value_out = (struct ets_text){NULL, 0};
    if (first == '{' || first == '[') {
        pass_container(cursor);
    } else if (first == '"') {
        pass_text(cursor);
    } else {
        while (cursor->at < cursor->text.size &&
               memchr(",:{}[]\" \t\r\n", cursor->text.data[cursor->at], 11) == NULL) {
            cursor->at++;
        }
        if (cursor->at == start) fail(cursor);
    }
    if (cursor->is_broken) return;
    *value_out = (struct ets_text){cursor->text.data + start, cursor->at - start};
}

bool ets_json_cursor_text(struct ets_json_cursor *cursor, struct ets_text *text_out)
{
    struct ets_text value;
    ets_json_cursor_value(cursor, &value);
    *text_out = (struct ets_text){NULL, 0};
    if (value.size < 2 || value.data[0] != '"') return false;
    *text_out = (struct ets_text){value.data + 1, value.size - 2};
    return true;
}

bool ets_json_cursor_count(struct ets_json_cursor *cursor, uint64_t *count_out)
{
    struct ets_text value;
    ets_json_cursor_value(cursor, &value);
    *count_out = 0;
    if (value.size == 0 || value.size > 18) return false; /* below 2^63 */
    for (size_t i = 0; i < value.size; i++) {
        if (value.data[i] < '0' || value.data[i] > '9') return false;
        *count_out = *count_out * 10 + (uint64_t)(value.data[i] - '0');
    }
    return true;
}

bool ets_json_cursor_find(struct ets_json_cursor *cursor, const char *key)
{
    struct ets_text name;
    if (!ets_json_cursor_enter(cursor, '{')) return false;
    while (ets_json_cursor_member(cursor, &name)) {
        if (ets_text_is(name, key)) return true;
        ets_json_cursor_skip(cursor);
    }
    return false;
}
