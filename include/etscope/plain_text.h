/*
 * plain_text.h - which characters of a text may be shown, for text that comes from a file.
 *
 *     for (size_t i = 0; i < text.size;) {
 *         const size_t length = ets_plain_length(text.data + i, text.size - i);
 *         if (length > 0) show(text.data + i, length);
 *         else show_escaped((unsigned char)text.data[i]);
 *         i += length > 0 ? length : 1;
 *     }
 *
 * No state, no allocation; works on devices.
 */
#ifndef ETSCOPE_PLAIN_TEXT_H
#define ETSCOPE_PLAIN_TEXT_H

#include "etscope/bytes.h"
#include "etscope/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Bytes of the well-formed UTF-8 character at `at`, 1 to 4; 0 where there is none (overlong forms
 * and surrogates included). `size` is at least 1.
 */
ETS_API size_t ets_utf8_length(const char *at, size_t size);

/*
 * The same of a character that stands for itself: 0 also for control characters (U+0000 to U+001F
 * with tab and line feed, U+007F to U+009F), for those that end a line (U+2028, U+2029) and for
 * those that change the direction of the text around them (U+061C, U+200E, U+200F, U+202A to
 * U+202E, U+2066 to U+206F).
 */
ETS_API size_t ets_plain_length(const char *at, size_t size);

#ifdef __cplusplus
}
#endif

#endif
