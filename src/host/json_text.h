/*
 * Escapes a text for a JSON string, piece by piece and without allocation. All writers of JSON use
 * it.
 *
 *     struct ets_json_piece piece;
 *     put("\"", 1);
 *     while (ets_json_next(&text, &piece)) put(piece.data, piece.size);
 *     put("\"", 1);
 *
 * Invalid UTF-8 becomes U+FFFD. Characters that are not safe to print (base.h) are escaped.
 */
#ifndef ETSCOPE_HOST_JSON_TEXT_H
#define ETSCOPE_HOST_JSON_TEXT_H

#include <stdbool.h>

#include "etscope/base.h"

struct ets_json_piece {
    const char *data; /* in the text, or `escape` */
    size_t size;
    char escape[8];
};

/* The most bytes that `size` bytes of text can take, quotes included. */
static inline size_t ets_json_room(size_t size)
{
    return 6 * size + 2;
}

/* Takes the next piece from the front of *text; false at the end. */
bool ets_json_next(struct ets_text *text, struct ets_json_piece *piece);

#endif
