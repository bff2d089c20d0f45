/* Parses a budget: one rule per line, with a subject, a metric and limits. */
#include "etscope/experimental/budget.h"
#include "base/error.h"
#include "base/text.h"
#include "compare/compare_names.h"
#include "host/arena.h"

enum { MAX_RULES = 10000, MAX_QUOTE = 80 };

struct ets_budget {
    struct ets_arena arena;
    struct ets_budget_rule *rules;
    uint32_t count;
};

static const char *const metrics[] = {"min", "p10", "p50",   "p90",
                                      "max", "avg", "share", "tokens/s"};

/* The current line. */
struct reader {
    struct ets_text text; /* of the line, without space at its ends */
    struct ets_text rest; /* the part not read yet */
    uint32_t line;
    struct ets_error *error;
};

static enum ets_status fail(const struct reader *reader, const char *reason)
{
    const size_t size = reader->text.size < MAX_QUOTE ? reader->text.size : MAX_QUOTE;
    return ets_fail(reader->error, ETS_MALFORMED, ETS_NO_OFFSET, "line %u \"%.*s\": %s",
                    reader->line, (int)size, reader->text.data, reason);
}

/* Removes the last word. Lines are read from the end, because names of operators have spaces. */
static struct ets_text take_last(struct reader *reader)
{
    const struct ets_text rest = reader->rest;
    size_t start = rest.size;
    while (start > 0 && !ets_is_blank(rest.data[start - 1])) start--;
    const struct ets_text word = {rest.data + start, rest.size - start};
    reader->rest = ets_text_trim((struct ets_text){rest.data, start});
    return word;
}

static struct ets_text take_first(struct reader *reader)
{
    const struct ets_text rest = reader->rest;
    size_t end = 0;
    while (end < rest.size && !ets_is_blank(rest.data[end])) end++;
    reader->rest = ets_text_trim((struct ets_text){rest.data + end, rest.size - end});
    return (struct ets_text){rest.data, end};
}

/* Takes digits with at most one point from `text`; false if there are none. */
static bool take_number(struct ets_text *text, double *value_out)
{
    double value = 0, scale = 1;
    bool has_point = false, has_digit = false;
    while (text->size > 0 && text->size < 4096) {
        const char c = text->data[0];
        if (c == '.' && !has_point) {
            has_point = true;
        } else if (c >= '0' && c <= '9') {
            value = value * 10 + (c - '0');
            if (has_point) scale *= 10;
            has_digit = true;
        } else {
            break;
        }
        text->data++;
        text->size--;
    }
    *value_out = value / scale;
    return has_digit && value < 1e18 && scale < 1e18;
}

/* "+5%", "-10%", "+200us", "12ms", "90%", "5000cycles". */
static enum ets_status read_bound(const struct reader *reader, struct ets_text text,
                                  struct ets_budget_bound *bound)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"cycles", 1}};
    const bool is_signed = text.size > 0 && (text.data[0] == '+' || text.data[0] == '-');
    const double sign = is_signed && text.data[0] == '-' ? -1 : 1;
    if (is_signed) {
        text.data++;
        text.size--;
    }
    if (!take_number(&text, &bound->value)) {
        return fail(reader,
                    "the limit must look like +5%, +200us, 12ms, 90% for a share, or 40 "
                    "for tokens/s");
    }
    bound->value *= sign;
    if (ets_text_is(text, "%")) {
        bound->value /= 100;
        bound->limit = is_signed ? ETS_LIMIT_OVER_RATIO : ETS_LIMIT_SHARE;
        return ETS_OK;
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (!ets_text_is(text, units[i].name)) continue;
        bound->value *= units[i].ns;
        bound->is_cycles = i == 4;
        bound->limit = is_signed ? ETS_LIMIT_OVER_TIME : ETS_LIMIT_TIME;
        return ETS_OK;
    }
    if (text.size == 0 && !is_signed) {
        bound->limit = ETS_LIMIT_RATE;
        return ETS_OK;
    }
    return fail(reader, "the limit needs a unit: %, ns, us, ms, s or cycles");
}

