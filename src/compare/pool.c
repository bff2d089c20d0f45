/*
 * Adds traces one by one. The pool keeps the times of every row in every run, and the first
 * inspection of each shape, for the rows' names and nodes. After the last trace the blocks are
 * merged.
 */
#include <math.h>

#include "compare/pool_parts.h"
#include "inspect/accounting/accounting.h"
#include "inspect/stated_nodes.h"

/* All operators' times of two 10-million-event traces stay below this. */
#define ARENA_LIMIT ((size_t)8 << 30)

static bool has_work(const struct ets_inspection *inspection, const struct ets_block *block)
{
    for (uint32_t i = 0; i < block->row_count; i++) {
        const struct ets_row *row = ets_inspection_row(inspection, block->first_row + i);
        if (row->chain != -1 && !row->is_delegated) return true;
    }
    return false;
}

static bool has_captured(const struct ets_inspection *inspection)
{
    const struct ets_event_table *events = ets_inspection_events(inspection);
    for (uint32_t i = 0; i < events->count; i++) {
        if (events->kind[i] == ETS_EVENT_DEBUG) return true;
    }
    return false;
}

/*
 * Notes drift, and leaves out warm-up if runs are to be steady. Tokens that take longer the later
 * they are do not drift: on both sides they are at their positions.
 */
static bool find_phases(const struct ets_inspection *inspection, bool is_steady,
                        const struct ets_allocator *allocator, struct ets_pool_part *part)
{
    struct ets_run_phases phases;
    const uint32_t whole = ets_inspection_total_row(inspection, part->block);
    if (whole == ETS_NO_INDEX) return true;
    if (ets_run_phases_of_row(inspection, whole, allocator, &phases, NULL) != ETS_OK) return false;
    const bool grows = ets_inspection_block(inspection, part->block)->stage == ETS_STAGE_DECODE;
    if (phases.state == ETS_PHASE_DRIFTING && !grows) part->drift = phases.drift;
    if (!is_steady) return true;
    part->left_out = phases.warm_up;
    part->run_count -= phases.warm_up;
    return true;
}

/* Makes room for one more; NULL: no memory. */
static struct ets_pool_found *new_found(struct ets_pool *pool)
{
    if (pool->found_count == pool->found_room) {
        const uint32_t room = pool->found_room < 8 ? 16 : pool->found_room * 2;
        struct ets_pool_found *found =
            room < pool->found_room ? NULL
                                    : ets_arena_alloc_array(&pool->scratch, room, sizeof *found);
        if (found == NULL) return NULL;
        for (uint32_t i = 0; i < pool->found_count; i++) found[i] = pool->found[i];
        pool->found = found;
        pool->found_room = room;
    }
    return &pool->found[pool->found_count++];
}

/* How many tokens each run of the part computed, and from where on. */
static void find_tokens(const struct ets_inspection *inspection, struct ets_pool_part *part)
{
    const struct ets_block *block = ets_inspection_block(inspection, part->block);
    const uint32_t first = block->first_run;
    part->tokens = ets_inspection_run(inspection, first)->tokens;
    part->position = part->tokens > 0 ? ets_inspection_run(inspection, first)->position : 0;
    part->last_position = part->position;
    for (uint32_t run = first, seen = 0; seen < block->run_count; run++) {
        const struct ets_run *each = ets_inspection_run(inspection, run);
        if (each->block != part->block) continue;
        seen++;
        if (each->tokens != part->tokens) part->tokens = 0;
        if (part->tokens > 0 && each->position > part->last_position) {
            part->last_position = each->position;
        }
    }
}

static bool find_block(struct ets_pool *pool, const struct ets_inspection *inspection,
                       uint32_t index)
{
    const struct ets_block *block = ets_inspection_block(inspection, index);
    const struct ets_trace_facts *facts = ets_inspection_trace(inspection);
    struct ets_pool_found *found = new_found(pool);
    if (found == NULL) return false;
    *found = (struct ets_pool_found){
        .part = {.inspection = pool->inspection_count,
                 .block = index,
                 .run_count = block->run_count,
                 .drift = NAN},
        .shape = ets_pool_shape_of(&pool->shapes, inspection, block, ETS_POOL_EXACT),
        .has_work = has_work(inspection, block),
    };
    if (found->shape == ETS_KEY_NONE) return false;
    if (facts != NULL) {
        found->part.recorded_begin = facts->recorded_begin;
        found->part.recorded_end = facts->recorded_end;
    }
    if (block->stage != ETS_STAGE_NONE) find_tokens(inspection, &found->part);
    if (!find_phases(inspection, pool->steady, pool->arena.allocator, &found->part)) return false;
    return ets_pool_keep_times(&pool->scratch, inspection, found);
}

