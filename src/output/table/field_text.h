/* A field of CSV or TSV. */
#ifndef ETSCOPE_OUTPUT_TABLE_FIELD_TEXT_H
#define ETSCOPE_OUTPUT_TABLE_FIELD_TEXT_H

#include <stddef.h>

#include "etscope/base.h"
#include "etscope/file.h"
#include "host/output.h"

/*
 * Writes texts as one field, `between` between them, so that it stays one: quoted as in RFC 4180 if
 * it holds `separator`, a quote or an end of line, and with an apostrophe before what a spreadsheet
 * would run. In place of bytes that are not UTF-8 stands U+FFFD, and a blank in place of other
 * characters that are not safe to print (base.h) but tabs and ends of lines, which quotes hold.
 *
 * Every field of CSV and TSV with text of a file in it is written here.
 */
void ets_put_field(struct ets_output *output, const struct ets_text *texts, size_t count,
                   const char *between, char separator);

#endif
