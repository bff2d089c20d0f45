/* Costs beside the rows of an inspection, so that they add up as the rows' times do. */
#include "cost/row_costs.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "etscope/experimental/delegates.h"
#include "inspect/given_inputs.h"
#include "inspect/inspection.h"

struct finder {
    struct ets_arena *arena;
    const struct ets_inspection *inspection;
    struct ets_instruction_costs *methods; /* [inspection->method_count] */
    bool *is_open;                         /* [inspection->method_count] */
    struct ets_cost *rows;
    struct ets_total_cost *blocks;
    struct ets_block_tokens *tokens;
    uint32_t run; /* that the costs of its block are for; ETS_NO_INDEX: the mean */
    /* Of the block at hand: */
    const struct ets_known_method *method;
    struct ets_instruction_costs *costs; /* NULL: nothing is known of the method */
    /* Of the delegate's events at hand: */
    uint32_t call_block;
    int64_t call_instruction;
};

static bool is_named(const struct ets_row *row, const char *name)
{
    return ets_text_is(row->name, name);
}

/* The event of a kernel: "native_call_add.out"; kernels of other libraries name it as the program
 * names the operator, "llama::custom_sdpa.out". */
static bool is_kernel_row(const struct ets_row *row)
{
    if (ets_row_kernel(row).data != NULL) return true;
    return !row->is_delegated && ets_text_equal(row->name, row->kernel);
}

static const struct ets_row *parent_of(const struct finder *f, const struct ets_row *row)
{
    return row->parent == ETS_NO_INDEX ? NULL : ets_inspection_row(f->inspection, row->parent);
}

/* What encloses instructions, or runs none: the framework's own events. */
static bool is_frame(const struct ets_row *row)
{
    return row->chain == -1 || is_named(row, "Method::step");
}

/* An instruction as a whole: not what a kernel or a delegate has inside. */
static bool is_instruction(const struct finder *f, const struct ets_row *row)
{
    if (is_frame(row) || row->is_delegated) return false;
    const struct ets_row *parent = parent_of(f, row);
    if (is_named(row, "OPERATOR_CALL") || is_named(row, "DELEGATE_CALL")) return true;
    return is_kernel_row(row) &&
           (parent == NULL || is_frame(parent) || is_named(parent, "OPERATOR_CALL"));
}

/* Of these the ones that no other encloses: they add up to the run. */
static bool is_top(const struct finder *f, const struct ets_row *row)
{
    const struct ets_row *parent = parent_of(f, row);
    return is_instruction(f, row) && (parent == NULL || is_frame(parent));
}

/* The program's instruction of a row; false: there is none. */
static bool find_instruction(const struct finder *f, const struct ets_row *row,
                             struct ets_instruction *out)
{
    if (f->method == NULL || !f->method->in_program || row->chain != 0 || row->instruction < 0 ||
        row->instruction >= (int64_t)f->method->chain.instruction_count) {
        return false;
    }
    ets_chain_instruction(&f->method->chain, (uint32_t)row->instruction, out);
    return true;
}

static bool open_method(struct finder *f, uint32_t block)
{
    struct ets_known_method *method = f->inspection->block_method[block];
    f->method = method;
    f->costs = NULL;
    if (method == NULL) return true;
    const size_t at = (size_t)(method - f->inspection->methods);
    f->costs = &f->methods[at];
    if (f->is_open[at]) return true;
    f->is_open[at] = true;
    struct ets_value *inputs;
    size_t count;
    return ets_instruction_costs_open(f->arena, method->in_program ? &method->chain.method : NULL,
                                      method->graph, f->costs) &&
           ets_given_sizes_read(f->arena, f->inspection, method->name, &inputs, &count, NULL) ==
               ETS_OK &&
           ets_instruction_costs_bind(f->costs, inputs, count);
}

/* Of an OPERATOR_CALL the event of the kernel inside, whose row is just before it; else the row. */
static const struct ets_row *kernel_row_of(const struct finder *f, uint32_t index)
{
    const struct ets_row *row = ets_inspection_row(f->inspection, index);
    const struct ets_block *block = ets_inspection_block(f->inspection, row->block);
    for (uint32_t i = index; !is_kernel_row(row) && i-- > block->first_row;) {
        const struct ets_row *inner = ets_inspection_row(f->inspection, i);
        if (inner->parent != index) break;
        if (is_kernel_row(inner)) return inner;
    }
    return row;
}

