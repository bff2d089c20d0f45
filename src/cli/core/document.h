/*
 * The document of --format json (docs/json.md): an envelope around the rows. Inputs and notes of a
 * command are collected and written after the rows, so main ends the document after the command.
 */
#ifndef ETSCOPE_CLI_CORE_DOCUMENT_H
#define ETSCOPE_CLI_CORE_DOCUMENT_H

#include "cli/core/command.h"
#include "etscope/file.h"
#include "output/table/table.h"
#include "output/text/json_writer.h"

/* The kind of a file in documents: "etdump", "program"; NULL: not a supported kind. */
const char *cli_kind_word(enum ets_kind kind);

/* Puts members that a command adds to the envelope, behind the headline. */
typedef void (*cli_put_facts)(struct ets_json_writer *json, const void *facts);
/* Call it before the document is opened; `facts` must live until then. */
void cli_document_facts(cli_put_facts put, const void *facts);

/* main, before the command runs. */
void cli_document_start(const struct cli_arguments *arguments);

/* Opens a document of `table` at `path`, after ending an open one. Returns an exit code. */
int cli_document_table(const char *path, const struct ets_table *table,
                       const struct ets_table_style *style);

/*
 * Opens a document at `path` and its list of rows, which the caller puts with ets_json_begin_row.
 * For --format jsonl there are only the rows. Returns an exit code.
 */
int cli_document_rows(const char *path, struct ets_json_writer **json_out);

/* Drops an open document, for a command whose part of it would look whole: a file is not written,
 * and on standard output the document does not end. */
void cli_document_abandon(void);

/*
 * main calls this after the command: completes an open document. Returns the command's exit code,
 * `code`, unless the document cannot be written.
 */
int cli_document_end(int code);

#endif
