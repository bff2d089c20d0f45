/* Words what a stage of a generation reads, and what holds it back. */
#include "views/token_reads.h"

#include <math.h>

#include "views/cost_headline.h"
#include "views/operator_rows.h"
#include "views/sentence_numbers.h"

/* Rows that enclose no other. NULL: no memory. */
static const bool *find_leaves(struct ets_arena *arena, const struct ets_inspection *inspection,
                               const struct ets_block *block)
{
    bool *is_leaf = ets_arena_alloc_array(arena, block->row_count, sizeof *is_leaf);
    for (uint32_t i = 0; is_leaf != NULL && i < block->row_count; i++) is_leaf[i] = true;
    for (uint32_t i = 0; is_leaf != NULL && i < block->row_count; i++) {
        const uint32_t parent = ets_inspection_row(inspection, block->first_row + i)->parent;
        if (parent != ETS_NO_INDEX) is_leaf[parent - block->first_row] = false;
    }
    return is_leaf;
}

/* What the products of a run take at their roofs, as far as these are measured. */
static bool compute(struct ets_arena *arena, const struct ets_inspection *inspection,
                    const struct ets_token_reads_question *q, struct ets_stage_question *stage)
{
    const struct ets_block *block = ets_inspection_block(inspection, q->block);
    const bool *is_leaf = find_leaves(arena, inspection, block);
    uint64_t macs = 0;
    for (uint32_t i = 0; is_leaf != NULL && i < block->row_count; i++) {
        const struct ets_cost *cost = &q->costs->rows[block->first_row + i];
        if (!is_leaf[i] || cost->macs == 0) continue;
        const enum ets_roof_program program = ets_roof_program_of(cost->arithmetic);
        const double rate = program == ETS_ROOF_PROGRAMS
                                ? NAN
                                : ets_machine_compute(q->machine, program, q->threads);
        macs += cost->macs;
        if (!isnan(rate)) {
            stage->compute_ns += 2e9 * (double)cost->macs / rate;
        } else if (stage->missing == ETS_ROOF_REASON_NONE) {
            const enum ets_roof_reason reason = ets_roof_missing(cost->arithmetic);
            stage->missing = reason != ETS_ROOF_REASON_NONE ? reason : ETS_ROOF_NOT_MEASURED;
        }
    }
    if (macs < q->costs->blocks[q->block].cost.macs && stage->missing == ETS_ROOF_REASON_NONE) {
        stage->missing = ETS_ROOF_NO_COST;
    }
    return is_leaf != NULL;
}

/* What a run takes in calls that are too long to be overhead, each the median over the runs. */
static bool find_long_calls(const struct ets_inspection *inspection,
                            const struct ets_token_reads_question *q, double *ns_out)
{
    const struct ets_block *block = ets_inspection_block(inspection, q->block);
    *ns_out = 0;
    for (uint32_t i = block->first_row; i < block->first_row + block->row_count; i++) {
        struct ets_statistics ticks;
        const struct ets_row *row = ets_inspection_row(inspection, i);
        if (!ets_row_is_instruction(inspection, row)) continue;
        if (ets_inspection_row_statistics(inspection, i, ETS_NO_INDEX, &ticks, NULL) != ETS_OK) {
            return false;
        }
        const double ns = ticks.p50 * q->tick_ns;
        if (ns >= ETS_ROOF_LEAST_CALL_NS * row->calls_per_run) *ns_out += ns;
    }
    return true;
}

static enum ets_roof_reason doubt_of(const struct ets_cost *cost)
{
    if (ets_cost_state(cost) != ETS_COST_KNOWN) return ETS_ROOF_NO_COST;
    if (cost->at_most) return ETS_ROOF_AT_MOST;
    return cost->is_example ? ETS_ROOF_EXAMPLE : ETS_ROOF_REASON_NONE;
}

bool ets_token_reads_find(struct ets_arena *arena, const struct ets_inspection *inspection,
                          const struct ets_token_reads_question *question,
                          struct ets_token_reads *reads_out)
{
    const struct ets_block_tokens *tokens = &question->costs->tokens[question->block];
    const struct ets_cost *cost = &question->costs->blocks[question->block].cost;
    const enum ets_run_stage stage = ets_inspection_block(inspection, question->block)->stage;
    *reads_out = (struct ets_token_reads){.ns = NAN};
    if (tokens->group_count == 0 || stage == ETS_STAGE_NONE || cost->operators == 0) return true;
    *reads_out = (struct ets_token_reads){
        .stage = stage,
        .cost = cost,
        .tokens = *tokens,
        .tokens_per_run = (double)tokens->tokens / tokens->runs,
        .weight_bytes = (double)cost->weight_bytes,
        .cache_bytes = (double)cost->state_bytes,
        .ns = question->ns > 0 ? question->ns : NAN,
        .is_held = question->machine != NULL,
        .known = ets_cost_state_name(cost),
    };
    if (question->machine == NULL) return true;
    struct ets_stage_question of = {
        .read_bytes = reads_out->weight_bytes + reads_out->cache_bytes,
        .ns = question->ns,
        .kernel_calls = tokens->kernel_calls,
        .delegate_calls = tokens->delegate_calls,
        .threads = question->threads,
        .reason = doubt_of(cost),
    };
    if (!compute(arena, inspection, question, &of) ||
        !find_long_calls(inspection, question, &of.long_ns)) {
        return false;
    }
    reads_out->roof = ets_roof_judge_stage(question->machine, &of);
    reads_out->level = ets_memory_level_name(reads_out->roof.level);
    reads_out->verdict = ets_roof_verdict_name(reads_out->roof.verdict);
    reads_out->reason = ets_roof_reason_name(reads_out->roof.reason);
    return true;
}

