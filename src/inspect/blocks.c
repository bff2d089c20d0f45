/* Groups runs of one sequence into blocks, and events of one identity into rows. */
#include <stdbool.h>
#include <string.h>

#include "host/key_table.h"
#include "inspect/inspection.h"

/* Whole microseconds in nanosecond ticks, as in XNNPACK's reports. */
enum { MICROSECOND_NS = 1000 };

struct builder {
    struct ets_inspection *inspection;
    struct ets_key_table identities; /* of events: name, chain, instruction, delegate */
    uint32_t *identity;              /* [event] */
    bool *repeats;                   /* [run] it has the events of the run before */
    uint32_t sequence;               /* of the run before */
    struct ets_key_table prefixes;   /* of runs: number of the prefix before, next identity */
    struct ets_key_table shapes;     /* of runs: names, bundled index, sequence, stage */
    uint32_t *next_run;              /* [run] next run of the same block */
    uint32_t *last_run;              /* [block] */
    uint32_t *row_of_identity;       /* [identity], valid where stamped with the block */
    uint32_t *stamp;                 /* [identity] block + 1 */
};

/* Whether a run has the events of the one before, in all but their times. */
static bool repeats_run(const struct ets_inspection *inspection, uint32_t run)
{
    if (run == 0) return false;
    const struct ets_event_columns *c = &inspection->events;
    const struct ets_run *own = &inspection->runs[run], *before = own - 1;
    const size_t count = own->event_count, a = before->first_event, b = own->first_event;
    return count == before->event_count &&
           memcmp(c->kind + a, c->kind + b, count * sizeof *c->kind) == 0 &&
           memcmp(c->name + a, c->name + b, count * sizeof *c->name) == 0 &&
           memcmp(c->chain + a, c->chain + b, count * sizeof *c->chain) == 0 &&
           memcmp(c->instruction + a, c->instruction + b, count * sizeof *c->instruction) == 0 &&
           memcmp(c->delegate_id + a, c->delegate_id + b, count * sizeof *c->delegate_id) == 0 &&
           memcmp(c->delegate_name + a, c->delegate_name + b, count * sizeof *c->delegate_name) ==
               0;
}

static bool identify_run(struct builder *b, const struct ets_run *run)
{
    const struct ets_event_columns *columns = &b->inspection->events;
    for (uint32_t e = run->first_event; e < run->first_event + run->event_count; e++) {
        b->identity[e] = ETS_NO_INDEX;
        if (columns->kind[e] != ETS_EVENT_PROFILE) continue;
        const uint64_t key[] = {
            (uint64_t)columns->name[e] << 32 | columns->delegate_name[e],
            (uint64_t)columns->chain[e],
            (uint64_t)(uint32_t)columns->instruction[e] << 32 | (uint32_t)columns->delegate_id[e],
        };
        b->identity[e] = ets_key_table_add(&b->identities, key);
        if (b->identity[e] == ETS_KEY_NONE) return false;
    }
    return true;
}

static bool identify_events(struct builder *b)
{
    for (uint32_t r = 0; r < b->inspection->run_count; r++) {
        const struct ets_run *run = &b->inspection->runs[r];
        b->repeats[r] = repeats_run(b->inspection, r);
        if (b->repeats[r]) {
            memcpy(b->identity + run->first_event, b->identity + run[-1].first_event,
                   run->event_count * sizeof *b->identity);
        } else if (!identify_run(b, run)) {
            return false;
        }
    }
    return true;
}

/* The test case that tells blocks apart: tokens of one generation are one block, whatever cases
 * gave them. */
static int32_t case_of(const struct ets_run *run)
{
    return run->stage == ETS_STAGE_NONE ? run->bundled_input_index : -1;
}

/* Sequences are numbered prefix by prefix: equal numbers are equal sequences, without a comparison.
 */
