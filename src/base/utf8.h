/* Characters of UTF-8, wherever the text comes from. */
#ifndef ETSCOPE_BASE_UTF8_H
#define ETSCOPE_BASE_UTF8_H

#include "etscope/base.h"

/*
 * Bytes of the well-formed UTF-8 character at `at`, 1 to 4; 0 where there is none (overlong forms
 * and surrogates included). `size` is at least 1.
 */
size_t ets_utf8_length(const char *at, size_t size);

#endif
