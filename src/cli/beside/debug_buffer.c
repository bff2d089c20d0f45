/* Opens the debug buffer of a trace, and notes if it may belong to another run. */
#include "cli/beside/debug_buffer.h"

#include "cli/core/cli_text.h"
#include "cli/core/command.h"
#include "etscope/file.h"

enum { ALIGNMENT = 64 }; /* writers round up to it */

/* Kinds with a magic number that no tensor starts with by chance. */
static bool is_another_file(enum ets_kind kind)
{
    switch (kind) {
    case ETS_KIND_ETDUMP:
    case ETS_KIND_PROGRAM:
    case ETS_KIND_BUNDLE:
    case ETS_KIND_DATA_FILE:
    case ETS_KIND_ETRECORD:
    case ETS_KIND_ZIP:
    case ETS_KIND_NPY:
    case ETS_KIND_SUMMARY: return true;
    default: return false;
    }
}

int cli_debug_buffer_open(const char *path, struct ets_file **file_out, struct ets_bytes *bytes_out)
{
    struct ets_error error;
    if (path == NULL) return CLI_OK;
    if (cli_file_open(path, file_out, &error) != ETS_OK) return cli_fail(path, &error);
    *bytes_out = ets_file_bytes(*file_out);
    const enum ets_kind kind = ets_kind_sniff(*bytes_out);
    if (is_another_file(kind)) {
        return cli_complain(CLI_INPUT, "%s: expected a debug buffer, found %s", cli_path_name(path),
                            ets_kind_name(kind));
    }
    if (bytes_out->data == NULL) bytes_out->data = (const uint8_t *)""; /* empty, but given */
    return CLI_OK;
}

/* Where the last tensor of the value ends; 0 if none has bytes. */
static uint64_t value_end(const struct ets_etdump *dump, size_t at)
{
    struct ets_debug_value value;
    uint64_t end = 0;
    ets_etdump_debug_value(dump, at, &value);
    for (uint32_t i = 0; i < value.tensor_count; i++) {
        struct ets_tensor tensor;
        int64_t offset;
        if (ets_etdump_tensor(dump, &value, i, &tensor, &offset, NULL) != ETS_OK) continue;
        const uint64_t bytes = ets_tensor_extent(&tensor);
        if (offset < 0 || bytes == 0 || bytes > (uint64_t)INT64_MAX) continue;
        if ((uint64_t)offset + bytes > end) end = (uint64_t)offset + bytes;
    }
    return end;
}

static uint64_t trace_end(const struct ets_inspection *inspection)
{
    const struct ets_event_table *events = ets_inspection_events(inspection);
    const struct ets_etdump *dump = ets_inspection_dump(inspection);
    uint64_t end = 0;
    for (uint32_t i = 0; i < events->count; i++) {
        if (events->kind[i] != ETS_EVENT_DEBUG) continue;
        const uint64_t here = value_end(dump, (size_t)events->payload_at[i]);
        if (here > end) end = here;
    }
    return (end + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Whether parts of the trace are missing, so that their tensors are unknown. */
static bool is_incomplete(const struct ets_inspection *inspection)
{
    const struct ets_trace_facts *facts = ets_inspection_trace(inspection);
    if (ets_inspection_damage_total(inspection) > 0) return true;
    return facts != NULL && (facts->state.overwritten > 0 || facts->lost_frames > 0);
}

/* Bytes of the buffer that the trace uses: 0 if none, or if that is unknown. */
static uint64_t captured_bytes(const struct ets_inspection *inspection)
{
    const struct ets_trace_facts *facts = ets_inspection_trace(inspection);
    if (is_incomplete(inspection)) return 0;
    const uint64_t end = trace_end(inspection);
    return end > 0 && facts != NULL && facts->state.debug_bytes > end ? facts->state.debug_bytes
                                                                      : end;
}

int cli_complain_debug_buffer(const struct ets_inspection *inspection, const char *needing,
                              const char *more)
{
    if (trace_end(inspection) == 0 && !is_incomplete(inspection)) {
        return cli_complain(
            CLI_USAGE,
            "%s needs bytes of captured tensors, and the trace has none: record it by "
            "`etscope run --capture intermediates -o TRACE --debug-buffer FILE`",
            needing);
    }
    return cli_complain(CLI_USAGE, "%s needs --debug-buffer, which contains the captured tensors%s",
                        needing, more == NULL ? "" : more);
}

/* A completely written buffer ends with zeros. */
static bool has_more(struct ets_bytes bytes, uint64_t end)
{
    size_t used = bytes.size;
    while (used > end && bytes.data[used - 1] == 0) used--;
    return used > end;
}

bool cli_is_debug_buffer_of(const struct ets_inspection *inspection, struct ets_bytes bytes)
{
    const uint64_t end = captured_bytes(inspection);
    return end > 0 && bytes.size + ALIGNMENT > end && !has_more(bytes, end) &&
           !is_another_file(ets_kind_sniff(bytes));
}

bool cli_sibling_debug_buffer(const struct cli_arguments *arguments, const char *trace_path,
                              const struct ets_inspection *inspection,
                              char found[CLI_SIBLING_BYTES])
{
    struct ets_file *file = NULL;
    if (cli_has(arguments, "--debug-buffer") || cli_has(arguments, "--no-siblings")) return false;
    if (!cli_sibling_path(trace_path, ".bin", found)) return false;
    const bool is_of = ets_file_open(found, &file, NULL) == ETS_OK &&
                       cli_is_debug_buffer_of(inspection, ets_file_bytes(file));
    ets_file_close(file);
    if (is_of) cli_note("using %s beside the trace; --no-siblings ignores it", found);
    else cli_note("ignored %s beside the trace: it is not the trace's debug buffer", found);
    return is_of;
}

void cli_note_debug_buffer(const struct ets_inspection *inspection, const char *path,
                           struct ets_bytes bytes)
{
    if (path == NULL) return;
    const uint64_t end = captured_bytes(inspection);
    if (end == 0 || !has_more(bytes, end)) return;
    cli_note("%s has %zu bytes, but the trace uses %llu: it may be the debug buffer of another run",
             cli_path_name(path), bytes.size, (unsigned long long)end);
}
