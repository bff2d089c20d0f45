/* Reads a device's log as the trace that it holds: what `recover` would write, without the file. */
#include "cli/files/trace_file.h"

#include <stdio.h>

#include "cli/core/cli_text.h"
#include "cli/core/input_files.h"
#include "dump/logged_dump.h"
#include "host/file_access.h"

static bool may_be_log(enum ets_kind kind)
{
    return kind == ETS_KIND_DEVICE_LOG || kind == ETS_KIND_TEXT;
}

/* What of the log is not in the trace; "": nothing is known to be missing. */
static void write_missing(const struct ets_logged_dump *logged, char *text, size_t size)
{
    text[0] = '\0';
    if (logged->has_tensors) snprintf(text, size, " without its captured tensors");
    if (!logged->is_stream) return;
    if (logged->lost_frames > 0) {
        snprintf(text, size, " without %u lost frame%s%s", logged->lost_frames,
                 logged->lost_frames == 1 ? "" : "s", logged->has_end ? "" : " and its end");
    } else if (!logged->has_end) {
        snprintf(text, size, " up to where it breaks off");
    }
}

static void tell(const char *path, const struct ets_logged_dump *logged)
{
    const bool is_summary = ets_kind_sniff(logged->dump) == ETS_KIND_SUMMARY;
    char missing[64], which[48];
    write_missing(logged, missing, sizeof missing);
    if (logged->traces > 1) {
        snprintf(which, sizeof which, "the last of %u traces", logged->traces);
    } else {
        snprintf(which, sizeof which, "the %s", is_summary ? "summary" : "trace");
    }
    cli_note("%s is a log; %s in it was read%s%s", cli_path_name(path), which, missing,
             missing[0] != '\0' ? ": etscope recover tells more" : "");
}

enum ets_status cli_trace_open(const char *path, struct ets_file **file_out,
                               struct ets_error *error)
{
    struct ets_logged_dump logged;
    const enum ets_status status = cli_file_open(path, file_out, error);
    if (status != ETS_OK) return status;
    const struct ets_bytes bytes = ets_file_bytes(*file_out);
    /* A file without a trace is refused by what reads it, which knows what it wants. */
    if (!may_be_log(ets_kind_sniff(bytes))) return ETS_OK;
    if (ets_logged_dump_make(bytes, &logged, NULL) != ETS_OK) return ETS_OK;
    tell(path, &logged);
    ets_file_replace(*file_out, logged.dump);
    return ETS_OK;
}
