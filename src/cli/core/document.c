#include "cli/core/document.h"
#include "host/output.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/bounds.h"
#include "cli/core/cli_text.h"
#include "etscope/file.h"

/* docs/json.md says what changes it. */
enum { SCHEMA = 1 };

enum { LINE_BYTES = 1024 };

/* A file that the command read, or a note. */
struct entry {
    char *text;
    bool is_file;
    const char *kind;
    uint64_t bytes;
};

static struct {
    const char *command;
    bool is_wanted, is_lines; /* --format json, jsonl */
    struct entry *entries;
    size_t count, capacity;
    bool no_memory; /* for an entry */
    char headline[LINE_BYTES];
    const char *path;
    bool has_open_rows;
    struct info_json json; /* output NULL: no document is open */
} document;

void cli_document_start(const struct cli_arguments *arguments)
{
    const char *format = cli_value(arguments, "--format");
    document.command = arguments->command->name;
    document.is_wanted = format != NULL && strcmp(format, "json") == 0;
    document.is_lines = format != NULL && strcmp(format, "jsonl") == 0;
}

static void add_entry(struct ets_text text, const struct entry *kind)
{
    if (document.count == document.capacity) {
        const size_t capacity = 2 * document.capacity + 16;
        struct entry *grown = realloc(document.entries, capacity * sizeof *grown);
        document.no_memory |= grown == NULL;
        if (grown == NULL) return;
        document.entries = grown;
        document.capacity = capacity;
    }
    struct entry *entry = &document.entries[document.count];
    *entry = *kind;
    entry->text = malloc(text.size + 1);
    document.no_memory |= entry->text == NULL;
    if (entry->text == NULL) return;
    if (text.size > 0) memcpy(entry->text, text.data, text.size);
    entry->text[text.size] = '\0';
    document.count++;
}

void cli_document_note(struct ets_text text)
{
    if (document.is_wanted) add_entry(text, &(struct entry){.is_file = false});
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

const char *cli_kind_word(enum ets_kind kind)
{
    switch (kind) {
    case ETS_KIND_ETDUMP: return "etdump";
    case ETS_KIND_PROGRAM: return "program";
    case ETS_KIND_BUNDLE: return "bundle";
    case ETS_KIND_DATA_FILE: return "data_file";
    case ETS_KIND_ETRECORD: return "etrecord";
    case ETS_KIND_NPY: return "npy";
    case ETS_KIND_CAPTURE: return "capture";
    case ETS_KIND_UNKNOWN:
    case ETS_KIND_EMPTY:
    case ETS_KIND_ZIP:
    case ETS_KIND_JSON:
    case ETS_KIND_TEXT: break;
    }
    return NULL;
}

/* A file whose kind decides how it is opened is opened twice in a row. */
static bool is_last(const char *path)
{
    return document.count > 0 && document.entries[document.count - 1].is_file &&
           strcmp(document.entries[document.count - 1].text, path) == 0;
}

enum ets_status cli_file_open(const char *path, struct ets_file **file_out, struct ets_error *error)
{
    const enum ets_status status = ets_file_open(path, file_out, error);
    if (status != ETS_OK) return status;
    const struct ets_bytes bytes = ets_file_bytes(*file_out);
    cli_count_input(bytes);
    if (!document.is_wanted || is_last(path)) return ETS_OK;
    add_entry(cli_text(path),
              &(struct entry){NULL, true, cli_kind_word(ets_kind_sniff(bytes)), bytes.size});
    return ETS_OK;
}

static void put_inputs(struct info_json *json)
{
    info_json_array(json, "inputs");
    for (size_t i = 0; i < document.count; i++) {
        const struct entry *entry = &document.entries[i];
        if (!entry->is_file) continue;
        info_json_object(json, NULL);
        info_json_string(json, "path", entry->text);
        info_json_string(json, "kind", entry->kind);
        info_json_count(json, "bytes", entry->bytes);
        info_json_end_object(json);
    }
    info_json_end_array(json);
}

static void put_notes(struct info_json *json)
{
    info_json_array(json, "notes");
    for (size_t i = 0; i < document.count; i++) {
        if (!document.entries[i].is_file) info_json_string(json, NULL, document.entries[i].text);
    }
    info_json_end_array(json);
}

/* Completes and commits the open document. Returns an exit code. */
static int complete(void)
{
    struct info_json *json = &document.json;
    struct ets_output *output = json->output;
    struct ets_error error;
    if (output == NULL) return CLI_OK;
    if (!document.is_lines) {
        if (document.has_open_rows) info_json_end_rows(json);
        put_inputs(json);
        put_notes(json);
        info_json_end_object(json);
        info_json_finish(json);
    }
    json->output = NULL;
    if (ets_output_commit(output, &error) != ETS_OK) {
        return cli_fail_output(document.path, &error);
    }
    return document.no_memory ? cli_complain(CLI_INTERNAL, "no memory for all notes") : CLI_OK;
}

/* Completes one that is open and begins another. Returns an exit code. */
static int open_document(const char *path, struct ets_output **output_out)
{
    struct ets_error error;
    const int code = complete();
    if (code != CLI_OK) return code;
    if (ets_output_open(path, output_out, &error) != ETS_OK) return cli_fail_output(path, &error);
    document.path = path;
    document.json = (struct info_json){.output = *output_out, .is_lines = document.is_lines};
    document.has_open_rows = false;
    if (document.is_lines) return CLI_OK;
    info_json_object(&document.json, NULL);
    info_json_string(&document.json, "etscope", ETS_VERSION);
    info_json_count(&document.json, "schema", SCHEMA);
    info_json_string(&document.json, "command", document.command);
    info_json_string(&document.json, "headline",
                     document.headline[0] != '\0' ? document.headline : NULL);
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
    info_json_key(&document.json, "rows");
    if (ets_table_write(table, &rows, output, &error) != ETS_OK) {
        ets_output_discard(output);
        document.json.output = NULL;
        return cli_fail(NULL, &error);
    }
    for (uint32_t row = 0; ets_table_next_note(table, &row, &note);) cli_document_note(note);
    return CLI_OK;
}

int cli_document_rows(const char *path, struct info_json **json_out)
{
    struct ets_output *output;
    const int code = open_document(path, &output);
    if (code != CLI_OK) return code;
    document.has_open_rows = true;
    if (!document.is_lines) info_json_rows(&document.json);
    *json_out = &document.json;
    return CLI_OK;
}

int cli_document_end(int code)
{
    const int completed = complete();
    for (size_t i = 0; i < document.count; i++) free(document.entries[i].text);
    free(document.entries);
    document.count = document.capacity = 0;
    document.entries = NULL;
    return completed != CLI_OK ? completed : code;
}
