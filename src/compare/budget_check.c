/* Checks a comparison against the rules of a budget, with a verdict for each. */
#include <math.h>

#include "base/text_pattern.h"
#include "compare/budget_recordings.h"
#include "compare/compare_names.h"
#include "compare/difference_parts.h"
#include "compare/other_work.h"
#include "compare/recordings.h"
#include "etscope/experimental/budget.h"

struct ets_budget_verdicts {
    struct ets_arena arena;
    struct ets_budget_verdict *items;
    uint32_t count, failed, undecided;
};

struct checker {
    const struct ets_budget *budget;
    const struct ets_difference *difference;
    struct ets_budget_verdicts *verdicts;
    double *scratch;  /* [runs of the largest block] */
    bool is_counting; /* first all are counted, then written */
    uint32_t count;
};

/* Whether one of the rule's limits is relative to the base. */
static bool is_over_base(const struct ets_budget_rule *rule)
{
    for (uint32_t i = 0; i < rule->bound_count; i++) {
        const enum ets_budget_limit limit = rule->bounds[i].limit;
        if (limit == ETS_LIMIT_OVER_TIME || limit == ETS_LIMIT_OVER_RATIO) return true;
    }
    return false;
}

static uint32_t tokens_of(const struct ets_pool_block *block)
{
    return block == NULL ? 0 : block->tokens;
}

/* Whether the times of the line are of tokens that the rule can be judged by; else, why not. */
static bool has_fitting_tokens(const struct ets_budget_rule *rule,
                               const struct ets_difference_line *line,
                               struct ets_budget_verdict *verdict)
{
    const struct ets_pool_block *before = line->before.block, *after = line->after.block;
    const uint32_t base = tokens_of(before), now = tokens_of(after);
    const bool is_rate = rule->metric == ETS_METRIC_RATE;
    const bool is_over = is_over_base(rule) && line->before.operator_count > 0;
    const bool has_other_work = ets_other_work_find(before, after) != ETS_OTHER_WORK_NONE;
    verdict->tokens = is_rate ? now : 0;
    if (is_rate && (now == 0 || (is_over && base == 0))) verdict->doubt = ETS_DOUBT_TOKENS;
    else if (is_over && has_other_work) verdict->doubt = ETS_DOUBT_WORK;
    else return true;
    verdict->result = ETS_BUDGET_UNDECIDED;
    return false;
}

/* An absolute limit is over all runs; one relative to the base is judged by recordings, later. */
static void check_time(const struct ets_budget_rule *rule, const struct ets_difference_line *line,
                       struct ets_budget_verdict *verdict)
{
    if (!has_fitting_tokens(rule, line, verdict) || is_over_base(rule)) return;
    verdict->value = ets_metric_of(&line->after.times, rule->metric);
    if (line->before.operator_count > 0) {
        verdict->base = ets_metric_of(&line->before.times, rule->metric);
    }
    verdict->limit = ets_budget_limit_of(rule, NAN);
    if (rule->metric == ETS_METRIC_RATE) verdict->limit = verdict->tokens * 1e9 / verdict->limit;
    verdict->result = verdict->value > verdict->limit ? ETS_BUDGET_FAIL : ETS_BUDGET_PASS;
}

/* The median over the runs of the share of delegate calls in the total; NaN: no total. */
static double delegated_share(const struct checker *c, const struct ets_pool_block *block)
{
    if (block == NULL || block->total == ETS_NO_INDEX || block->run_count == 0) return NAN;
    for (uint32_t r = 0; r < block->run_count; r++) {
        const double total = block->operators[block->total].per_run[r];
        double delegated = 0;
        for (uint32_t i = 0; i < block->operator_count; i++) {
            const struct ets_pool_operator *op = &block->operators[i];
            if (op->row == NULL || !ets_text_is(op->row->name, "DELEGATE_CALL")) continue;
            delegated += op->per_run[r];
        }
        c->scratch[r] = total > 0 ? delegated / total : 0;
    }
    struct ets_statistics shares;
    ets_statistics_compute(c->scratch, block->run_count, &shares);
    return shares.p50;
}

