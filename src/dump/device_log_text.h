/* The bytes that lines of text stand for. */
#ifndef ETSCOPE_DUMP_DEVICE_LOG_TEXT_H
#define ETSCOPE_DUMP_DEVICE_LOG_TEXT_H

#include <stdbool.h>

#include "etscope/base.h"

/* A word of a line: bytes of the text from `begin` to `end`. */
struct ets_word {
    size_t begin, end;
};

/* A pass over the words of a text; escape sequences that colour a terminal are between words. */
struct ets_words {
    struct ets_bytes text;
    size_t at;
    size_t line;      /* where the line of the word that came last begins */
    bool is_new_line; /* a line has ended before the word that came last */
};

/* The next word, of any line; false: the text has ended. */
bool ets_next_word(struct ets_words *words, struct ets_word *out);

/*
 * Base64 at the begin of `text`, up to what is not of its alphabet or begins another prefix; whole
 * groups only. Answers the number of bytes, `*used_out` that of characters. `out` has room for 3
 * bytes for each 4 characters.
 */
size_t ets_decode_base64(struct ets_bytes text, uint8_t *out, size_t *used_out);

/*
 * The bytes of all of a text's lines; `out` has room for as many as the text has. Hexadecimal
 * digits at the end of lines or in front of a dump's right column; words of base64 at their end.
 */
size_t ets_decode_hex_lines(struct ets_bytes text, uint8_t *out);
size_t ets_decode_base64_lines(struct ets_bytes text, uint8_t *out);

#endif