static void add_count(struct ets_text_builder *text, double bytes)
{
    ets_add_bytes(text, bytes < 9e18 ? (uint64_t)bytes : UINT64_MAX);
}

/* " a token (position 8)", " for 8 tokens (from position 0)" */
static void add_tokens(struct ets_text_builder *text, const struct ets_token_reads *reads)
{
    const struct ets_block_tokens *tokens = &reads->tokens;
    const unsigned long long first = tokens->first_position, last = tokens->last_position;
    if (reads->tokens_per_run == 1) ets_add_text(text, " a token");
    else if (tokens->group_count == 1) ets_add_text(text, " for %g tokens", reads->tokens_per_run);
    else ets_add_text(text, " for %.3g tokens, the mean of its runs,", reads->tokens_per_run);
    if (first == last) {
        ets_add_text(text, " at position %llu", first);
    } else if (tokens->group_count == 1) {
        ets_add_text(text, " at position %llu, the mean of %llu to %llu",
                     (unsigned long long)tokens->groups[0].position, first, last);
    } else {
        ets_add_text(text, " from positions %llu to %llu", first, last);
    }
}

static void add_machine(struct ets_text_builder *text, const struct ets_token_reads *reads)
{
    const struct ets_roof_answer *roof = &reads->roof;
    const uint32_t calls = reads->tokens.kernel_calls + reads->tokens.delegate_calls;
    if (!isnan(roof->least_share)) {
        ets_add_text(text, ": %.2g %% of this machine's read bandwidth", 100 * roof->least_share);
        if (reads->level != NULL) ets_add_text(text, " of %s", reads->level);
        ets_add_text(text, ", ");
    } else if (roof->reason == ETS_ROOF_NOT_MEASURED) {
        ets_add_text(text, "; the machine's read bandwidth was not measured");
        return;
    } else {
        ets_add_text(text, "; ");
    }
    if (roof->verdict != ETS_ROOF_VERDICT_UNKNOWN) {
        ets_add_text(text, "%s", reads->verdict);
    } else {
        ets_add_text(text, "not judged: %s", reads->reason);
    }
    if (roof->verdict == ETS_ROOF_VERDICT_OVERHEAD_BOUND && calls > 0) {
        ets_add_text(text, ": %u calls, ", calls);
        const double each = reads->ns / calls;
        ets_add_time(text, (struct ets_span){each, each}, 1);
        ets_add_text(text, " each");
    }
}

void ets_add_token_reads(struct ets_text_builder *text, const struct ets_token_reads *reads)
{
    const char *name = ets_run_stage_name(reads->stage);
    if (name == NULL) return;
    const struct ets_cost *cost = reads->cost;
    /* Without some operators and with upper bounds of others it is neither. */
    const bool is_partial = cost->unknown > 0;
    const char *how = cost->at_most ? (is_partial ? "" : "at most ")
                      : is_partial  ? "at least "
                                    : "";
    ets_add_text(text, "%s reads %s", name, how);
    add_count(text, reads->weight_bytes);
    ets_add_text(text, " of weights");
    if (reads->cache_bytes > 0) {
        ets_add_text(text, " and ");
        add_count(text, reads->cache_bytes);
        ets_add_text(text, " of cache");
    }
    add_tokens(text, reads);
    if (is_partial) ets_add_text(text, " in what is counted");
    if (reads->is_held) {
        add_machine(text, reads);
    } else if (!isnan(reads->ns) && !cost->at_most && !is_partial) {
        ets_add_text(text, ", %.3g GB/s", (reads->weight_bytes + reads->cache_bytes) / reads->ns);
    }
}

static void add_work(struct ets_text_builder *text, const struct ets_cost *cost)
{
    char number[64];
    (void)ets_print_flops((double)ets_cost_flops(cost), number, sizeof number);
    ets_add_text(text, "%s", number);
}

static void add_last(struct ets_text_builder *text, const struct ets_token_cost *token,
                     const char *most)
{
    ets_add_text(text, "; at position %llu, the last, %s", (unsigned long long)token->last_position,
                 most);
    add_work(text, &token->last);
    ets_add_text(text, " and %s", most);
    ets_add_bytes(text, token->last.state_bytes);
    ets_add_text(text, " of cache");
}

void ets_add_token_cost(struct ets_text_builder *text, const struct ets_token_cost *token)
{
    const struct ets_cost *first = &token->first, *last = &token->last;
    if (!token->is_known || first->operators == 0) return;
    const char *most = first->at_most || last->at_most ? "at most " : "";
    ets_add_text(text, "; one token takes %s", most);
    add_work(text, first);
    ets_add_text(text, " and reads %s", most);
    ets_add_bytes(text, first->weight_bytes);
    ets_add_text(text, " of weights");
    if (last->state_bytes > 0) {
        ets_add_text(text, " and ");
        ets_add_bytes(text, first->state_bytes);
        ets_add_text(text, " of cache");
    }
    if (first->state_bytes == last->state_bytes && ets_cost_flops(first) == ets_cost_flops(last)) {
        ets_add_text(text, " at any position");
    } else {
        ets_add_text(text, " at position 0");
        if (token->has_last) add_last(text, token, most);
    }
    if (first->unknown > 0) ets_add_text(text, ", in what is counted");
}