/* Reads the last limit of the line, and the one before it if "or" is in between. */
static enum ets_status read_bounds(struct reader *reader, struct ets_budget_rule *rule,
                                   struct ets_text *sign_out)
{
    bool is_relative = false, is_least = false;
    struct ets_text word, limits[ETS_BUDGET_MAX_BOUNDS];
    do {
        if (rule->bound_count == ETS_BUDGET_MAX_BOUNDS) {
            return fail(reader, "a rule can have at most two limits, as in: <= +25% or +5us");
        }
        limits[rule->bound_count++] = take_last(reader);
        word = take_last(reader);
    } while (ets_text_is(word, "or"));
    *sign_out = word;
    if (!ets_text_is(word, "<=") && !ets_text_is(word, ">=")) {
        return fail(reader, "a rule must be: WHAT METRIC <= LIMIT, as in: total p50 <= +5%");
    }
    for (uint32_t i = 0; i < rule->bound_count; i++) {
        struct ets_budget_bound *bound = &rule->bounds[rule->bound_count - 1 - i];
        ETS_TRY(read_bound(reader, limits[i], bound));
        const bool is_over =
            bound->limit == ETS_LIMIT_OVER_TIME || bound->limit == ETS_LIMIT_OVER_RATIO;
        is_relative = is_relative || is_over;
        is_least = is_least || bound->value < 0 || bound->limit == ETS_LIMIT_SHARE;
    }
    if (rule->bound_count == 1 || (is_relative && !is_least)) return ETS_OK;
    return fail(
        reader,
        "of two limits at least one must be relative to the base, and none below it: +25% or +5us");
}

static bool read_metric(struct ets_text text, enum ets_budget_metric *metric)
{
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
        if (!ets_text_is(text, metrics[i])) continue;
        *metric = (enum ets_budget_metric)i;
        return true;
    }
    return false;
}

/* Whether the word is a stage of a language model. */
static bool read_stage(struct ets_text word, enum ets_run_stage *stage_out)
{
    static const enum ets_run_stage stages[] = {ETS_STAGE_PREFILL, ETS_STAGE_DECODE,
                                                ETS_STAGE_ENCODE};
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        if (!ets_text_is(word, ets_run_stage_name(stages[i]))) continue;
        *stage_out = stages[i];
        return true;
    }
    return false;
}

static enum ets_status read_subject(struct reader *reader, struct ets_budget_rule *rule)
{
    static const char *const subjects[] = {"total", "load", "operator", "delegated"};
    const struct ets_text word = take_first(reader);
    size_t i = 0;
    if (read_stage(word, &rule->stage)) {
        rule->subject = ETS_BUDGET_TOTAL;
        if (rule->metric == ETS_METRIC_RATE && reader->rest.size == 0) return ETS_OK;
        return fail(reader,
                    "a stage needs the metric tokens/s, as in: decode tokens/s >= 40; for "
                    "its times, write a section such as [decode]");
    }
    while (i < 4 && !ets_text_is(word, subjects[i])) i++;
    if (i == 4) {
        return fail(reader,
                    "a rule must begin with total, load, operator NAME, delegated, prefill "
                    "or decode");
    }
    rule->subject = (enum ets_budget_subject)i;
    rule->pattern = reader->rest;
    if (rule->subject == ETS_BUDGET_OPERATOR && rule->pattern.size == 0) {
        return fail(reader, "operator needs a name, as in: operator *conv* p50 <= +10%");
    }
    if (rule->subject != ETS_BUDGET_OPERATOR && rule->pattern.size > 0) {
        return fail(reader, "a rule must be: WHAT METRIC <= LIMIT, as in: total p50 <= +5%");
    }
    return ETS_OK;
}

/* Copies the text with single spaces, into the budget's memory. */
static bool squeeze(struct ets_arena *arena, struct ets_text *text)
{
    char *data = ets_arena_alloc(arena, text->size);
    size_t used = 0;
    if (data == NULL) return false;
    for (size_t i = 0; i < text->size; i++) {
        const bool space = ets_is_blank(text->data[i]);
        if (!space || !ets_is_blank(text->data[i - 1])) data[used++] = space ? ' ' : text->data[i];
    }
    *text = (struct ets_text){data, used};
    return true;
}

/*
 * A rate is judged as the time of a run: at least so many tokens/s are at most so much time, and
 * 5 % fewer are 1 / 0.95 of it.
 */
static enum ets_status finish_rate(const struct reader *reader, struct ets_budget_rule *rule,
                                   struct ets_text sign)
{
    struct ets_budget_bound *bound = &rule->bounds[0];
    const bool is_change = bound->limit == ETS_LIMIT_OVER_RATIO;
    if (rule->stage == ETS_STAGE_NONE) {
        return fail(reader, "tokens/s are of prefill or decode, as in: decode tokens/s >= 40");
    }
    if (!ets_text_is(sign, ">=") || rule->bound_count != 1 ||
        (bound->limit != ETS_LIMIT_RATE && !is_change) || !(bound->value > (is_change ? -1 : 0))) {
        return fail(reader, "tokens/s need one lower limit: decode tokens/s >= 40, or >= -5%");
    }
    if (is_change) bound->value = 1 / (1 + bound->value) - 1;
    return ETS_OK;
}

