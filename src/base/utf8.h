/* Code points and lengths of UTF-8 characters. */
#ifndef ETSCOPE_BASE_UTF8_H
#define ETSCOPE_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* The code point of the character at `at`, of the length that ets_utf8_length returned. */
static inline uint32_t ets_utf8_code(const char *at, size_t length)
{
    const unsigned char lead = (unsigned char)at[0];
    uint32_t code = length == 1 ? lead : lead & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) code = code << 6 | ((unsigned char)at[i] & 0x3fu);
    return code;
}

/* The length of a character according to its first byte. */
static inline size_t ets_utf8_wanted(unsigned char lead)
{
    return lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
}

/*
 * The length of the well-formed UTF-8 character at `at`, 1 to 4; 0 if it is not well-formed
 * (overlong forms and surrogates included). `size` must be at least 1.
 */
size_t ets_utf8_length(const char *at, size_t size);

/*
 * Copies text with U+FFFD for each byte that is not well-formed; `out` NULL: nothing. Returns the
 * bytes of the copy, which are `size` only if all is well-formed, and at most 3 * size.
 */
size_t ets_utf8_copy(const char *text, size_t size, char *out);

#endif
