/* Tells profiles apart, and makes an ETDump of one: reads, arranges, writes. */
#include "import/import.h"

#include "import/foreign.h"
#include "import/inspector_table.h"

/* The tables of a profile's events; a file of a few bytes cannot claim more. */
#define ARENA_LIMIT ((size_t)8 << 30)

struct format {
    const char *runtime;
    enum ets_status (*read)(struct ets_foreign *f, struct ets_error *error);
};

static const struct format formats[ETS_FOREIGN_COUNT] = {
    [ETS_FOREIGN_ONNX] = {"ONNX Runtime", ets_onnx_profile_read},
    [ETS_FOREIGN_PYTORCH] = {"PyTorch", ets_torch_profile_read},
    [ETS_FOREIGN_CHROME] = {"Chrome JSON", ets_chrome_json_read},
    [ETS_FOREIGN_LITERT_CSV] = {"LiteRT", ets_litert_csv_read},
    [ETS_FOREIGN_LITERT_PROTO] = {"LiteRT", ets_litert_proto_read},
    [ETS_FOREIGN_LITERT_EVENTS] = {"LiteRT", ets_litert_events_read},
    [ETS_FOREIGN_RUNNER_LOG] = {"ExecuTorch's runner", ets_runner_log_read},
    [ETS_FOREIGN_TABLE] = {"ExecuTorch's Inspector", ets_inspector_table_read},
    [ETS_FOREIGN_TABLE_JSON] = {"etscope", ets_inspector_json_read},
    [ETS_FOREIGN_TABLE_LINES] = {"etscope", ets_inspector_lines_read},
    [ETS_FOREIGN_TABLE_TEXT] = {"etscope", ets_inspect_text_read},
    [ETS_FOREIGN_TFLM_LOG] = {"TensorFlow Lite for Microcontrollers", ets_tflm_log_read},
};

/* How much of a file says what it is: devices of a PyTorch trace and lines that a tool printed
   before its profile can take kilobytes. */
enum { MOST_START = 1 << 16 };

static struct ets_text skip_blanks(struct ets_text text)
{
    while (text.size > 0 && (text.data[0] == ' ' || text.data[0] == '\n' || text.data[0] == '\r' ||
                             text.data[0] == '\t')) {
        text = (struct ets_text){text.data + 1, text.size - 1};
    }
    return text;
}

static struct ets_text start_of(struct ets_bytes bytes)
{
    const size_t size = bytes.size < MOST_START ? bytes.size : MOST_START;
    return skip_blanks((struct ets_text){(const char *)bytes.data, size});
}

/* Whether an object has "key": "value" somewhere, with any blanks around the colon. */
static bool has_member(struct ets_text text, const char *key, const char *value)
{
    const char *const parts[] = {key, ":", value};
    for (size_t start = 0; start < text.size; start++) {
        struct ets_text left = {text.data + start, text.size - start};
        int part = 0;
        for (; part < 3 && ets_text_starts_with(left, parts[part]); part++) {
            const size_t size = strlen(parts[part]);
            left = skip_blanks((struct ets_text){left.data + size, left.size - size});
        }
        if (part == 3) return true;
    }
    return false;
}

/* As ONNX Runtime writes it, or with other blanks, as after a tool read and wrote it. */
static bool is_onnx(struct ets_text start)
{
    if (ets_text_contains(start, "\"cat\" : \"")) return true;
    if (has_member(start, "\"cat\"", "\"Node\"") && ets_text_contains(start, "\"op_name\"")) {
        return true;
    }
    return has_member(start, "\"cat\"", "\"Session\"") &&
           (ets_text_contains(start, "\"model_loading_") ||
            ets_text_contains(start, "\"session_initialization\"") ||
            ets_text_contains(start, "\"model_run\""));
}

static enum ets_foreign_kind sniff_json(struct ets_text start)
{
    const bool is_list = start.data[0] == '[';
    if (is_list && is_onnx(start)) return ETS_FOREIGN_ONNX;
    if (!is_list && ets_text_contains(start, "\"schemaVersion\"") &&
        (ets_text_contains(start, "\"traceEvents\"") ||
         ets_text_contains(start, "\"deviceProperties\""))) {
        return ETS_FOREIGN_PYTORCH;
    }
    if (!is_list && has_member(start, "\"command\"", "\"inspect\"")) {
        return ETS_FOREIGN_TABLE_JSON;
    }
    if (ets_is_inspect_row(start)) return ETS_FOREIGN_TABLE_LINES;
    const bool has_phases =
        ets_text_contains(start, "\"ph\":") || ets_text_contains(start, "\"ph\" :");
    const bool is_trace = is_list ? has_phases : ets_text_contains(start, "\"traceEvents\"");
    return is_trace ? ETS_FOREIGN_CHROME : ETS_FOREIGN_NONE;
}

