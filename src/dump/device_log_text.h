/* Decodes bytes from lines of text. */
#ifndef ETSCOPE_DUMP_DEVICE_LOG_TEXT_H
#define ETSCOPE_DUMP_DEVICE_LOG_TEXT_H

#include <stdbool.h>

#include "etscope/base.h"

/* A word of a line: bytes of the text from `begin` to `end`. */
struct ets_word {
    size_t begin, end;
};

/* Iterates over the words of a text. Terminal escape sequences for colours separate words. */
struct ets_words {
    struct ets_bytes text;
    size_t at;
    size_t line;      /* where the line of the last word begins */
    bool is_new_line; /* a line ended before the last word */
};

/* The next word, in any line; false at the end of the text. */
bool ets_next_word(struct ets_words *words, struct ets_word *out);

/*
 * Decodes base64 at the start of `text`, up to a character outside its alphabet or another prefix;
 * whole groups only. Returns the number of bytes; `*used_out` is the number of characters. `out`
 * needs room for 3 bytes per 4 characters.
 */
size_t ets_decode_base64(struct ets_bytes text, uint8_t *out, size_t *used_out);

/*
 * Decode all lines of a text; `out` needs room for as many bytes as the text has. Hexadecimal
 * digits are read at the end of lines or before the right column of a dump, base64 words at the end
 * of lines.
 */
size_t ets_decode_hex_lines(struct ets_bytes text, uint8_t *out);
size_t ets_decode_base64_lines(struct ets_bytes text, uint8_t *out);

#endif