static void check_share(const struct checker *c, const struct ets_budget_rule *rule,
                        const struct ets_difference_line *line, struct ets_budget_verdict *verdict)
{
    verdict->limit = rule->bounds[0].value;
    verdict->base = delegated_share(c, line->before.block);
    verdict->value = delegated_share(c, line->after.block);
    verdict->result = verdict->value >= verdict->limit ? ETS_BUDGET_PASS : ETS_BUDGET_FAIL;
}

static bool is_in_scope(const struct ets_budget_rule *rule, const struct ets_pool_block *block)
{
    const char *stage = ets_run_stage_name(block->stage);
    if (rule->stage != ETS_STAGE_NONE && rule->stage != block->stage) return false;
    if (rule->scope.data == NULL) return true;
    if (stage != NULL && ets_text_is(rule->scope, stage)) return true;
    return ets_text_equal(rule->scope, block->name) ||
           (block->method != NULL && ets_text_is(rule->scope, block->method));
}

/*
 * "(between operators)" is not an operator: "*" does not match it, "(between*" does. For a delegate
 * with its own clock, limits apply to the call, not to its events.
 */
static bool is_operator(const struct ets_budget_rule *rule, const struct ets_pool_operator *op)
{
    if (op->has_own_clock) return false;
    if (op->role != ETS_POOL_REST) return op->role != ETS_POOL_FRAME;
    return rule->pattern.data[0] == '(';
}

/* Whether a rule matches a line of the new trace. */
static bool is_about(const struct ets_budget_rule *rule, const struct checker *c, uint32_t index)
{
    const struct ets_difference_line *line = ets_difference_line(c->difference, index);
    const struct ets_difference_side *after = &line->after;
    if (after->operator_count == 0 || !is_in_scope(rule, after->block)) return false;
    if (rule->subject == ETS_BUDGET_OPERATOR) {
        for (uint32_t i = 0; i < after->operator_count; i++) {
            const struct ets_pool_operator *op = &after->block->operators[after->operators[i]];
            if (is_operator(rule, op) && ets_text_matches(rule->pattern, op->name)) return true;
        }
        return false;
    }
    if (after->block->total != after->operators[0]) return false;
    const struct ets_text name = after->block->operators[after->operators[0]].name;
    const bool is_load = !ets_text_is(name, "Method::execute");
    return is_load == (rule->subject == ETS_BUDGET_LOAD);
}

static void add(struct checker *c, uint32_t rule_index, uint32_t line_index)
{
    const struct ets_budget_rule *rule = ets_budget_rule(c->budget, rule_index);
    if (c->is_counting) {
        c->count++;
        return;
    }
    struct ets_budget_verdict *verdict = &c->verdicts->items[c->verdicts->count++];
    *verdict = (struct ets_budget_verdict){.rule = rule_index,
                                           .line = line_index,
                                           .result = ETS_BUDGET_MISSING,
                                           .base = NAN,
                                           .value = NAN,
                                           .limit = NAN,
                                           .noise = NAN,
                                           .p = NAN,
                                           .room = NAN,
                                           .spread = NAN};
    if (line_index != ETS_NO_INDEX) {
        const struct ets_difference_line *line = ets_difference_line(c->difference, line_index);
        if (rule->metric == ETS_METRIC_SHARE) check_share(c, rule, line, verdict);
        else check_time(rule, line, verdict);
    }
}

/* The block of a verdict on a line. */
static uint32_t block_of(const struct checker *c, uint32_t verdict)
{
    return ets_difference_line(c->difference, c->verdicts->items[verdict].line)->block;
}

static uint32_t end_of_block(const struct checker *c, uint32_t first)
{
    uint32_t end = first + 1;
    while (end < c->verdicts->count && block_of(c, end) == block_of(c, first)) end++;
    return end;
}

