#include "compare/joined.h"
#include "compare/pool_parts.h"
#include "etscope/accounting.h"

/* All operators' times of two 10-million-event traces stay below this. */
#define ARENA_LIMIT ((size_t)8 << 30)

/* Numbers for shapes: equal numbers are blocks with equal sequences of equal rows. */
struct shapes {
    struct ets_strings texts;
    struct ets_key_table rows;      /* what one row is */
    struct ets_key_table sequences; /* {number of a prefix, next row} */
};

enum { ROW_WORDS = 6 };

static bool init_shapes(struct shapes *shapes, struct ets_arena *arena)
{
    ets_key_table_init(&shapes->rows, arena, ROW_WORDS);
    ets_key_table_init(&shapes->sequences, arena, 2);
    return ets_strings_init(&shapes->texts, arena) == 0;
}

static uint64_t word(int64_t value)
{
    return (uint64_t)value;
}

/* The sequence that is `prefix` and then a row of these words; ETS_KEY_NONE: no memory. */
static uint32_t append(struct shapes *shapes, uint32_t prefix, const uint64_t words[ROW_WORDS])
{
    const uint32_t row = ets_key_table_add(&shapes->rows, words);
    if (row == ETS_KEY_NONE || prefix == ETS_KEY_NONE) return ETS_KEY_NONE;
    const uint64_t key[2] = {(uint64_t)prefix + 1, row};
    return ets_key_table_add(&shapes->sequences, key);
}

static uint32_t shape_of(struct shapes *shapes, const struct ets_inspection *inspection,
                         const struct ets_block *block)
{
    const struct ets_text method = {block->method,
                                    block->method == NULL ? 0 : strlen(block->method)};
    const uint32_t name = ets_strings_add(&shapes->texts, block->name);
    const uint32_t method_name = ets_strings_add(&shapes->texts, method);
    if (name == UINT32_MAX || method_name == UINT32_MAX) return ETS_KEY_NONE;
    const uint64_t head[ROW_WORDS] = {
        UINT64_MAX, name, method_name, word(block->bundled_input_index), 0, 0};
    const uint32_t head_row = ets_key_table_add(&shapes->rows, head);
    const uint64_t start[2] = {0, head_row};
    if (head_row == ETS_KEY_NONE) return ETS_KEY_NONE;
    uint32_t shape = ets_key_table_add(&shapes->sequences, start);
    for (uint32_t i = 0; i < block->row_count && shape != ETS_KEY_NONE; i++) {
        const struct ets_row *row = ets_inspection_row(inspection, block->first_row + i);
        const uint32_t text = ets_strings_add(&shapes->texts, row->operation);
        const uint32_t parent =
            row->parent == ETS_NO_INDEX ? ETS_NO_INDEX : row->parent - block->first_row;
        const uint64_t words[ROW_WORDS] = {
            text,
            word(row->chain),
            word(row->instruction),
            word(row->delegate_id),
            (uint64_t)row->calls_per_run << 32 | (uint32_t)row->is_delegated,
            parent};
        shape = text == UINT32_MAX ? ETS_KEY_NONE : append(shapes, shape, words);
    }
    return shape;
}

/* A block of one trace, on the way into the pool. */
struct found {
    struct ets_pool_part part;
    uint32_t shape;
    bool has_work;   /* it executed instructions: not a load */
    uint32_t target; /* block of the pool */
};

static uint32_t count_blocks(const struct ets_pool *pool)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < pool->inspection_count; i++) {
        count += ets_inspection_block_count(pool->inspections[i]);
    }
    return count;
}

static bool has_work(const struct ets_inspection *inspection, const struct ets_block *block)
{
    for (uint32_t i = 0; i < block->row_count; i++) {
        const struct ets_row *row = ets_inspection_row(inspection, block->first_row + i);
        if (row->chain != -1 && !row->is_delegated) return true;
    }
    return false;
}

static bool leave_warm_up(const struct ets_inspection *inspection, uint32_t block,
                          struct ets_pool_part *part)
{
    struct ets_run_phases phases;
    const uint32_t whole = ets_inspection_total_row(inspection, block);
    if (whole == ETS_NO_INDEX) return true;
    if (ets_run_phases_of_row(inspection, whole, &phases, NULL) != ETS_OK) return false;
    part->left_out = phases.warm_up;
    part->run_count -= phases.warm_up;
    return true;
}

