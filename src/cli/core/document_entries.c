/* Collects the files that a command reads and its notes, until the document is written. */
#include "cli/core/document_entries.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/bounds.h"
#include "cli/core/cli_text.h"
#include "cli/core/document.h"
#include "cli/core/input_files.h"
#include "etscope/file.h"
#include "host/file_access.h"
#include "import/import.h"
#include "record/gzip.h"

static struct {
    struct cli_entry *entries;
    size_t count, capacity;
    bool is_wanted, no_memory;
} gathered;

void cli_entries_start(void)
{
    gathered.is_wanted = true;
}

static void add_entry(struct ets_text text, const struct cli_entry *kind)
{
    if (gathered.count == gathered.capacity) {
        const size_t capacity = 2 * gathered.capacity + 16;
        struct cli_entry *grown = realloc(gathered.entries, capacity * sizeof *grown);
        gathered.no_memory |= grown == NULL;
        if (grown == NULL) return;
        gathered.entries = grown;
        gathered.capacity = capacity;
    }
    struct cli_entry *entry = &gathered.entries[gathered.count];
    *entry = *kind;
    entry->text = malloc(text.size + 1);
    gathered.no_memory |= entry->text == NULL;
    if (entry->text == NULL) return;
    if (text.size > 0) memcpy(entry->text, text.data, text.size);
    entry->text[text.size] = '\0';
    gathered.count++;
}

void cli_document_note(struct ets_text text)
{
    if (gathered.is_wanted) add_entry(text, &(struct cli_entry){.is_file = false});
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
    case ETS_KIND_DEVICE_LOG: return "capture";
    case ETS_KIND_SUMMARY: return "summary";
    case ETS_KIND_UNKNOWN:
    case ETS_KIND_EMPTY:
    case ETS_KIND_ZIP:
    case ETS_KIND_JSON:
    case ETS_KIND_TEXT: break;
    }
    return NULL;
}

/* A file may be opened twice in a row, first to find its kind. */
static bool is_last(const char *path)
{
    return gathered.count > 0 && gathered.entries[gathered.count - 1].is_file &&
           strcmp(gathered.entries[gathered.count - 1].text, path) == 0;
}

/* What a gzip's bytes may become as a trace, whose inspection takes a multiple of it (SECURITY.md).
 */
static bool is_too_large(size_t dump_bytes, size_t packed_bytes)
{
    enum { FIRST_BYTES = 12 << 20, BYTES_OF_A_BYTE = 8 };
    return packed_bytes > 0 && dump_bytes > FIRST_BYTES &&
           (dump_bytes - FIRST_BYTES) / BYTES_OF_A_BYTE > packed_bytes;
}

/*
 * A profile of another runtime is read as the trace that import makes of it. `packed_bytes`: the
 * size of the file that gzip packed; 0: it did not.
 */
static enum ets_status import(struct ets_file *file, size_t packed_bytes, struct ets_error *error)
{
    const struct ets_bytes bytes = ets_file_bytes(file);
    const enum ets_kind sniffed = ets_kind_sniff(bytes);
    if (sniffed != ETS_KIND_JSON && sniffed != ETS_KIND_TEXT && sniffed != ETS_KIND_UNKNOWN) {
        return ETS_OK;
    }
    const enum ets_foreign_kind kind = ets_foreign_sniff(bytes);
    struct ets_imported imported;
    if (kind == ETS_FOREIGN_NONE) return ETS_OK;
    const enum ets_status status = ets_import(bytes, kind, NULL, &imported, error);
    if (status == ETS_OK) ets_file_replace(file, imported.dump);
    if (status == ETS_OK && is_too_large(ets_file_bytes(file).size, packed_bytes)) {
        if (error == NULL) return ETS_LIMIT;
        *error = (struct ets_error){.status = ETS_LIMIT, .offset = ETS_NO_OFFSET};
        snprintf(error->message, sizeof error->message,
                 "has too many events for its %zu packed bytes; gunzip unpacks it", packed_bytes);
        return ETS_LIMIT;
    }
    return status;
}

static enum ets_status open_unpacked(const char *path, struct ets_file **file_out,
                                     size_t *packed_bytes_out, struct ets_error *error)
{
    *packed_bytes_out = 0;
    enum ets_status status = ets_file_open(path, file_out, error);
    if (status == ETS_OK) cli_inputs_add(path);
    if (status == ETS_OK && ets_is_gzip(ets_file_bytes(*file_out))) {
        struct ets_bytes unpacked;
        *packed_bytes_out = ets_file_bytes(*file_out).size;
        status = ets_gzip_unpack(ets_file_bytes(*file_out), &unpacked, error);
        if (status == ETS_OK) ets_file_replace(*file_out, unpacked);
        else ets_file_close(*file_out);
    }
    if (status != ETS_OK) return status;
    const struct ets_bytes bytes = ets_file_bytes(*file_out);
    cli_count_input(bytes);
    if (!gathered.is_wanted || is_last(path)) return ETS_OK;
    add_entry(cli_text(path),
              &(struct cli_entry){NULL, true, cli_kind_word(ets_kind_sniff(bytes)), bytes.size});
    return ETS_OK;
}

enum ets_status cli_file_open_as_it_is(const char *path, struct ets_file **file_out,
                                       struct ets_error *error)
{
    size_t packed_bytes;
    return open_unpacked(path, file_out, &packed_bytes, error);
}

enum ets_status cli_file_open(const char *path, struct ets_file **file_out, struct ets_error *error)
{
    struct ets_file *file;
    size_t packed_bytes;
    enum ets_status status = open_unpacked(path, &file, &packed_bytes, error);
    if (status != ETS_OK) return status;
    status = import(file, packed_bytes, error);
    if (status == ETS_OK) *file_out = file;
    else ets_file_close(file);
    return status;
}

const struct cli_entry *cli_entries(size_t *count_out)
{
    *count_out = gathered.count;
    return gathered.entries;
}

bool cli_entries_are_whole(void)
{
    return !gathered.no_memory;
}

void cli_entries_free(void)
{
    for (size_t i = 0; i < gathered.count; i++) free(gathered.entries[i].text);
    free(gathered.entries);
    gathered.count = gathered.capacity = 0;
    gathered.entries = NULL;
}