/* Judges the verdicts from `first` on, which are of one rule, block by block. */
static bool weigh(const struct checker *c, const struct ets_budget_rule *rule, uint32_t first)
{
    uint32_t blocks = 0;
    for (uint32_t i = first; i < c->verdicts->count; i = end_of_block(c, i)) blocks++;
    for (uint32_t i = first, end; i < c->verdicts->count; i = end) {
        end = end_of_block(c, i);
        if (!ets_budget_weigh(rule, c->difference, &c->verdicts->items[i], end - i, blocks)) {
            return false;
        }
    }
    return true;
}

static void count_results(struct ets_budget_verdicts *verdicts)
{
    for (uint32_t i = 0; i < verdicts->count; i++) {
        const enum ets_budget_result result = verdicts->items[i].result;
        verdicts->failed += ets_budget_is_failure(result) != 0;
        verdicts->undecided += result == ETS_BUDGET_UNDECIDED;
    }
}

/* False: no memory. */
static bool check_all(struct checker *c)
{
    for (uint32_t r = 0; r < ets_budget_rule_count(c->budget); r++) {
        const struct ets_budget_rule *rule = ets_budget_rule(c->budget, r);
        const uint32_t first = c->verdicts->count;
        uint32_t found = 0;
        for (uint32_t i = 0; i < ets_difference_line_count(c->difference); i++) {
            if (!is_about(rule, c, i)) continue;
            add(c, r, i);
            found++;
        }
        if (found == 0) add(c, r, ETS_NO_INDEX);
        else if (!c->is_counting && is_over_base(rule) && !weigh(c, rule, first)) return false;
    }
    return true;
}

static enum ets_status check_units(const struct ets_budget *budget, enum ets_time_unit unit,
                                   struct ets_error *error)
{
    for (uint32_t i = 0; i < ets_budget_rule_count(budget); i++) {
        const struct ets_budget_rule *rule = ets_budget_rule(budget, i);
        for (uint32_t k = 0; k < rule->bound_count; k++) {
            const struct ets_budget_bound *bound = &rule->bounds[k];
            const bool is_time = bound->limit == ETS_LIMIT_TIME ||
                                 bound->limit == ETS_LIMIT_OVER_TIME ||
                                 bound->limit == ETS_LIMIT_RATE;
            if (!is_time || bound->is_cycles == (unit == ETS_UNIT_CYCLES)) continue;
            return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                            "line %u \"%.*s\": the limit is in %s but the traces are in %s",
                            rule->line, (int)(rule->text.size < 80 ? rule->text.size : 80),
                            rule->text.data, bound->is_cycles ? "cycles" : "time",
                            bound->is_cycles ? "time" : "cycles");
        }
    }
    return ETS_OK;
}

/* A list of names, separated by commas. */
struct name_list {
    char *buffer;
    size_t room, used;
};

static void add_name(struct name_list *list, struct ets_text name)
{
    list->used += ets_print_text(list->buffer + list->used, list->room - list->used, "%s%.*s",
                                 list->used == 0 ? "" : ", ",
                                 (int)(name.size < 64 ? name.size : 64), name.data);
}

/* Whether a rule could name an earlier block of the new trace in the same way. */
static bool is_named_before(const struct ets_difference *difference, uint32_t index,
                            struct ets_text name)
{
    const struct ets_budget_rule rule = {.scope = name};
    for (uint32_t b = 0; b < index; b++) {
        const struct ets_pool_block *block = ets_difference_block(difference, b)->after;
        if (block != NULL && is_in_scope(&rule, block)) return true;
    }
    return false;
}