/* "addmm.out" of a kernel's event, or what the program tells; "" where nothing does. */
static struct ets_text kernel_of(const struct ets_row *row)
{
    const struct ets_text own = ets_row_kernel(row);
    if (own.data != NULL) return own;
    const struct ets_text name = row->kernel;
    const char *colon = name.data != NULL ? memchr(name.data, ':', name.size) : NULL;
    if (colon == NULL || colon + 2 > name.data + name.size) return (struct ets_text){"", 0};
    const size_t skip = (size_t)(colon + 2 - name.data);
    return (struct ets_text){name.data + skip, name.size - skip};
}

static void describe(const struct finder *f, const struct ets_row *row,
                     struct ets_instruction *room, struct ets_cost_query *query)
{
    *query = (struct ets_cost_query){
        .instruction = find_instruction(f, row, room) ? room : NULL,
        .folds = row->backend != NULL && ets_payload_folds(ets_text_of(row->backend)),
        .nodes = row->nodes,
        .node_count = row->node_count,
        .handles = row->handles,
        .handle_count = row->handle_count,
    };
}

static bool cost_instruction(struct finder *f, uint32_t index, struct ets_total_cost *total_out)
{
    struct ets_instruction room;
    struct ets_cost_query query;
    const struct ets_row *row = ets_inspection_row(f->inspection, index);
    const bool is_delegate = is_named(row, "DELEGATE_CALL");
    *total_out = (struct ets_total_cost){
        .cost = ets_cost_unknown(is_delegate ? ETS_COST_NO_PAYLOAD : ETS_COST_NO_SHAPE)};
    if (f->costs == NULL) return true;
    if (!is_delegate) row = kernel_row_of(f, index);
    describe(f, row, &room, &query);
    if (!is_delegate) query.kernel = kernel_of(row);
    return ets_instruction_cost(f->costs, &query, total_out);
}

/* One event of a delegate. */
static bool cost_part(struct finder *f, const struct ets_row *row, struct ets_cost *cost_out)
{
    struct ets_instruction room;
    struct ets_cost_query query;
    *cost_out = ets_cost_unknown(ETS_COST_NO_PAYLOAD);
    if (f->costs == NULL || row->tie == ETS_TIE_NONE || row->tie == ETS_TIE_CALL) return true;
    describe(f, row, &room, &query);
    const struct ets_delegate_unit *unit = ets_row_unit(f->inspection, row);
    query.is_counted_elsewhere = unit != NULL && unit->is_counted_elsewhere;
    if (f->call_block != row->block || f->call_instruction != row->instruction) {
        f->call_block = row->block;
        f->call_instruction = row->instruction;
        ets_instruction_costs_start(f->costs, query.instruction);
    }
    if (row->unit == ETS_NO_INDEX && row->payload_node_count == 0 && row->tie == ETS_TIE_NEAR) {
        cost_out->reason = ETS_COST_NO_SHAPE; /* a conversion that the runtime added */
        return true;
    }
    return ets_instruction_part_cost(f->costs, &query, row->payload_nodes, row->payload_node_count,
                                     cost_out);
}

/* A top row counts in the block, and in every row that encloses it. */
static void add_up(struct finder *f, const struct ets_row *row, const struct ets_total_cost *total)
{
    enum { DEEPEST = 64 };
    struct ets_cost cost = total->cost;
    struct ets_block_tokens *tokens = &f->tokens[row->block];
    ets_total_cost_add(&f->blocks[row->block], total, row->calls_per_run);
    if (is_named(row, "DELEGATE_CALL")) tokens->delegate_calls += row->calls_per_run;
    else tokens->kernel_calls += row->calls_per_run;
    ets_cost_multiply(&cost, row->calls_per_run);
    uint32_t at = row->parent;
    for (int depth = 0; at != ETS_NO_INDEX && depth < DEEPEST; depth++) {
        ets_cost_add(&f->rows[at], &cost);
        at = ets_inspection_row(f->inspection, at)->parent;
    }
}

static bool cost_row(struct finder *f, uint32_t index)
{
    const struct ets_row *row = ets_inspection_row(f->inspection, index);
    if (row->is_delegated) {
        if (!cost_part(f, row, &f->rows[index])) return false;
        ets_cost_multiply(&f->rows[index], row->calls_per_run);
        return true;
    }
    if (!is_instruction(f, row)) return true;
    struct ets_total_cost total;
    if (!cost_instruction(f, index, &total)) return false;
    f->rows[index] = total.cost;
    ets_cost_multiply(&f->rows[index], row->calls_per_run);
    if (is_top(f, row)) add_up(f, row, &total);
    return true;
}

