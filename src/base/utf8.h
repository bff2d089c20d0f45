/* The numbers of UTF-8's characters, whose bytes ets_utf8_length has checked (base.h). */
#ifndef ETSCOPE_BASE_UTF8_H
#define ETSCOPE_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Of the character that the `length` bytes at `at` are. */
static inline uint32_t ets_utf8_code(const char *at, size_t length)
{
    const unsigned char lead = (unsigned char)at[0];
    uint32_t code = length == 1 ? lead : lead & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) code = code << 6 | ((unsigned char)at[i] & 0x3fu);
    return code;
}

/* Bytes that a character takes if it is one, as its first byte tells. */
static inline size_t ets_utf8_wanted(unsigned char lead)
{
    return lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
}

#endif