static uint32_t sequence_of(struct builder *b, const struct ets_run *run)
{
    uint32_t sequence = 0;
    for (uint32_t e = run->first_event; e < run->first_event + run->event_count; e++) {
        if (b->identity[e] == ETS_NO_INDEX) continue;
        const uint64_t prefix = (uint64_t)sequence << 32 | b->identity[e];
        const uint32_t number = ets_key_table_add(&b->prefixes, &prefix);
        if (number == ETS_KEY_NONE) return ETS_KEY_NONE;
        sequence = number + 1;
    }
    return sequence;
}

/* The number of a run's shape. */
static uint32_t shape_of(struct builder *b, uint32_t number)
{
    const struct ets_run *run = &b->inspection->runs[number];
    if (!b->repeats[number]) b->sequence = sequence_of(b, run);
    if (b->sequence == ETS_KEY_NONE) return ETS_KEY_NONE;
    const uint32_t name = ets_strings_add(&b->inspection->strings, run->name);
    const uint32_t method = ets_strings_add(&b->inspection->strings, run->method);
    if (name == UINT32_MAX || method == UINT32_MAX) return ETS_KEY_NONE;
    const uint64_t key[] = {
        (uint64_t)name << 32 | (uint32_t)case_of(run),
        method,
        (uint64_t)b->sequence << 1 | (run->has_events != 0),
        run->stage,
    };
    return ets_key_table_add(&b->shapes, key);
}

static bool start_block(struct ets_inspection *inspection, uint32_t first_run,
                        struct ets_block *block)
{
    const struct ets_run *run = &inspection->runs[first_run];
    *block = (struct ets_block){.name = run->name,
                                .bundled_input_index = case_of(run),
                                .stage = run->stage,
                                .first_run = first_run,
                                .is_method_named = run->method.data != NULL};
    if (!block->is_method_named) return true;
    block->method = ets_arena_copy_text(&inspection->arena, run->method.data, run->method.size);
    return block->method != NULL;
}

static bool group_runs(struct builder *b)
{
    struct ets_inspection *inspection = b->inspection;
    for (uint32_t r = 0; r < inspection->run_count; r++) {
        struct ets_run *run = &inspection->runs[r];
        const uint32_t known = b->shapes.count;
        const uint32_t shape = shape_of(b, r);
        if (shape == ETS_KEY_NONE) return false;
        struct ets_block *block = &inspection->blocks[shape];
        if (shape == known) {
            if (!start_block(inspection, r, block)) return false;
        } else {
            b->next_run[b->last_run[shape]] = r;
        }
        b->last_run[shape] = r;
        b->next_run[r] = ETS_NO_INDEX;
        block->run_count++;
        run->block = shape;
    }
    inspection->block_count = b->shapes.count;
    return true;
}

/* One row for each identity of a block, in order of first appearance in its first run. */
static uint32_t number_rows(struct builder *b, uint32_t block_index, bool filling)
{
    struct ets_inspection *inspection = b->inspection;
    const struct ets_event_columns *columns = &inspection->events;
    struct ets_block *block = &inspection->blocks[block_index];
    const struct ets_run *run = &inspection->runs[block->first_run];
    uint32_t count = 0;
    for (uint32_t e = run->first_event; e < run->first_event + run->event_count; e++) {
        const uint32_t identity = b->identity[e];
        if (identity == ETS_NO_INDEX) continue;
        if (b->stamp[identity] != block_index + 1) {
            b->stamp[identity] = block_index + 1;
            b->row_of_identity[identity] = block->first_row + count;
            if (filling) {
                inspection->rows[block->first_row + count] = (struct ets_row){
                    .block = block_index,
                    .parent = ETS_NO_INDEX,
                    .name = ets_strings_get(&inspection->strings, columns->name[e]),
                    .chain = columns->chain[e],
                    .instruction = columns->chain[e] == -1 ? -1 : columns->instruction[e],
                    .delegate_id = columns->delegate_id[e],
                    .delegate_name =
                        ets_strings_get(&inspection->strings, columns->delegate_name[e]),
                    .unit = ETS_NO_INDEX,
                };
            }
            count++;
        }
        if (filling) inspection->rows[b->row_of_identity[identity]].calls_per_run++;
    }
    return count;
}