static bool cost_rows(struct finder *f, uint32_t index, const struct ets_token_sizes *sizes)
{
    const struct ets_block *block = ets_inspection_block(f->inspection, index);
    if (f->costs != NULL && !ets_instruction_costs_use(f->costs, sizes)) return false;
    f->call_block = ETS_NO_INDEX;
    f->tokens[index].kernel_calls = f->tokens[index].delegate_calls = 0;
    for (uint32_t i = 0; i < block->row_count; i++) {
        if (!cost_row(f, block->first_row + i)) return false;
    }
    return true;
}

/* Operators of each group are the same ones. */
static void keep_counts(struct ets_cost *sum, const struct ets_cost *last)
{
    if (sum->unknown > last->unknown && last->unknown == 0) return; /* the sum is too large */
    sum->operators = last->operators;
    sum->unknown = last->unknown;
    sum->folded = last->folded;
}

/* The mean over groups of runs with different numbers of tokens. */
static bool cost_groups(struct finder *f, uint32_t index)
{
    const struct ets_block *block = ets_inspection_block(f->inspection, index);
    const struct ets_block_tokens *tokens = &f->tokens[index];
    struct ets_cost *const rows = &f->rows[block->first_row];
    struct ets_total_cost *const total = &f->blocks[index];
    struct ets_total_cost sum = {.cost = {.operators = 0}};
    struct ets_cost *sums = ets_arena_alloc_array(f->arena, block->row_count, sizeof *sums);
    if (sums == NULL) return false;
    for (uint32_t g = 0; g < tokens->group_count; g++) {
        const struct ets_token_group *group = &tokens->groups[g];
        const struct ets_token_sizes sizes = {
            .tokens = group->tokens, .has_position = true, .position = group->position};
        memset(rows, 0, block->row_count * sizeof *rows);
        *total = (struct ets_total_cost){.cost = {.operators = 0}};
        if (!cost_rows(f, index, &sizes)) return false;
        if (tokens->group_count == 1) return true;
        ets_total_cost_add(&sum, total, group->runs);
        for (uint32_t i = 0; i < block->row_count; i++) {
            ets_cost_multiply(&rows[i], group->runs);
            ets_cost_add(&sums[i], &rows[i]);
        }
    }
    ets_total_cost_divide(&sum, tokens->runs);
    keep_counts(&sum.cost, &total->cost);
    *total = sum;
    for (uint32_t i = 0; i < block->row_count; i++) {
        ets_cost_divide(&sums[i], tokens->runs);
        keep_counts(&sums[i], &rows[i]);
        rows[i] = sums[i];
    }
    return true;
}

static bool cost_blocks(struct finder *f)
{
    for (uint32_t b = 0; b < ets_inspection_block_count(f->inspection); b++) {
        if (!open_method(f, b)) return false;
        const bool has_run =
            f->run != ETS_NO_INDEX && ets_inspection_run(f->inspection, f->run)->block == b;
        ets_block_tokens_read(f->inspection, b, has_run ? f->run : ETS_NO_INDEX, &f->tokens[b]);
        const bool has_tokens = f->tokens[b].group_count > 0;
        if (has_tokens ? !cost_groups(f, b) : !cost_rows(f, b, NULL)) return false;
    }
    return true;
}

enum ets_status ets_run_costs_find(struct ets_arena *arena, const struct ets_inspection *inspection,
                                   uint32_t run, struct ets_costs *costs_out,
                                   struct ets_error *error)
{
    struct finder f = {.arena = arena,
                       .run = run,
                       .inspection = inspection,
                       .call_block = ETS_NO_INDEX,
                       .call_instruction = -1};
    const uint32_t blocks = ets_inspection_block_count(inspection);
    f.methods = ets_arena_alloc_array(arena, inspection->method_count, sizeof *f.methods);
    f.is_open = ets_arena_alloc_array(arena, inspection->method_count, sizeof *f.is_open);
    f.rows = ets_arena_alloc_array(arena, ets_inspection_row_count(inspection), sizeof *f.rows);
    f.blocks = ets_arena_alloc_array(arena, blocks, sizeof *f.blocks);
    f.tokens = ets_arena_alloc_array(arena, blocks, sizeof *f.tokens);
    bool ok = f.methods != NULL && f.is_open != NULL && f.rows != NULL && f.blocks != NULL &&
              f.tokens != NULL;
    ok = ok && cost_blocks(&f);
    for (uint32_t i = 0; f.methods != NULL && f.is_open != NULL && i < inspection->method_count;
         i++) {
        if (f.is_open[i]) ets_instruction_costs_close(&f.methods[i]);
    }
    *costs_out = (struct ets_costs){f.rows, f.blocks, f.tokens};
    return ok ? ETS_OK : ets_fail_memory(error, "the costs of operators");
}
