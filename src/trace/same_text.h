/* Checks whether a caller's name is unchanged. This is the longest part of recording an event. */
#ifndef ETSCOPE_TRACE_SAME_TEXT_H
#define ETSCOPE_TRACE_SAME_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/freestanding.h"

/* Stored texts are followed by this many readable bytes after their NUL. */
enum { ETS_TEXT_SLACK = 8 };

/*
 * 1 if `name` begins with the `size` bytes at `text`. Stops at the first difference, because `name`
 * may be shorter now.
 */
static inline bool ets_begins_with(const char *name, const char *text, size_t size)
{
    const char *end = text + size;
    for (; text < end; text++, name++) {
        if (*name != *text) return false;
    }
    return true;
}

/* Sanitizers check every byte, so they use the portable version. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer) || __has_feature(hwaddress_sanitizer)
#define ETS_BY_BYTE
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_HWADDRESS__) || \
    defined(__SANITIZE_THREAD__) || !defined(__GNUC__)
#define ETS_BY_BYTE
#endif

#if !defined(ETS_BY_BYTE) && (defined(__x86_64__) || defined(__aarch64__))

static inline uint64_t ets_word_at(const char *at)
{
    uint64_t word;
    ets_copy(&word, at, sizeof word);
    return word;
}

/*
 * Compares aligned words of `name`. An aligned word lies in one page, so it can be read if one of
 * its bytes can (C libraries find the end of a text in the same way). The next word is read only
 * after all bytes before it were equal, and so contained no NUL. The shape of a comparison holds
 * what it needs of pointer and size: the offset of the last word, and the ignored bits of the first
 * and the last word.
 */
static inline uint32_t ets_text_shape(const char *name, size_t size)
{
    const size_t skip = (uintptr_t)name & 7, end = skip + size + 1; /* with the NUL */
    const size_t last = (end - 1) & ~(size_t)7, behind = last + 8 - end;
    return (uint32_t)(last << 16 | skip << 11 | (last == 0 ? skip + behind : behind) << 3);
}

/* Where the comparison starts in the copy: as far before it as the first word is before `name`. */
static inline const char *ets_text_start(const char *name, const char *copy)
{
    return copy - ((uintptr_t)name & 7);
}

/* 1 if `name` equals the text. */
static inline bool ets_is_text(const char *name, const char *copy, uint32_t shape)
{
    const size_t last = shape >> 16;
    const char *words = (const char *)((uintptr_t)name & ~(uintptr_t)7);
    __asm__("" : "+r"(words)); /* hide the end of the object from the compiler */
    uint64_t differ = (ets_word_at(words) ^ ets_word_at(copy)) >> (shape >> 8 & 63);
    if (last != 0) {
        if (differ != 0) return false;
        for (size_t at = 8; at != last; at += 8) {
            if (ets_word_at(words + at) != ets_word_at(copy + at)) return false;
        }
        differ = ets_word_at(words + last) ^ ets_word_at(copy + last);
    }
    return differ << (shape & 63) == 0;
}

#else

static inline uint32_t ets_text_shape(const char *name, size_t size)
{
    (void)name;
    return (uint32_t)size;
}

static inline const char *ets_text_start(const char *name, const char *copy)
{
    (void)name;
    return copy;
}

static inline bool ets_is_text(const char *name, const char *copy, uint32_t shape)
{
    return ets_begins_with(name, copy, (size_t)shape + 1);
}

#endif

#endif
