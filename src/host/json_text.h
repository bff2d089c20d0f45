/*
 * What stands for a text between the quotes of a JSON string, piece by piece: nothing is allocated,
 * and every writer of JSON escapes alike.
 *
 *     struct ets_json_piece piece;
 *     put("\"", 1);
 *     while (ets_json_next(&text, &piece)) put(piece.data, piece.size);
 *     put("\"", 1);
 *
 * Bytes that are no UTF-8 become U+FFFD; what may not be shown (base.h) is escaped.
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

/* The most bytes that `size` bytes of a text become, with their quotes. */
static inline size_t ets_json_room(size_t size)
{
    return 6 * size + 2;
}

/* The next piece of *text, which moves behind it; false at the end. */
bool ets_json_next(struct ets_text *text, struct ets_json_piece *piece);

#endif
