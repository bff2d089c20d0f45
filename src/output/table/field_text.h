/* Text in a quoted field of CSV or TSV. */
#ifndef ETSCOPE_OUTPUT_TABLE_FIELD_TEXT_H
#define ETSCOPE_OUTPUT_TABLE_FIELD_TEXT_H

#include "etscope/base.h"
#include "etscope/file.h"
#include "host/output.h"

/*
 * Writes `text` with quotes doubled, U+FFFD in place of bytes that are not UTF-8, and a blank in
 * place of other characters that are not safe to print (base.h) but tabs and ends of lines, which
 * quotes hold.
 */
void ets_put_field_text(struct ets_output *output, struct ets_text text);

#endif
