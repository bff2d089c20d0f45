/*
 * Generates several times, each time in a new process, which prints its rows as JSON: runs of one
 * process share its memory layout, clock and neighbours.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <string.h>

#include "cli/core/interrupt.h"
#include "cli/core/progress.h"
#include "cli/generate/generate_plan.h"
#include "cli/session/child.h"
#include "host/os/os_files.h"
#include "record/json.h"

enum { MOST_DOCUMENT = 1 << 28 };

/* Options that the children take over as they are. */
static const char *const passed[] = {
    "--data",         "--prompt", "--tokens",    "--new",   "--depth",
    "--map",          "--feed",   "--no-warmup", "--seed",  "--threads",
    "--load-library", "--python", "--engine",    "--input", NULL};

static bool is_passed(const char *option)
{
    const char *const *at = passed;
    while (*at != NULL && strcmp(*at, option) != 0) at++;
    return *at != NULL;
}

/* The files of one recording, and the prompt of --text as tokens. */
struct files {
    char rows[CLI_PATH_BYTES + 16], messages[CLI_PATH_BYTES + 16], prompt[CLI_PATH_BYTES + 16];
};

static bool write_prompt(const struct cli_generate_plan *plan, const char *path)
{
    FILE *file = fopen(path, "w");
    if (file == NULL) return false;
    for (uint32_t i = 0; i < plan->prompt_count; i++) {
        fprintf(file, "%lld\n", (long long)plan->prompt[i]);
    }
    const bool is_whole = !ferror(file);
    return fclose(file) == 0 && is_whole;
}

static int record(const struct cli_generate_plan *plan, uint32_t number, const struct files *files)
{
    const char *output = cli_value(plan->arguments, "--output");
    const bool has_tokenizer = cli_has(plan->arguments, "--tokenizer");
    char trace[CLI_PATH_BYTES];
    struct cli_child_words words = {.count = 0};
    const char *option, *value;
    bool begins;
    cli_child_add(&words, "generate");
    cli_child_add(&words, plan->session.path);
    cli_child_add(&words, "--format");
    cli_child_add(&words, "json");
    if (output != NULL) {
        const int code = cli_child_trace_path(output, "recording", number, trace);
        if (code != CLI_OK) return code;
        cli_child_add(&words, "-o");
        cli_child_add(&words, trace);
    }
    for (unsigned i = 0; (option = cli_given(plan->arguments, i, &value, &begins)) != NULL; i++) {
        if (!is_passed(option) || (has_tokenizer && strcmp(option, "--python") == 0)) continue;
        cli_child_add(&words, option);
        if (value != NULL) cli_child_add(&words, value);
    }
    if (cli_has(plan->arguments, "--text")) {
        cli_child_add(&words, "--tokens");
        cli_child_add(&words, files->prompt);
    }
    return cli_child_run(&words, files->rows, files->messages);
}

/* A number of a row; NaN: none. */
static double number_of(const struct ets_json_value *row, const char *member)
{
    const struct ets_json_value *value = ets_json_get(row, member);
    if (ets_json_is(value, ETS_JSON_INT)) return (double)value->as.integer;
    return ets_json_is(value, ETS_JSON_DOUBLE) ? value->as.number : NAN;
}

static int64_t bytes_of(const struct ets_json_value *row, const char *member)
{
    const double number = number_of(row, member);
    return number >= 0 && number < 0x1p62 ? (int64_t)number : -1;
}

/* The new tokens of the first recording; whether those of a later one are the same. */
static bool keep_tokens(struct cli_generate_plan *plan, struct ets_generation_test *test,
                        const struct ets_json_value *row, uint32_t recording)
{
    const struct ets_json_value *list = ets_json_get(row, "tokens");
    const uint32_t count = ets_json_is(list, ETS_JSON_ARRAY) ? list->size : 0;
    int64_t *tokens = ets_arena_alloc_array(&plan->arena, count, sizeof *tokens);
    if (tokens == NULL || count == 0) return true;
    const struct ets_json_value *item = ets_json_first(list);
    for (uint32_t i = 0; i < count; i++, item = ets_json_next(item)) {
        tokens[i] = ets_json_is(item, ETS_JSON_INT) ? item->as.integer : -1;
    }
    if (recording > 0) {
        return count == test->new_count &&
               memcmp(tokens, test->new_tokens, count * sizeof *tokens) == 0;
    }
    test->new_tokens = tokens;
    test->new_count = count;
    return true;
}

/* What is of the process, from the first recording. */
static void keep_process(struct cli_generate_plan *plan, const struct ets_json_value *row)
{
    struct ets_generation_report *report = &plan->report;
    const struct ets_text runtime = ets_json_text(ets_json_get(row, "runtime"));
    report->program_ns = number_of(row, "program_load_ns");
    report->methods_ns = number_of(row, "method_load_ns");
    report->copied_bytes = bytes_of(row, "copied_bytes");
    report->mapped_bytes = bytes_of(row, "mapped_bytes");
    report->peak_bytes = bytes_of(row, "peak_resident_bytes");
    report->used = (uint32_t)bytes_of(row, "used_positions");
    report->threads = (uint32_t)bytes_of(row, "n_threads");
    report->runtime =
        runtime.data == NULL ? "" : ets_arena_copy_text(&plan->arena, runtime.data, runtime.size);
    if (report->runtime == NULL) report->runtime = "";
}

