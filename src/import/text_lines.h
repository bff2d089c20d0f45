/* Walks over the lines of a text, and takes fields off a line. */
#ifndef ETSCOPE_IMPORT_TEXT_LINES_H
#define ETSCOPE_IMPORT_TEXT_LINES_H

#include <stdbool.h>

#include "base/text.h"

/* The next line from `*at`, which starts at 0, without its end; false: no further one. */
bool ets_next_line(struct ets_bytes text, size_t *at, struct ets_text *line_out);

/* Without blanks at both ends. */
struct ets_text ets_trim(struct ets_text text);

/* Takes the part of `*line` behind the last `separator` off it; false: there is none. */
bool ets_take_last(struct ets_text *line, const char *separator, struct ets_text *field_out);
/* The same behind the last tab, or the last two blanks, of a line without either at its end. */
bool ets_take_last_column(struct ets_text *line, struct ets_text *field_out);
/* The part before the first one likewise; the whole line if there is none. */
struct ets_text ets_take_first(struct ets_text *line, char separator);

#endif
