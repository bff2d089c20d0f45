/* The width of a text in columns of a terminal. */
#ifndef ETSCOPE_OUTPUT_TEXT_CHARACTER_WIDTH_H
#define ETSCOPE_OUTPUT_TEXT_CHARACTER_WIDTH_H

#include <stddef.h>
#include <stdint.h>

/*
 * Width of well-formed UTF-8 without control characters: 2 for CJK and emoji, 0 for combining
 * marks.
 */
uint32_t ets_text_columns(const char *data, size_t size);

/* Bytes of the longest prefix that fits `columns`, including its combining marks. */
size_t ets_text_head(const char *data, size_t size, uint32_t columns);
/* Bytes of the longest suffix that fits and does not start with a combining mark. */
size_t ets_text_tail(const char *data, size_t size, uint32_t columns);

/* Bytes of the first line of a text in lines of `width` columns, broken between words if it can be,
 * and where the next line begins. */
size_t ets_text_line(const char *data, size_t size, uint32_t width, size_t *next_out);
/* The same, but a word that is longer than the line stays whole: a path is copied. */
size_t ets_text_words(const char *data, size_t size, uint32_t width, size_t *next_out);

#endif