/* One document of a child. Returns whether all its rows were there; notes other tokens. */
static bool keep(struct cli_generate_plan *plan, const struct ets_json_value *document,
                 uint32_t recording, bool *differs)
{
    struct ets_generation_report *report = &plan->report;
    const struct ets_json_value *rows = ets_json_get(document, "rows");
    if (!ets_json_is(rows, ETS_JSON_ARRAY) || rows->size != report->test_count) return false;
    const struct ets_json_value *row = ets_json_first(rows);
    if (recording == 0) keep_process(plan, row);
    for (uint32_t i = 0; i < report->test_count; i++, row = ets_json_next(row)) {
        struct ets_generation_test *test = &report->tests[i];
        const bool is_prefill = test->phase == ETS_PHASE_PREFILL;
        test->total_ns[recording] = number_of(row, "avg_ns");
        test->slope_ns[recording] = number_of(row, "position_ns");
        test->first_call_ns[recording] = number_of(row, "first_call_ns");
        test->median_call_ns[recording] = number_of(row, "median_call_ns");
        test->first_token_ns[recording] = number_of(row, "first_token_ns");
        test->cold_call_ns[recording] = number_of(row, "cold_call_ns");
        test->cold_token_ns[recording] = number_of(row, "cold_first_token_ns");
        test->tokens = (uint32_t)bytes_of(row, is_prefill ? "n_prompt" : "n_gen");
        test->call_count = (uint32_t)bytes_of(row, "call_count");
        *differs |= !keep_tokens(plan, test, row, recording);
        if (!(test->total_ns[recording] > 0)) return false;
    }
    return true;
}

static int read_document(struct cli_generate_plan *plan, const char *path, uint32_t recording,
                         bool *differs)
{
    struct ets_file *file;
    struct ets_error error;
    struct ets_json json;
    struct ets_json_failure failure;
    if (ets_file_open(path, &file, &error) != ETS_OK) return cli_fail(path, &error);
    const struct ets_bytes bytes = ets_file_bytes(file);
    char *text = bytes.size < MOST_DOCUMENT
                     ? ets_arena_copy_text(&plan->arena, (const char *)bytes.data, bytes.size)
                     : NULL;
    ets_json_init(&json, &ets_libc_allocator);
    const bool is_whole = text != NULL &&
                          ets_json_parse(&json, text, bytes.size, &failure) == ETS_OK &&
                          keep(plan, json.values, recording, differs);
    ets_json_reset(&json);
    ets_file_close(file);
    return is_whole ? CLI_OK
                    : cli_complain(CLI_INTERNAL, "recording %u cannot be read", recording + 1);
}

/* The error of a child that failed, as its own. */
static int pass_error_on(const char *path, uint32_t recording, int code)
{
    static const char mark[] = "etscope: ";
    char line[4096];
    int told = 0;
    FILE *messages = fopen(path, "r");
    while (messages != NULL && fgets(line, sizeof line, messages) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, mark, sizeof mark - 1) != 0) continue;
        told = cli_complain(code, "%s", line + sizeof mark - 1);
    }
    if (messages != NULL) fclose(messages);
    return told != 0 ? told : cli_complain(code, "recording %u failed", recording + 1);
}

static int record_all(struct cli_generate_plan *plan, const char *folder, uint32_t recordings)
{
    bool differs = false;
    int code = CLI_OK;
    struct files files;
    snprintf(files.rows, sizeof files.rows, "%s/rows.json", folder);
    snprintf(files.messages, sizeof files.messages, "%s/messages", folder);
    snprintf(files.prompt, sizeof files.prompt, "%s/prompt.txt", folder);
    if (!write_prompt(plan, files.prompt)) {
        code = cli_complain(CLI_INTERNAL, "%s cannot be written", files.prompt);
    }
    struct cli_progress progress = cli_progress_start();
    for (uint32_t i = 0; i < recordings && code == CLI_OK && cli_interrupted() == 0; i++) {
        code = record(plan, i + 1, &files);
        if (code == CLI_OK) code = read_document(plan, files.rows, i, &differs);
        else if (cli_interrupted() == 0) code = pass_error_on(files.messages, i, code);
        cli_progress_count(&progress, "recording", i + 1, recordings);
    }
    cli_progress_end(&progress);
    ets_os_remove(files.rows);
    ets_os_remove(files.messages);
    ets_os_remove(files.prompt);
    if (code == CLI_OK && differs) {
        cli_note("the recordings gave different tokens: those of the first are shown");
    }
    return code;
}

/* "traces: t.recording-1.etdp, ..., t.recording-5.etdp" */
static void note_traces(const struct cli_generate_plan *plan, uint32_t recordings)
{
    const char *output = cli_value(plan->arguments, "--output");
    char first[CLI_PATH_BYTES], last[CLI_PATH_BYTES];
    if (output == NULL || cli_child_trace_path(output, "recording", 1, first) != CLI_OK ||
        cli_child_trace_path(output, "recording", recordings, last) != CLI_OK) {
        return;
    }
    cli_note("each recording has a trace of its own, which makes calls slower: %s to %s", first,
             last);
}

int cli_generate_recordings(struct cli_generate_plan *plan, uint32_t recordings)
{
    char folder[CLI_PATH_BYTES];
    int code = cli_generate_make_tests(plan, recordings);
    if (code != CLI_OK) return code;
    cli_interrupt_begin(); /* before the folder; the recording that runs gets the signal, too */
    code = cli_child_folder(folder, sizeof folder);
    if (code == CLI_OK) {
        code = record_all(plan, folder, recordings);
        ets_os_remove_folder(folder);
    }
    cli_interrupt_end();
    if (code == CLI_OK && cli_interrupted() == 0) note_traces(plan, recordings);
    if (cli_interrupted() == 0) return code;
    return cli_complain(CLI_SIGNAL + cli_interrupted(),
                        "interrupted before the last recording: there is nothing to show");
}