enum ets_foreign_kind ets_foreign_sniff(struct ets_bytes bytes)
{
    const struct ets_text start = start_of(bytes);
    if (start.size == 0) return ETS_FOREIGN_NONE;
    if (start.data[0] == '[' || start.data[0] == '{') return sniff_json(start);
    if (ets_text_starts_with(start, "index\ttag\tevent_type\t")) return ETS_FOREIGN_LITERT_EVENTS;
    if (ets_text_contains(start, "= Run Order =") && ets_text_contains(start, "node type")) {
        return ETS_FOREIGN_LITERT_CSV;
    }
    if (ets_is_inspector_table(start)) return ETS_FOREIGN_TABLE;
    if (ets_is_inspect_text(start)) return ETS_FOREIGN_TABLE_TEXT;
    if (ets_is_tflm_log(start)) return ETS_FOREIGN_TFLM_LOG;
    if (ets_is_runner_log(bytes)) return ETS_FOREIGN_RUNNER_LOG;
    return ets_litert_is_proto(bytes) ? ETS_FOREIGN_LITERT_PROTO : ETS_FOREIGN_NONE;
}

const char *ets_foreign_runtime(enum ets_foreign_kind kind)
{
    return formats[kind].runtime;
}

static uint64_t count_events(const struct ets_foreign *f)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < f->run_count; i++) count += f->runs[i].emitted_count;
    return count;
}

/* A profile of which nothing is left: tells what most of it was. */
static enum ets_status fail_empty(const struct ets_foreign *f, struct ets_error *error)
{
    const struct ets_left_out *most = f->left_out;
    if (f->runtime == NULL) {
        return ets_fail(error, ETS_MALFORMED, ETS_NO_OFFSET, "the exported trace has no events");
    }
    if (f->left_out_count == 0) {
        return ets_fail(error, ETS_MALFORMED, ETS_NO_OFFSET,
                        "the profile of %s has no operator and no execution", f->runtime);
    }
    for (uint32_t i = 1; i < f->left_out_count; i++) {
        if (f->left_out[i].count > most->count) most = &f->left_out[i];
    }
    return ets_fail(error, ETS_MALFORMED, ETS_NO_OFFSET,
                    "the profile of %s has no operator and no execution; left out: %llu %s",
                    f->runtime, (unsigned long long)most->count, most->what);
}

static enum ets_status make(struct ets_foreign *f, enum ets_foreign_kind kind,
                            struct ets_bytes *dump, struct ets_error *error)
{
    if (ets_strings_init(&f->texts, &f->arena) != 0) return ets_fail_foreign(error);
    ETS_TRY(formats[kind].read(f, error));
    if (f->slice_count == 0) return fail_empty(f, error);
    if (!f->is_arranged) {
        ETS_TRY(ets_foreign_nest(f, error));
        ETS_TRY(ets_foreign_number(f, error));
    }
    return ets_foreign_write(f, dump, error);
}

enum ets_status ets_import(struct ets_bytes bytes, enum ets_foreign_kind kind,
                           const struct ets_allocator *allocator, struct ets_imported *imported_out,
                           struct ets_error *error)
{
    *imported_out = (struct ets_imported){.allocator = allocator};
    if (kind <= ETS_FOREIGN_NONE || kind >= ETS_FOREIGN_COUNT) {
        return ets_fail(
            error, ETS_WRONG_KIND, 0,
            "not a profile of ONNX Runtime, PyTorch or LiteRT, nor Chrome JSON, nor the log "
            "of a language model's runner or of MicroProfiler, nor an Inspector's table");
    }
    struct ets_foreign f = {.bytes = bytes, .runtime = formats[kind].runtime, .step_ns = 1};
    ets_arena_init(&f.arena, allocator, ARENA_LIMIT);
    imported_out->allocator = f.arena.allocator;
    const enum ets_status status = make(&f, kind, &imported_out->dump, error);
    imported_out->runtime = f.runtime == NULL ? "ExecuTorch" : formats[kind].runtime;
    imported_out->run_count = f.run_count;
    imported_out->event_count = count_events(&f);
    imported_out->left_out_count = f.left_out_count;
    imported_out->may_lack_events = f.may_lack_events;
    imported_out->is_of_medians = f.is_of_medians;
    imported_out->is_in_ticks = f.is_in_ticks;
    memcpy(imported_out->left_out, f.left_out, sizeof f.left_out);
    ets_arena_reset(&f.arena);
    return status;
}

void ets_imported_reset(struct ets_imported *imported)
{
    const struct ets_allocator *allocator = imported->allocator;
    if (allocator == NULL) return;
    allocator->release(allocator->context, (void *)(uintptr_t)imported->dump.data);
    imported->dump = (struct ets_bytes){NULL, 0};
}
