/*
 * bytes.h - the borrowed run of bytes and the borrowed text that readers take and give.
 */
#ifndef ETSCOPE_BYTES_H
#define ETSCOPE_BYTES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `size` bytes at `data`, owned by somebody else. {NULL, 0} is the empty or absent run. */
struct ets_bytes {
    const uint8_t *data;
    size_t size;
};

/*
 * `size` bytes of text at `data`, owned by somebody else. Text from a file is
 * not promised to be UTF-8 nor free of control bytes. `data` NULL: absent, which
 * formats tell from the empty text.
 */
struct ets_text {
    const char *data;
    size_t size;
};

/* A struct ets_text as the two arguments of "%.*s"; one of more than 4,096 bytes is cut. */
#define ETS_TEXT(text) ((text).size > 4096 ? 4096 : (int)(text).size), (text).data

#ifdef __cplusplus
}
#endif

#endif
