/*
 * Writes the document of --format json and jsonl: the envelope, the rows, the inputs and the notes.
 */
#include "cli/core/document.h"
#include "host/output.h"

#include <stdarg.h>
#include <string.h>

#include "cli/core/document_entries.h"
#include "etscope/file.h"

/* docs/json.md defines when it changes. */
enum { SCHEMA = 1 };

enum { LINE_BYTES = 4096 };

static struct {
    const char *command;
    bool is_lines; /* --format jsonl */
    char headline[LINE_BYTES];
    cli_put_facts put_facts; /* NULL: none */
    const void *facts;
    const char *path;
    bool has_open_rows;
    struct ets_json_writer json; /* output NULL: no document is open */
} document;

void cli_document_start(const struct cli_arguments *arguments)
{
    const char *format = cli_value(arguments, "--format");
    document.command = arguments->command->name;
    if (format == NULL && strcmp(document.command, "dump") == 0) format = "json"; /* always */
    if (format != NULL && strcmp(format, "json") == 0) cli_entries_start();
    document.is_lines = format != NULL && strcmp(format, "jsonl") == 0;
}

void cli_headline(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(document.headline, sizeof document.headline, format, arguments) < 0) {
        document.headline[0] = '\0';
    }
    va_end(arguments);
}

void cli_document_facts(cli_put_facts put, const void *facts)
{
    document.put_facts = put;
    document.facts = facts;
}

static void put_inputs(struct ets_json_writer *json)
{
    size_t count;
    const struct cli_entry *entries = cli_entries(&count);
    ets_json_begin_array(json, "inputs");
    for (size_t i = 0; i < count; i++) {
        const struct cli_entry *entry = &entries[i];
        if (!entry->is_file) continue;
        ets_json_begin_object(json, NULL);
        ets_json_put_string(json, "path", entry->text);
        ets_json_put_string(json, "kind", entry->kind);
        ets_json_put_count(json, "bytes", entry->bytes);
        ets_json_end_object(json);
    }
    ets_json_end_array(json);
}

static void put_notes(struct ets_json_writer *json)
{
    size_t count;
    const struct cli_entry *entries = cli_entries(&count);
    ets_json_begin_array(json, "notes");
    for (size_t i = 0; i < count; i++) {
        if (!entries[i].is_file) ets_json_put_string(json, NULL, entries[i].text);
    }
    ets_json_end_array(json);
}

/* Completes and commits the open document. Returns an exit code. */
static int complete(void)
{
    struct ets_json_writer *json = &document.json;
    struct ets_output *output = json->output;
    struct ets_error error;
    if (output == NULL) return CLI_OK;
    if (!document.is_lines) {
        if (document.has_open_rows) ets_json_end_rows(json);
        put_inputs(json);
        put_notes(json);
        ets_json_end_object(json);
        ets_json_end_document(json);
    }
    json->output = NULL;
    if (ets_output_commit(output, &error) != ETS_OK) {
        return cli_fail_output(document.path, &error);
    }
    return CLI_OK;
}

/* Completes an open document and begins another. Returns an exit code. */
static int open_document(const char *path, struct ets_output **output_out)
{
    struct ets_error error;
    const int code = complete();
    if (code != CLI_OK) return code;
    if (ets_output_open(path, output_out, &error) != ETS_OK) return cli_fail_output(path, &error);
    document.path = path;
    document.json = (struct ets_json_writer){.output = *output_out, .is_lines = document.is_lines};
    document.has_open_rows = false;
    if (document.is_lines) return CLI_OK;
    ets_json_begin_object(&document.json, NULL);
    ets_json_put_string(&document.json, "etscope", ETS_VERSION);
    ets_json_put_count(&document.json, "schema", SCHEMA);
    ets_json_put_string(&document.json, "command", document.command);
    ets_json_put_string(&document.json, "headline",
                        document.headline[0] != '\0' ? document.headline : NULL);
    if (document.put_facts != NULL) document.put_facts(&document.json, document.facts);
    return CLI_OK;
}

int cli_document_table(const char *path, const struct ets_table *table,
                       const struct ets_table_style *style)
{
    struct ets_output *output;
    struct ets_error error;
    struct ets_text note;
    struct ets_table_style rows = *style;
    const int code = open_document(path, &output);
    if (code != CLI_OK) return code;
    rows.is_part = 1;
    ets_json_put_key(&document.json, "rows");
    if (ets_table_write(table, &rows, output, &error) != ETS_OK) {
        ets_output_discard(output);
        document.json.output = NULL;
        return cli_fail(NULL, &error);
    }
    for (uint32_t row = 0; ets_table_next_note(table, &row, &note);) cli_document_note(note);
    return CLI_OK;
}

int cli_document_rows(const char *path, struct ets_json_writer **json_out)
{
    struct ets_output *output;
    const int code = open_document(path, &output);
    if (code != CLI_OK) return code;
    document.has_open_rows = true;
    if (!document.is_lines) ets_json_begin_rows(&document.json);
    *json_out = &document.json;
    return CLI_OK;
}

void cli_document_abandon(void)
{
    ets_output_discard(document.json.output);
    document.json.output = NULL;
}

int cli_document_end(int code)
{
    const int completed = complete();
    cli_entries_free();
    return completed != CLI_OK ? completed : code;
}
