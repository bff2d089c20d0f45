/* How many columns of a terminal a text takes. */
#ifndef ETSCOPE_OUTPUT_TABLE_CHARACTER_WIDTH_H
#define ETSCOPE_OUTPUT_TABLE_CHARACTER_WIDTH_H

#include <stddef.h>
#include <stdint.h>

/* Of well-formed UTF-8 without control characters: 2 of CJK and emoji, 0 of combining marks. */
uint32_t ets_text_columns(const char *data, size_t size);

/* Bytes of the longest beginning that fits `columns`, with the marks that belong to it. */
size_t ets_text_head(const char *data, size_t size, uint32_t columns);
/* Bytes of the longest end that fits, which begins with no mark. */
size_t ets_text_tail(const char *data, size_t size, uint32_t columns);

#endif
