/*
 * Reads what ExecuTorch's runners of language models print at the end of a generation: a line
 *
 *     PyTorchObserver {"prompt_tokens":8,"generated_tokens":20,"model_load_start_ms":...}
 *
 * of a log. Source: upstream's extension/llm/runner/stats.h. A generation is up to three runs: the
 * load, the prompt, and all tokens after it.
 */
#include "import/foreign.h"
#include "import/text_lines.h"

static const char mark[] = "PyTorchObserver {";

enum number {
    PROMPT_TOKENS,
    GENERATED_TOKENS,
    LOAD_START,
    LOAD_END,
    INFERENCE_START,
    INFERENCE_END,
    PROMPT_END,
    UNITS_PER_SECOND,
    NUMBER_COUNT
};

static const char *const names[NUMBER_COUNT] = {
    [PROMPT_TOKENS] = "prompt_tokens",
    [GENERATED_TOKENS] = "generated_tokens",
    [LOAD_START] = "model_load_start_ms",
    [LOAD_END] = "model_load_end_ms",
    [INFERENCE_START] = "inference_start_ms",
    [INFERENCE_END] = "inference_end_ms",
    [PROMPT_END] = "prompt_eval_end_ms",
    [UNITS_PER_SECOND] = "SCALING_FACTOR_UNITS_PER_SECOND",
};

struct log {
    struct ets_foreign *f;
    uint64_t line_number, line_at;
    int64_t numbers[NUMBER_COUNT];
    bool is_there[NUMBER_COUNT];
    int64_t clock_ns; /* where the next run begins: logs of several processes have several clocks */
};

static enum ets_status fail_line(const struct log *log, const char *reason, struct ets_error *error)
{
    return ets_fail(error, ETS_MALFORMED, log->line_at, "line %llu, PyTorchObserver: %s",
                    (unsigned long long)log->line_number, reason);
}

bool ets_is_runner_log(struct ets_bytes bytes)
{
    enum { MOST = 1 << 16 }; /* at either end: what is generated stands in between */
    const struct ets_text all = {(const char *)bytes.data, bytes.size};
    const size_t size = all.size < MOST ? all.size : MOST;
    return ets_text_contains((struct ets_text){all.data, size}, mark) ||
           ets_text_contains((struct ets_text){all.data + all.size - size, size}, mark);
}

/* Digits, at most 2^53 as JSON keeps them; false: none. */
static bool take_number(struct ets_text *text, int64_t *number_out)
{
    size_t used = 0;
    *number_out = 0;
    for (; used < text->size && text->data[used] >= '0' && text->data[used] <= '9'; used++) {
        *number_out = *number_out * 10 + (text->data[used] - '0');
        if (*number_out > (INT64_C(1) << 53)) return false;
    }
    *text = (struct ets_text){text->data + used, text->size - used};
    return used > 0;
}

static void keep_number(struct log *log, struct ets_text name, int64_t number)
{
    for (int i = 0; i < NUMBER_COUNT; i++) {
        if (!ets_text_is(name, names[i])) continue;
        log->numbers[i] = number;
        log->is_there[i] = true;
    }
}

/* "name": value, of which only whole numbers count. */
static void read_members(struct log *log, struct ets_text members)
{
    while (members.size > 0) {
        struct ets_text member = ets_take_first(&members, ','), name = ets_take_first(&member, ':');
        int64_t number;
        name = ets_trim(name);
        member = ets_trim(member);
        const bool is_quoted = name.size > 2 && name.data[0] == '"';
        if (is_quoted && take_number(&member, &number)) {
            keep_number(log, (struct ets_text){name.data + 1, name.size - 2}, number);
        }
    }
}