static bool build_rows(struct builder *b)
{
    struct ets_inspection *inspection = b->inspection;
    for (uint32_t i = 0; i < inspection->block_count; i++) {
        inspection->blocks[i].first_row = inspection->row_count;
        inspection->blocks[i].row_count = number_rows(b, i, false);
        inspection->row_count += inspection->blocks[i].row_count;
    }
    inspection->rows =
        ets_arena_alloc_array(&inspection->arena, inspection->row_count, sizeof *inspection->rows);
    if (inspection->rows == NULL) return false;
    memset(b->stamp, 0, b->identities.count * sizeof *b->stamp);
    for (uint32_t i = 0; i < inspection->block_count; i++) {
        number_rows(b, i, true);
        for (uint32_t r = inspection->blocks[i].first_run; r != ETS_NO_INDEX; r = b->next_run[r]) {
            const struct ets_run *run = &inspection->runs[r];
            for (uint32_t e = run->first_event; e < run->first_event + run->event_count; e++) {
                if (b->identity[e] == ETS_NO_INDEX) continue;
                inspection->events.row[e] = b->row_of_identity[b->identity[e]];
            }
        }
    }
    return true;
}

/* Groups the events by row, in logging order (a counting sort), with their lengths. */
static bool list_row_events(struct ets_inspection *inspection)
{
    const struct ets_event_columns *columns = &inspection->events;
    const uint32_t rows = inspection->row_count;
    uint32_t *start = ets_arena_alloc_array(&inspection->arena, (size_t)rows + 2, sizeof *start);
    inspection->row_events =
        ets_arena_alloc_unset(&inspection->arena, columns->count, sizeof *inspection->row_events);
    inspection->row_ticks =
        ets_arena_alloc_unset(&inspection->arena, columns->count, sizeof *inspection->row_ticks);
    if (start == NULL || inspection->row_events == NULL || inspection->row_ticks == NULL) {
        return false;
    }
    for (uint32_t e = 0; e < columns->count; e++) {
        if (columns->row[e] != ETS_NO_INDEX) start[columns->row[e] + 2]++;
    }
    for (uint32_t i = 2; i < rows + 2; i++) start[i] += start[i - 1];
    for (uint32_t e = 0; e < columns->count; e++) {
        if (columns->row[e] == ETS_NO_INDEX) continue;
        const uint32_t at = start[columns->row[e] + 1]++;
        inspection->row_events[at] = e;
        inspection->row_ticks[at] = ets_inspection_ticks(inspection, e);
    }
    inspection->row_event_start = start;
    return true;
}

/* Delegate events use their identifier as name; the parent is that of the first occurrence. */
static bool describe_rows(struct ets_inspection *inspection)
{
    for (uint32_t i = 0; i < inspection->row_count; i++) {
        struct ets_row *row = &inspection->rows[i];
        row->is_delegated = row->delegate_name.size > 0 || row->delegate_id != -1;
        if (row->delegate_name.size > 0) {
            row->name = row->delegate_name;
        } else if (row->delegate_id != -1) {
            char text[16];
            const size_t size = ets_print_text(text, sizeof text, "%d", row->delegate_id);
            const char *copy = ets_arena_copy_text(&inspection->arena, text, size);
            if (copy == NULL) return false;
            row->name = (struct ets_text){copy, size};
        }
        const uint32_t event = inspection->row_events[inspection->row_event_start[i]];
        const uint32_t parent = inspection->events.parent[event];
        if (parent != ETS_NO_INDEX) row->parent = inspection->events.row[parent];
    }
    for (uint32_t i = 0; i < inspection->row_count; i++) { /* chains of four scopes, or 64 told */
        uint32_t at = inspection->rows[i].parent;
        for (; at != ETS_NO_INDEX; at = inspection->rows[at].parent) inspection->rows[i].depth++;
    }
    return true;
}

