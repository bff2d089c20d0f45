/* Texts that a file has once, under a number. */
#ifndef ETSCOPE_OUTPUT_EXPORT_EXPORT_TEXTS_H
#define ETSCOPE_OUTPUT_EXPORT_EXPORT_TEXTS_H

#include "host/strings.h"
#include "output/export/export_writers.h"

/*
 * The number of a cleaned text in `texts`. `*added_out` (NULL: not wanted) is the text if it is
 * new, otherwise absent. UINT32_MAX: no memory. Resets the scratch arena.
 */
uint32_t ets_export_text_number(const struct ets_export *export, struct ets_strings *texts,
                                struct ets_text text, struct ets_text *added_out);

#endif