int ets_budget_section_exists(const struct ets_budget_rule *rule,
                              const struct ets_difference *difference, char *names, size_t room)
{
    struct name_list list = {names, room, 0};
    const uint32_t count = ets_difference_block_count(difference);
    names[0] = '\0';
    if (rule->scope.data == NULL) return 1;
    for (uint32_t b = 0; b < count; b++) {
        const struct ets_pool_block *block = ets_difference_block(difference, b)->after;
        if (block != NULL && is_in_scope(rule, block)) return 1;
    }
    for (uint32_t b = 0; b < count && list.used + 1 < room; b++) {
        const struct ets_pool_block *block = ets_difference_block(difference, b)->after;
        if (block == NULL) continue;
        if (!is_named_before(difference, b, block->name)) add_name(&list, block->name);
        const struct ets_text stage = ets_text_of(ets_run_stage_name(block->stage));
        if (stage.data != NULL && !is_named_before(difference, b, stage)) add_name(&list, stage);
        if (block->method == NULL) continue;
        const struct ets_text method = {block->method, strlen(block->method)};
        if (!is_named_before(difference, b, method)) add_name(&list, method);
    }
    return 0;
}

static uint32_t most_runs(const struct ets_difference *difference)
{
    uint32_t most = 0;
    for (uint32_t b = 0; b < ets_difference_block_count(difference); b++) {
        const struct ets_difference_block *block = ets_difference_block(difference, b);
        const struct ets_pool_block *sides[] = {block->before, block->after};
        for (int s = 0; s < 2; s++) {
            if (sides[s] != NULL && sides[s]->run_count > most) most = sides[s]->run_count;
        }
    }
    return most;
}

enum ets_status ets_budget_check(const struct ets_budget *budget,
                                 const struct ets_difference *difference,
                                 struct ets_budget_verdicts **verdicts_out, struct ets_error *error)
{
    ETS_TRY(check_units(budget, difference->unit, error));
    struct ets_arena arena;
    ets_arena_init(&arena, difference->arena.allocator, 0);
    struct ets_budget_verdicts *verdicts = ets_arena_alloc(&arena, sizeof *verdicts);
    if (verdicts == NULL) return ets_fail_memory(error, "the verdicts of a budget");
    verdicts->arena = arena;
    struct checker c = {
        .budget = budget, .difference = difference, .verdicts = verdicts, .is_counting = true};
    (void)check_all(&c);
    c.is_counting = false;
    verdicts->items = ets_arena_alloc_array(&verdicts->arena, c.count, sizeof *verdicts->items);
    c.scratch = ets_arena_alloc_array(&verdicts->arena, most_runs(difference), sizeof *c.scratch);
    if (verdicts->items == NULL || c.scratch == NULL || !check_all(&c)) {
        ets_budget_verdicts_close(verdicts);
        return ets_fail_memory(error, "the verdicts of a budget");
    }
    count_results(verdicts);
    *verdicts_out = verdicts;
    return ETS_OK;
}

void ets_budget_verdicts_close(struct ets_budget_verdicts *verdicts)
{
    if (verdicts == NULL) return;
    struct ets_arena arena = verdicts->arena; /* holds the verdicts themselves */
    ets_arena_reset(&arena);
}

uint32_t ets_budget_count(const struct ets_budget_verdicts *verdicts)
{
    return verdicts->count;
}

uint32_t ets_budget_failed(const struct ets_budget_verdicts *verdicts)
{
    return verdicts->failed;
}

uint32_t ets_budget_undecided(const struct ets_budget_verdicts *verdicts)
{
    return verdicts->undecided;
}

const struct ets_budget_verdict *ets_budget_verdict(const struct ets_budget_verdicts *verdicts,
                                                    uint32_t index)
{
    return &verdicts->items[index];
}

int ets_budget_is_failure(enum ets_budget_result result)
{
    return result == ETS_BUDGET_FAIL || result == ETS_BUDGET_MISSING;
}

const char *ets_budget_result_name(enum ets_budget_result result)
{
    static const char *const names[] = {"pass", "undecided", "new", "fail", "missing"};
    return (unsigned)result < ETS_BUDGET_RESULT_COUNT ? names[result] : "";
}