/* Times of all traces are converted to nanoseconds, except cycles. */
static enum ets_status check_unit(struct ets_pool *pool, const struct ets_inspection *inspection,
                                  struct ets_error *error)
{
    const enum ets_time_unit unit = ets_inspection_tick_unit(inspection, NULL);
    const enum ets_time_unit kept = unit == ETS_UNIT_CYCLES ? unit : ETS_UNIT_NS;
    if (pool->inspection_count > 0 && kept != pool->unit) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "some traces count cycles, others time");
    }
    pool->unit = kept;
    return ETS_OK;
}

enum ets_status ets_pool_begin(const struct ets_pool_options *options, struct ets_pool **pool_out,
                               struct ets_error *error)
{
    struct ets_arena arena;
    const struct ets_allocator *allocator = options == NULL ? NULL : options->allocator;
    ets_arena_init(&arena, allocator, ARENA_LIMIT);
    struct ets_pool *pool = ets_arena_alloc(&arena, sizeof *pool);
    if (pool == NULL) return ets_fail_pool(error);
    pool->arena = arena;
    ets_arena_init(&pool->scratch, allocator, ARENA_LIMIT);
    pool->steady = options != NULL && options->steady;
    pool->by = options == NULL ? ETS_POOL_BY_NONE : options->by;
    ets_key_table_init(&pool->seen, &pool->scratch, 1);
    if (!ets_pool_shapes_init(&pool->shapes, &pool->scratch)) {
        ets_pool_close(pool);
        return ets_fail_pool(error);
    }
    *pool_out = pool;
    return ETS_OK;
}

/* False: no memory. */
static bool keep_runtime(struct ets_pool *pool, const struct ets_inspection *inspection)
{
    const struct ets_text runtime = ets_inspection_runtime(inspection);
    if (runtime.data == NULL) return true;
    pool->runtime.data = ets_arena_copy_text(&pool->arena, runtime.data, runtime.size);
    pool->runtime.size = runtime.size;
    return pool->runtime.data != NULL;
}

enum ets_status ets_pool_add(struct ets_pool *pool, const struct ets_inspection *inspection,
                             int *is_kept_out, struct ets_error *error)
{
    const uint32_t first = pool->found_count;
    bool is_kept = false, has_any_work = false;
    *is_kept_out = 1;
    ETS_TRY(check_unit(pool, inspection, error));
    if (pool->inspection_count == 0 && !keep_runtime(pool, inspection)) {
        return ets_fail_pool(error);
    }
    for (uint32_t b = 0; b < ets_inspection_block_count(inspection); b++) {
        if (!find_block(pool, inspection, b)) return ets_fail_pool(error);
        const struct ets_pool_found *found = &pool->found[pool->found_count - 1];
        const uint64_t shape = found->shape;
        const uint32_t known = pool->seen.count;
        if (ets_key_table_add(&pool->seen, &shape) == ETS_KEY_NONE) return ets_fail_pool(error);
        is_kept |= pool->seen.count > known;
        has_any_work |= found->has_work;
    }
    is_kept |= !has_any_work; /* a load by itself: its program is unknown */
    for (uint32_t i = first; is_kept && i < pool->found_count; i++) {
        pool->found[i].inspection = inspection;
    }
    pool->has_captured |= has_captured(inspection);
    pool->inspection_count++;
    *is_kept_out = is_kept;
    return ETS_OK;
}

/* The parts of each block and their sources; NULL: no memory. */
static const struct ets_pool_found ***put_parts(struct ets_pool *pool)
{
    const struct ets_pool_found ***sources =
        ets_arena_alloc_array(&pool->scratch, pool->block_count, sizeof *sources);
    pool->blocks = ets_arena_alloc_array(&pool->arena, pool->block_count, sizeof *pool->blocks);
    if (pool->blocks == NULL || sources == NULL) return NULL;
    for (uint32_t i = 0; i < pool->found_count; i++) {
        pool->blocks[pool->found[i].target].part_count++;
    }
    for (uint32_t i = 0; i < pool->found_count; i++) {
        const struct ets_pool_found *found = &pool->found[i];
        struct ets_pool_block *block = &pool->blocks[found->target];
        struct ets_pool_part *parts = (struct ets_pool_part *)(uintptr_t)block->parts;
        if (parts == NULL) {
            const uint32_t count = block->part_count;
            parts = ets_arena_alloc_array(&pool->arena, count, sizeof *parts);
            sources[found->target] = ets_arena_alloc_array(&pool->scratch, count, sizeof **sources);
            if (parts == NULL || sources[found->target] == NULL) return NULL;
            block->parts = parts;
            block->part_count = 0; /* counts up again */
        }
        sources[found->target][block->part_count] = found;
        parts[block->part_count] = found->part;
        parts[block->part_count++].first_run = block->run_count;
        block->run_count += found->part.run_count;
    }
    return sources;
}