static bool is_whole_microseconds(const struct ets_inspection *inspection, uint32_t row)
{
    const uint32_t *start = inspection->row_event_start;
    for (uint32_t i = start[row]; i < start[row + 1]; i++) {
        if (inspection->row_ticks[i] % MICROSECOND_NS != 0) return false;
    }
    return true;
}

/*
 * If all events of a delegate call last whole microseconds, its clock has that step: a nanosecond
 * time ends in three zeros by chance once in a thousand. Rows of one call are adjacent.
 */
static void find_quanta(struct ets_inspection *inspection)
{
    if (ets_inspection_tick_unit(inspection, NULL) != ETS_UNIT_NS) return;
    for (uint32_t i = 0; inspection->told.step_ns > 1 && i < inspection->row_count; i++) {
        /* Not the whole: shares are of what the runtime reports of it. */
        if (inspection->rows[i].chain == -1) continue;
        inspection->rows[i].quantum_ticks = inspection->told.step_ns;
    }
    if (inspection->told.runtime.data != NULL) return;
    for (uint32_t i = 0; i < inspection->row_count;) {
        uint32_t end = i;
        bool is_coarse = true;
        while (end < inspection->row_count && inspection->rows[end].is_delegated &&
               inspection->rows[end].parent == inspection->rows[i].parent) {
            is_coarse = is_coarse && is_whole_microseconds(inspection, end);
            end++;
        }
        for (uint32_t k = i; k < end && is_coarse; k++) {
            inspection->rows[k].quantum_ticks = MICROSECOND_NS;
        }
        i = end > i ? end : i + 1;
    }
}

/* `arena` holds what only this needs. */
static enum ets_status build(struct ets_inspection *inspection, struct ets_arena *arena,
                             struct ets_error *error)
{
    struct builder b = {.inspection = inspection};
    ets_key_table_init(&b.identities, arena, 3);
    ets_key_table_init(&b.prefixes, arena, 1);
    ets_key_table_init(&b.shapes, arena, 4);
    b.identity = ets_arena_alloc_unset(arena, inspection->events.count, sizeof *b.identity);
    b.repeats = ets_arena_alloc_array(arena, inspection->run_count, sizeof *b.repeats);
    b.next_run = ets_arena_alloc_array(arena, inspection->run_count, sizeof *b.next_run);
    b.last_run = ets_arena_alloc_array(arena, inspection->run_count, sizeof *b.last_run);
    inspection->blocks = ets_arena_alloc_array(&inspection->arena, inspection->run_count,
                                               sizeof *inspection->blocks);
    if (b.identity == NULL || b.repeats == NULL || b.next_run == NULL || b.last_run == NULL ||
        inspection->blocks == NULL || !identify_events(&b) || !group_runs(&b)) {
        return ets_fail_memory(error, "the blocks of runs");
    }
    b.stamp = ets_arena_alloc_array(arena, b.identities.count, sizeof *b.stamp);
    b.row_of_identity = ets_arena_alloc_array(arena, b.identities.count, sizeof *b.row_of_identity);
    if (b.stamp == NULL || b.row_of_identity == NULL || !build_rows(&b) ||
        !list_row_events(inspection) || !describe_rows(inspection)) {
        return ets_fail_memory(error, "the rows of operators");
    }
    find_quanta(inspection);
    return ETS_OK;
}

enum ets_status ets_blocks_build(struct ets_inspection *inspection, struct ets_error *error)
{
    struct ets_arena passing;
    ets_arena_init(&passing, inspection->options.allocator, 0);
    const enum ets_status status = build(inspection, &passing, error);
    ets_arena_reset(&passing);
    return status;
}