static bool find_shapes(const struct ets_pool *pool, struct ets_arena *scratch, struct found *found)
{
    struct shapes shapes;
    if (!init_shapes(&shapes, scratch)) return false;
    for (uint32_t i = 0; i < pool->inspection_count; i++) {
        const struct ets_inspection *inspection = pool->inspections[i];
        for (uint32_t b = 0; b < ets_inspection_block_count(inspection); b++, found++) {
            const struct ets_block *block = ets_inspection_block(inspection, b);
            found->part =
                (struct ets_pool_part){.inspection = i, .block = b, .run_count = block->run_count};
            if (pool->steady && !leave_warm_up(inspection, b, &found->part)) return false;
            found->shape = shape_of(&shapes, inspection, block);
            found->has_work = has_work(inspection, block);
            if (found->shape == ETS_KEY_NONE) return false;
        }
    }
    return true;
}

/* Traces that share a shape which executes are of one program. [inspection] its first trace. */
static uint32_t *find_programs(const struct ets_pool *pool, struct ets_arena *scratch,
                               const struct found *found, uint32_t count)
{
    struct ets_key_table seen;
    uint32_t *above = ets_arena_alloc_array(scratch, pool->inspection_count, sizeof *above);
    uint32_t *first = ets_arena_alloc_array(scratch, count, sizeof *first);
    ets_key_table_init(&seen, scratch, 1);
    if (above == NULL || first == NULL) return NULL;
    for (uint32_t i = 0; i < pool->inspection_count; i++) above[i] = i;
    for (uint32_t i = 0; i < count; i++) {
        if (!found[i].has_work) continue;
        const uint64_t shape = found[i].shape;
        const uint32_t known = seen.count, number = ets_key_table_add(&seen, &shape);
        if (number == ETS_KEY_NONE) return NULL;
        const uint32_t inspection = ets_joined_root(above, found[i].part.inspection);
        if (number == known) first[number] = inspection;
        else above[inspection] = ets_joined_root(above, first[number]);
    }
    for (uint32_t i = 0; i < pool->inspection_count; i++) above[i] = ets_joined_root(above, i);
    return above;
}

/*
 * Which block of the pool each block of each trace goes to. All loads look alike; they go together
 * where their programs do. `*count_out`: how many there are.
 */
static bool assign(const struct ets_pool *pool, struct ets_arena *scratch, struct found *found,
                   uint32_t count, uint32_t *count_out)
{
    struct ets_key_table numbers;
    if (!find_shapes(pool, scratch, found)) return false;
    const uint32_t *program = find_programs(pool, scratch, found, count);
    if (program == NULL) return false;
    ets_key_table_init(&numbers, scratch, 2);
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t key[2] = {
            found[i].shape, found[i].has_work ? UINT64_MAX : program[found[i].part.inspection]};
        found[i].target = ets_key_table_add(&numbers, key);
        if (found[i].target == ETS_KEY_NONE) return false;
    }
    *count_out = numbers.count;
    return true;
}

static bool put_parts(struct ets_pool *pool, const struct found *found, uint32_t count)
{
    pool->blocks = ets_arena_alloc_array(&pool->arena, pool->block_count, sizeof *pool->blocks);
    if (pool->blocks == NULL) return false;
    for (uint32_t i = 0; i < count; i++) pool->blocks[found[i].target].part_count++;
    for (uint32_t i = 0; i < count; i++) {
        struct ets_pool_block *block = &pool->blocks[found[i].target];
        struct ets_pool_part *parts = (struct ets_pool_part *)(uintptr_t)block->parts;
        if (parts == NULL) {
            parts = ets_arena_alloc_array(&pool->arena, block->part_count, sizeof *parts);
            if (parts == NULL) return false;
            block->parts = parts;
            block->part_count = 0; /* counts up again */
        }
        parts[block->part_count] = found[i].part;
        parts[block->part_count++].first_run = block->run_count;
        block->run_count += found[i].part.run_count;
    }
    return true;
}

