/*
 * text_line.h - for sinks over functions that log a string: a line of the text sink as one.
 *
 *     char text[ETS_TEXT_LINE_LETTERS];
 *     if (ets_text_line_copy(text, line, size) != 0) return -1;
 *     log_string(text);
 */
#ifndef ETSCOPE_PLATFORMS_TEXT_LINE_H
#define ETSCOPE_PLATFORMS_TEXT_LINE_H

#include "text/text_sink.h"

/* Copies a line, ended by 0 instead of its line feed. -1: `data` is not one line of the text sink.
 */
static inline int ets_text_line_copy(char out[ETS_TEXT_LINE_LETTERS], const void *data, size_t size)
{
    const char *line = data;
    if (size == 0 || size > ETS_TEXT_LINE_LETTERS || line[size - 1] != '\n') return -1;
    for (size_t i = 0; i < size - 1; i++) {
        if (line[i] == '\0' || line[i] == '\n') return -1;
        out[i] = line[i];
    }
    out[size - 1] = '\0';
    return 0;
}

#endif
