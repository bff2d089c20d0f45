/* Text inside of a field of CSV or TSV. */
#ifndef ETSCOPE_OUTPUT_TABLE_FIELD_TEXT_H
#define ETSCOPE_OUTPUT_TABLE_FIELD_TEXT_H

#include "etscope/base.h"
#include "etscope/file.h"

/* Writes `text` with its quotes doubled and U+FFFD for bytes that are no UTF-8. */
void ets_put_field_text(struct ets_output *output, struct ets_text text);

#endif