/* [block] its first part with all rows; the pool keeps that inspection. */
static const struct ets_pool_found *const *find_whole(struct ets_pool *pool)
{
    const struct ets_pool_found **whole =
        ets_arena_alloc_array(&pool->scratch, pool->block_count, sizeof *whole);
    for (uint32_t i = pool->found_count; whole != NULL && i-- > 0;) {
        const struct ets_pool_found *found = &pool->found[i];
        if (found->rows == NULL && found->inspection != NULL) whole[found->target] = found;
    }
    return whole;
}

static void describe(const struct ets_pool_found *found, struct ets_pool_block *block)
{
    const struct ets_block *first = ets_inspection_block(found->inspection, found->part.block);
    block->name = first->name;
    block->method = first->method_state == ETS_METHOD_FOUND ? first->method : NULL;
    block->test_case = first->bundled_input_index;
    block->stage = first->stage;
}

/* What all parts of the block agree on. */
static void agree_on_tokens(struct ets_pool_block *block)
{
    block->tokens = block->parts[0].tokens;
    block->position = block->parts[0].position;
    block->last_position = block->parts[0].last_position;
    for (uint32_t i = 1; i < block->part_count; i++) {
        if (block->parts[i].tokens != block->tokens) block->tokens = 0;
        if (block->parts[i].position != block->position) block->position = 0;
        if (block->parts[i].last_position > block->last_position) {
            block->last_position = block->parts[i].last_position;
        }
    }
}

enum ets_status ets_pool_end(struct ets_pool *pool, struct ets_error *error)
{
    const struct ets_pool_found ***sources = NULL;
    if (ets_pool_assign(pool)) sources = put_parts(pool);
    const struct ets_pool_found *const *whole = sources == NULL ? NULL : find_whole(pool);
    if (whole == NULL || !ets_pool_find_likeness(pool, whole)) return ets_fail_pool(error);
    for (uint32_t b = 0; b < pool->block_count; b++) {
        struct ets_pool_block *block = &pool->blocks[b];
        describe(whole[b], block);
        agree_on_tokens(block);
        ETS_TRY(ets_pool_list_operators(pool, block, whole[b], error));
        ETS_TRY(ets_pool_add_times(pool, block, sources[b], error));
        if (!ets_pool_group(pool, block)) return ets_fail_pool(error);
    }
    ets_arena_reset(&pool->scratch);
    return ETS_OK;
}

enum ets_status ets_pool_open(const struct ets_inspection *const *inspections, uint32_t count,
                              const struct ets_pool_options *options, struct ets_pool **pool_out,
                              struct ets_error *error)
{
    struct ets_pool *pool;
    int is_kept;
    ETS_TRY(ets_pool_begin(options, &pool, error));
    enum ets_status status = ETS_OK;
    for (uint32_t i = 0; i < count && status == ETS_OK; i++) {
        status = ets_pool_add(pool, inspections[i], &is_kept, error);
    }
    if (status == ETS_OK) status = ets_pool_end(pool, error);
    if (status != ETS_OK) ets_pool_close(pool);
    else *pool_out = pool;
    return status;
}

void ets_pool_close(struct ets_pool *pool)
{
    if (pool == NULL) return;
    struct ets_arena arena = pool->arena; /* holds the pool itself */
    ets_arena_reset(&pool->scratch);
    ets_arena_reset(&arena);
}

enum ets_time_unit ets_pool_unit(const struct ets_pool *pool)
{
    return pool->unit;
}

uint32_t ets_pool_block_count(const struct ets_pool *pool)
{
    return pool->block_count;
}

const struct ets_pool_block *ets_pool_block(const struct ets_pool *pool, uint32_t index)
{
    return &pool->blocks[index];
}