/* Reads WHAT METRIC <= LIMIT from its end. */
static enum ets_status read_rule(struct reader *reader, struct ets_arena *arena,
                                 struct ets_budget_rule *rule)
{
    rule->text = reader->rest;
    rule->line = reader->line;
    if (!squeeze(arena, &rule->text)) return ets_fail_memory(reader->error, "a rule of the budget");
    struct ets_text sign;
    ETS_TRY(read_bounds(reader, rule, &sign));
    const struct ets_text metric = take_last(reader);
    if (!read_metric(metric, &rule->metric)) {
        return fail(reader, "the metric must be min, p10, p50, p90, max, avg, share or tokens/s");
    }
    ETS_TRY(read_subject(reader, rule));
    if (rule->metric == ETS_METRIC_RATE) return finish_rate(reader, rule, sign);
    if (rule->bounds[0].limit == ETS_LIMIT_RATE) {
        return fail(reader, "the limit needs a unit: %, ns, us, ms, s or cycles");
    }
    const bool is_least = ets_text_is(sign, ">=");
    const bool is_share = rule->metric == ETS_METRIC_SHARE;
    if (is_share != (rule->subject == ETS_BUDGET_DELEGATED)) {
        return fail(reader, "delegated needs the metric share; other rules need a time");
    }
    if (is_share != is_least || is_share != (rule->bounds[0].limit == ETS_LIMIT_SHARE)) {
        return fail(reader, is_share ? "a share needs a lower limit: delegated share >= 90%"
                                     : "a time needs an upper limit: <= 12ms, <= +5%, <= +200us");
    }
    return ETS_OK;
}

static enum ets_status read_line(struct ets_budget *budget, struct reader *reader,
                                 struct ets_text *scope)
{
    const struct ets_text line = reader->rest;
    if (line.size == 0 || line.data[0] == '#') return ETS_OK;
    if (line.data[0] == '[') {
        if (line.size < 3 || line.data[line.size - 1] != ']') {
            return fail(reader, "a section must be a method or block name in brackets: [decode]");
        }
        *scope = ets_text_trim((struct ets_text){line.data + 1, line.size - 2});
        return ETS_OK;
    }
    struct ets_budget_rule *rule = &budget->rules[budget->count++];
    rule->scope = *scope;
    return read_rule(reader, &budget->arena, rule);
}

static enum ets_status read_all(struct ets_budget *budget, struct ets_bytes bytes,
                                struct ets_error *error)
{
    const char *text = (const char *)bytes.data;
    struct reader reader = {.error = error};
    struct ets_text scope = {NULL, 0};
    for (size_t at = 0; at < bytes.size;) {
        const char *end = memchr(text + at, '\n', bytes.size - at);
        const size_t size = end == NULL ? bytes.size - at : (size_t)(end - (text + at));
        reader.text = reader.rest = ets_text_trim((struct ets_text){text + at, size});
        reader.line++;
        ETS_TRY(read_line(budget, &reader, &scope));
        at += size + 1;
    }
    if (budget->count > 0) return ETS_OK;
    return ets_fail(error, ETS_MALFORMED, ETS_NO_OFFSET,
                    "the budget has no rule; an example: total p50 <= +5%%");
}

/* The number of lines limits the number of rules. */
static uint64_t count_lines(struct ets_bytes text)
{
    uint64_t count = 1;
    for (size_t i = 0; i < text.size; i++) count += text.data[i] == '\n';
    return count;
}

enum ets_status ets_budget_open(struct ets_bytes text, const struct ets_allocator *allocator,
                                struct ets_budget **budget_out, struct ets_error *error)
{
    struct ets_arena arena;
    const uint64_t lines = count_lines(text);
    if (lines > MAX_RULES) {
        return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET, "the budget has more than %d lines",
                        MAX_RULES);
    }
    ets_arena_init(&arena, allocator, 0);
    struct ets_budget *budget = ets_arena_alloc(&arena, sizeof *budget);
    if (budget == NULL) return ets_fail_memory(error, "the budget");
    budget->arena = arena;
    budget->rules = ets_arena_alloc_array(&budget->arena, lines, sizeof *budget->rules);
    const enum ets_status status = budget->rules == NULL
                                       ? ets_fail_memory(error, "the rules of the budget")
                                       : read_all(budget, text, error);
    if (status != ETS_OK) ets_budget_close(budget);
    else *budget_out = budget;
    return status;
}

void ets_budget_close(struct ets_budget *budget)
{
    if (budget == NULL) return;
    struct ets_arena arena = budget->arena; /* holds the budget itself */
    ets_arena_reset(&arena);
}

uint32_t ets_budget_rule_count(const struct ets_budget *budget)
{
    return budget->count;
}

const struct ets_budget_rule *ets_budget_rule(const struct ets_budget *budget, uint32_t index)
{
    return &budget->rules[index];
}

const char *ets_budget_metric_name(enum ets_budget_metric metric)
{
    return (unsigned)metric < sizeof metrics / sizeof *metrics ? metrics[metric] : "";
}
