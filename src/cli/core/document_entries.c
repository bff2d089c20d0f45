/* Collects the files that a command reads and its notes, until the document is written. */
#include "cli/core/document_entries.h"

#include <stdlib.h>
#include <string.h>

#include "cli/core/bounds.h"
#include "cli/core/cli_text.h"
#include "cli/core/document.h"
#include "cli/core/input_files.h"
#include "etscope/file.h"
#include "host/file_access.h"
#include "host/memory_budget.h"
#include "record/gzip.h"

static struct {
    struct cli_entry *entries;
    size_t count, capacity;
    bool is_wanted;
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
        if (grown == NULL) {
            ets_memory_note_refusal();
            return;
        }
        gathered.entries = grown;
        gathered.capacity = capacity;
    }
    struct cli_entry *entry = &gathered.entries[gathered.count];
    *entry = *kind;
    entry->text = malloc(text.size + 1);
    if (entry->text == NULL) {
        ets_memory_note_refusal();
        return;
    }
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

static enum ets_status unpack(struct ets_file *file, struct ets_error *error)
{
    struct ets_bytes unpacked;
    const enum ets_status status = ets_gzip_unpack(ets_file_bytes(file), &unpacked, error);
    if (status == ETS_OK) ets_file_replace(file, unpacked);
    return status;
}

enum ets_status cli_file_open_as_it_is(const char *path, struct ets_file **file_out,
                                       struct ets_error *error)
{
    struct ets_file *file;
    enum ets_status status = ets_file_open(path, &file, error);
    if (status != ETS_OK) return status;
    if (cli_inputs_add(path)) cli_count_input(ets_file_bytes(file));
    if (ets_is_gzip(ets_file_bytes(file))) status = unpack(file, error);
    if (status != ETS_OK) {
        ets_file_close(file);
        return status;
    }
    *file_out = file;
    if (!gathered.is_wanted || is_last(path)) return ETS_OK;
    const struct ets_bytes bytes = ets_file_bytes(file);
    add_entry(cli_text(path),
              &(struct cli_entry){NULL, true, cli_kind_word(ets_kind_sniff(bytes)), bytes.size});
    return ETS_OK;
}

const struct cli_entry *cli_entries(size_t *count_out)
{
    *count_out = gathered.count;
    return gathered.entries;
}

void cli_entries_free(void)
{
    for (size_t i = 0; i < gathered.count; i++) free(gathered.entries[i].text);
    free(gathered.entries);
    gathered.count = gathered.capacity = 0;
    gathered.entries = NULL;
}
