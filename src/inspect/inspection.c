/* Accessors of an inspection: events, runs, blocks, rows and their times. */
#include "inspect/inspection.h"
#include "dump/etdump_parts.h"
#include "inspect/time_details.h"

const struct ets_event_table *ets_inspection_events(const struct ets_inspection *inspection)
{
    return &inspection->table;
}

struct ets_text ets_inspection_text(const struct ets_inspection *inspection, uint32_t number)
{
    return ets_strings_get(&inspection->strings, number);
}

uint32_t ets_inspection_run_count(const struct ets_inspection *inspection)
{
    return inspection->run_count;
}

const struct ets_run *ets_inspection_run(const struct ets_inspection *inspection, uint32_t index)
{
    return &inspection->runs[index];
}

uint32_t ets_inspection_block_count(const struct ets_inspection *inspection)
{
    return inspection->block_count;
}

const struct ets_block *ets_inspection_block(const struct ets_inspection *inspection,
                                             uint32_t index)
{
    return &inspection->blocks[index];
}

uint32_t ets_inspection_row_count(const struct ets_inspection *inspection)
{
    return inspection->row_count;
}

const struct ets_row *ets_inspection_row(const struct ets_inspection *inspection, uint32_t index)
{
    return &inspection->rows[index];
}

uint32_t ets_inspection_damage_count(const struct ets_inspection *inspection)
{
    return inspection->damage_count;
}

const struct ets_damage *ets_inspection_damage(const struct ets_inspection *inspection,
                                               uint32_t index)
{
    return &inspection->damages[index];
}

uint32_t ets_inspection_damage_total(const struct ets_inspection *inspection)
{
    return inspection->damage_total;
}

void ets_inspection_clock_faults(const struct ets_inspection *inspection, uint32_t *wrapped_out,
                                 uint32_t *backwards_out)
{
    if (wrapped_out != NULL) *wrapped_out = inspection->wrapped_count;
    if (backwards_out != NULL) *backwards_out = inspection->backwards_count;
}

uint32_t ets_inspection_unknown_event_count(const struct ets_inspection *inspection)
{
    return inspection->unknown_event_count;
}

const struct ets_etdump *ets_inspection_dump(const struct ets_inspection *inspection)
{
    return &inspection->dump;
}

struct ets_bytes ets_inspection_metadata(const struct ets_inspection *inspection, uint32_t index)
{
    if (!inspection->has_metadata || inspection->events.kind[index] != ETS_EVENT_PROFILE)
        return (struct ets_bytes){NULL, 0};
    return ets_etdump_metadata(&inspection->dump, inspection->events.payload_at[index]);
}

uint64_t ets_inspection_ticks(const struct ets_inspection *inspection, uint32_t index)
{
    const uint64_t ticks = ets_raw_ticks(inspection, index);
    const uint64_t taken = inspection->overheads == NULL ? 0 : inspection->overheads[index];
    return ticks > taken ? ticks - taken : 0;
}

void ets_inspection_row_events(const struct ets_inspection *inspection, uint32_t row,
                               const uint32_t **events_out, uint32_t *count_out)
{
    *events_out = inspection->row_events + inspection->row_event_start[row];
    *count_out = inspection->row_event_start[row + 1] - inspection->row_event_start[row];
}

const uint64_t *ets_inspection_row_lengths(const struct ets_inspection *inspection, uint32_t row)
{
    return inspection->row_ticks + inspection->row_event_start[row];
}

uint32_t ets_inspection_row_ticks(const struct ets_inspection *inspection, uint32_t row,
                                  uint32_t run, double *ticks_out)
{
    const uint32_t *events;
    uint32_t count, used = 0;
    ets_inspection_row_events(inspection, row, &events, &count);
    const uint64_t *lengths = ets_inspection_row_lengths(inspection, row);
    const uint32_t calls = inspection->rows[row].calls_per_run;
    for (uint32_t i = 0; i < count; i += calls) {
        if (run != ETS_NO_INDEX && inspection->events.run[events[i]] != run) continue;
        ticks_out[used] = 0;
        for (uint32_t k = i; k < i + calls; k++) ticks_out[used] += (double)lengths[k];
        used++;
    }
    return used;
}

enum ets_status ets_inspection_row_statistics(const struct ets_inspection *inspection, uint32_t row,
                                              uint32_t run, struct ets_statistics *statistics_out,
                                              struct ets_error *error)
{
    const struct ets_block *block = &inspection->blocks[inspection->rows[row].block];
    struct ets_arena scratch;
    ets_arena_init(&scratch, inspection->options.allocator, 0);
    double *per_run = ets_arena_alloc_array(&scratch, block->run_count, sizeof *per_run);
    if (per_run == NULL) return ets_fail_memory(error, "a row's times");
    const uint32_t used = ets_inspection_row_ticks(inspection, row, run, per_run);
    ets_statistics_compute(per_run, used, statistics_out);
    ets_arena_reset(&scratch);
    return ETS_OK;
}

uint32_t ets_inspection_total_row(const struct ets_inspection *inspection, uint32_t block)
{
    const struct ets_block *b = &inspection->blocks[block];
    for (uint32_t i = b->first_row + b->row_count; i-- > b->first_row;) {
        const struct ets_row *row = &inspection->rows[i];
        if (row->chain == -1 && ets_text_is(row->name, "Method::execute")) return i;
    }
    return ETS_NO_INDEX;
}