static enum ets_status check(const struct log *log, struct ets_error *error)
{
    static const struct {
        enum number first, last;
        const char *reason;
    } orders[] = {
        {LOAD_START, LOAD_END, "model_load_end_ms is before model_load_start_ms"},
        {INFERENCE_START, PROMPT_END, "prompt_eval_end_ms is before inference_start_ms"},
        {PROMPT_END, INFERENCE_END, "inference_end_ms is before prompt_eval_end_ms"},
    };
    enum { MOST_TOKENS = 1 << 30 };
    for (int i = 0; i < NUMBER_COUNT; i++) {
        char reason[80];
        ets_print_text(reason, sizeof reason, "it has no %s", names[i]);
        if (!log->is_there[i]) return fail_line(log, reason, error);
    }
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        if (log->numbers[orders[i].last] < log->numbers[orders[i].first]) {
            return fail_line(log, orders[i].reason, error);
        }
    }
    if (log->numbers[PROMPT_TOKENS] > MOST_TOKENS || log->numbers[GENERATED_TOKENS] > MOST_TOKENS) {
        return fail_line(log, "it has more tokens than any context", error);
    }
    return ETS_OK;
}

/* A run from one moment to another, behind those before. */
static enum ets_status add_run(struct log *log, struct ets_slice run, enum number first,
                               enum number last, const char *name, struct ets_error *error)
{
    const int64_t units = log->numbers[UNITS_PER_SECOND];
    const double ns = (double)(log->numbers[last] - log->numbers[first]) * 1e9 / (double)units;
    if (ns > 1e17) return fail_line(log, "it took longer than three years", error);
    run.start = log->clock_ns;
    run.end = log->clock_ns += (int64_t)ns;
    if (log->clock_ns > (INT64_MAX >> 1)) {
        return fail_line(log, "with those before it, it ends later than in 146 years", error);
    }
    uint32_t *text = run.kind == ETS_SLICE_LOAD ? &run.op : &run.name;
    ETS_TRY(ets_foreign_text(log->f, ets_text_of(name), text, error));
    return ets_foreign_add(log->f, &run, error);
}

static enum ets_status add_stage(struct log *log, enum ets_run_stage stage, uint64_t position,
                                 struct ets_error *error)
{
    const bool is_prefill = stage == ETS_STAGE_PREFILL;
    const int64_t tokens = log->numbers[is_prefill ? PROMPT_TOKENS : GENERATED_TOKENS];
    const struct ets_slice run = {.kind = ETS_SLICE_RUN, .is_frame = true};
    if (tokens == 0) return ETS_OK;
    ETS_TRY(ets_foreign_tokens(log->f, stage, (uint32_t)tokens, position, error));
    return add_run(log, run, is_prefill ? INFERENCE_START : PROMPT_END,
                   is_prefill ? PROMPT_END : INFERENCE_END, "Execute", error);
}

static enum ets_status read_generation(struct log *log, struct ets_text members,
                                       struct ets_error *error)
{
    const struct ets_slice load = {.kind = ETS_SLICE_LOAD};
    memset(log->is_there, 0, sizeof log->is_there);
    read_members(log, members);
    ETS_TRY(check(log, error));
    const int64_t units = log->numbers[UNITS_PER_SECOND];
    if (units < 1 || units > 1000000000) {
        return fail_line(log, "its SCALING_FACTOR_UNITS_PER_SECOND is no unit of time", error);
    }
    log->f->step_ns = (uint64_t)(1000000000 / units);
    if (log->numbers[LOAD_END] > log->numbers[LOAD_START]) {
        ETS_TRY(add_run(log, load, LOAD_START, LOAD_END, "Program::load_method", error));
    }
    ETS_TRY(add_stage(log, ETS_STAGE_PREFILL, 0, error));
    return add_stage(log, ETS_STAGE_DECODE, (uint64_t)log->numbers[PROMPT_TOKENS], error);
}

enum ets_status ets_runner_log_read(struct ets_foreign *f, struct ets_error *error)
{
    struct log log = {.f = f};
    struct ets_text line;
    for (size_t at = 0; log.line_at = at, ets_next_line(f->bytes, &at, &line);) {
        log.line_number++;
        struct ets_text members;
        if (!ets_text_contains(line, mark) || !ets_take_last(&line, mark, &members)) continue;
        ETS_TRY(read_generation(&log, ets_take_first(&members, '}'), error));
    }
    return ETS_OK;
}