static void describe(const struct ets_pool *pool, struct ets_pool_block *block)
{
    const struct ets_block *first =
        ets_inspection_block(pool->inspections[block->parts[0].inspection], block->parts[0].block);
    block->name = first->name;
    block->method = first->method_state == ETS_METHOD_FOUND ? first->method : NULL;
    block->test_case = first->bundled_input_index;
}

/* Of each run of each trace its number within its block. */
static const uint32_t **number_runs(const struct ets_pool *pool, struct ets_arena *scratch)
{
    const uint32_t **numbers =
        ets_arena_alloc_array(scratch, pool->inspection_count, sizeof *numbers);
    for (uint32_t i = 0; numbers != NULL && i < pool->inspection_count; i++) {
        const struct ets_inspection *inspection = pool->inspections[i];
        const uint32_t runs = ets_inspection_run_count(inspection);
        uint32_t *of_run = ets_arena_alloc_array(scratch, runs, sizeof *of_run);
        uint32_t *used =
            ets_arena_alloc_array(scratch, ets_inspection_block_count(inspection), sizeof *used);
        if (of_run == NULL || used == NULL) return NULL;
        for (uint32_t r = 0; r < runs; r++) {
            of_run[r] = used[ets_inspection_run(inspection, r)->block]++;
        }
        numbers[i] = of_run;
    }
    return numbers;
}

/* Times of all traces become nanoseconds; cycles are of no length in time. */
static enum ets_status find_unit(struct ets_pool *pool, struct ets_error *error)
{
    pool->unit = ETS_UNIT_NS;
    for (uint32_t i = 0; i < pool->inspection_count; i++) {
        const enum ets_time_unit unit = ets_inspection_tick_unit(pool->inspections[i], NULL);
        const enum ets_time_unit kept = unit == ETS_UNIT_CYCLES ? unit : ETS_UNIT_NS;
        if (i > 0 && kept != pool->unit) {
            return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                            "some traces count cycles, others time");
        }
        pool->unit = kept;
    }
    return ETS_OK;
}

static enum ets_status build(struct ets_pool *pool, struct ets_arena *scratch,
                             struct ets_error *error)
{
    ETS_TRY(find_unit(pool, error));
    const uint32_t count = count_blocks(pool);
    struct found *found = ets_arena_alloc_array(scratch, count, sizeof *found);
    const uint32_t **run_number = number_runs(pool, scratch);
    if (found == NULL || run_number == NULL ||
        !assign(pool, scratch, found, count, &pool->block_count) ||
        !put_parts(pool, found, count)) {
        return ets_fail_pool(error);
    }
    for (uint32_t b = 0; b < pool->block_count; b++) {
        describe(pool, &pool->blocks[b]);
        ETS_TRY(ets_pool_list_operators(pool, &pool->blocks[b], error));
        ETS_TRY(ets_pool_add_times(pool, &pool->blocks[b], run_number, error));
    }
    return ETS_OK;
}

enum ets_status ets_pool_open(const struct ets_inspection *const *inspections, uint32_t count,
                              const struct ets_pool_options *options, struct ets_pool **pool_out,
                              struct ets_error *error)
{
    struct ets_arena arena, scratch;
    const struct ets_allocator *allocator = options == NULL ? NULL : options->allocator;
    ets_arena_init(&arena, allocator, ARENA_LIMIT);
    ets_arena_init(&scratch, allocator, ARENA_LIMIT);
    struct ets_pool *pool = ets_arena_alloc(&arena, sizeof *pool);
    if (pool == NULL) return ets_fail_pool(error);
    pool->arena = arena;
    pool->inspections = inspections;
    pool->inspection_count = count;
    pool->steady = options != NULL && options->steady;
    const enum ets_status status = build(pool, &scratch, error);
    ets_arena_reset(&scratch);
    if (status != ETS_OK) ets_pool_close(pool);
    else *pool_out = pool;
    return status;
}

void ets_pool_close(struct ets_pool *pool)
{
    if (pool == NULL) return;
    struct ets_arena arena = pool->arena; /* holds the pool itself */
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
