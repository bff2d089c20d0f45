/* Escapes text for JSON strings. */
#include "host/json_text.h"

#include <stdio.h>

#include "base/utf8.h"
#include "etscope/base.h"

/* The length of the character at `at` if JSON needs no escape for it, else 0. */
static size_t own_length(const char *at, size_t size)
{
    if (*at == '"' || *at == '\\') return 0;
    if (*at >= 0x20 && *at < 0x7f) return 1;
    return ets_plain_length(at, size);
}

/* Characters beyond 16 bits need no escape. */
static size_t escape_one(const char *at, size_t size, struct ets_json_piece *piece)
{
    const size_t length = ets_utf8_length(at, size);
    const unsigned code = length == 0 ? 0xfffd : (unsigned)ets_utf8_code(at, length);
    const bool is_syntax = *at == '"' || *at == '\\';
    piece->data = piece->escape;
    piece->size = (size_t)(is_syntax ? snprintf(piece->escape, sizeof piece->escape, "\\%c", *at)
                                     : snprintf(piece->escape, sizeof piece->escape, "\\u%04x",
                                                code & 0xffff));
    return length > 0 ? length : 1;
}

bool ets_json_next(struct ets_text *text, struct ets_json_piece *piece)
{
    size_t taken = 0, length;
    if (text->size == 0) return false;
    while (taken < text->size &&
           (length = own_length(text->data + taken, text->size - taken)) > 0) {
        taken += length;
    }
    if (taken > 0) {
        piece->data = text->data;
        piece->size = taken;
    } else {
        taken = escape_one(text->data, text->size, piece);
    }
    text->data += taken;
    text->size -= taken;
    return true;
}
