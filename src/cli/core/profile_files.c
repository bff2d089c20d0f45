/* Opens input files; what another runtime or the Inspector wrote becomes the trace in it. */
#include "cli/core/cli_text.h"
#include "cli/core/command.h"
#include "etscope/file.h"
#include "host/file_access.h"
#include "import/import.h"

/* A profile of another runtime, or a table, is read as the trace that import makes of it. */
static enum ets_status import(const char *path, struct ets_file *file, struct ets_error *error)
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
    if (status != ETS_OK) return status;
    ets_file_replace(file, imported.dump);
    if (imported.is_of_medians) {
        cli_note("%s has no times of single runs: its medians are read as one run",
                 cli_path_name(path));
    }
    if (imported.is_in_ticks) {
        cli_note("%s has ticks of a timer whose rate it does not tell: they are shown as cycles",
                 cli_path_name(path));
    }
    return ETS_OK;
}

enum ets_status cli_file_open(const char *path, struct ets_file **file_out, struct ets_error *error)
{
    struct ets_file *file;
    enum ets_status status = cli_file_open_as_it_is(path, &file, error);
    if (status != ETS_OK) return status;
    status = import(path, file, error);
    if (status == ETS_OK) *file_out = file;
    else ets_file_close(file);
    return status;
}
