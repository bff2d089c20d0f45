/* Reads the memory measurements in an extra block. */
#include "inspect/recorded_memory.h"

#include "base/extra_keys.h"
#include "base/load.h"
#include "dump/extra_entries.h"
#include "inspect/inspection.h"

enum { HELD_BYTES = 64, STEP_BYTES = 32, PROCESS_BYTES = 32 };

/* No device has more; tables and sums use signed numbers. */
static uint64_t amount_at(const uint8_t *at)
{
    const uint64_t bytes = ets_load_u64(at);
    return bytes > INT64_MAX ? ETS_MEMORY_UNKNOWN : bytes;
}

static struct ets_text text_at(const uint8_t *at, size_t bytes)
{
    return (struct ets_text){bytes == 0 ? NULL : (const char *)at, bytes};
}

static bool read_held(struct ets_bytes value, struct ets_held_memory *out)
{
    if (value.size < HELD_BYTES) return false;
    const uint8_t *at = value.data;
    const uint32_t owner = ets_load_u32(at), phase = ets_load_u16(at + 56);
    const size_t method_bytes = ets_load_u16(at + 60), rest = value.size - HELD_BYTES;
    if (owner < ETS_MEMORY_PROGRAM || owner > ETS_MEMORY_STACK || phase > ETS_MEMORY_RUN ||
        method_bytes > rest) {
        return false;
    }
    *out = (struct ets_held_memory){
        .owner = (enum ets_memory_owner)owner,
        .phase = (enum ets_memory_phase)phase,
        .index = ets_load_u32(at + 4),
        .bytes = amount_at(at + 8),
        .count = amount_at(at + 16),
        .touched = amount_at(at + 24),
        .pool_bytes = amount_at(at + 32),
        .alignment = ets_load_u32(at + 40),
        .runs = ets_load_u32(at + 44),
        .chain = (int32_t)ets_load_u32(at + 48),
        .instruction = ets_load_u32(at + 52),
        .is_shared = (ets_load_u16(at + 58) & 1) != 0,
        .method = text_at(at + HELD_BYTES, method_bytes),
    };
    *(owner == ETS_MEMORY_STACK ? &out->processor : &out->backend) =
        text_at(at + HELD_BYTES + method_bytes, rest - method_bytes);
    return true;
}

static bool read_step(struct ets_bytes value, struct ets_step_memory *out)
{
    if (value.size < STEP_BYTES) return false;
    *out = (struct ets_step_memory){
        .chain = (int32_t)ets_load_u32(value.data),
        .instruction = ets_load_u32(value.data + 4),
        .bytes = amount_at(value.data + 8),
        .count = amount_at(value.data + 16),
        .runs = ets_load_u32(value.data + 24),
        .method = text_at(value.data + STEP_BYTES, value.size - STEP_BYTES),
    };
    return true;
}

static bool read_process(struct ets_bytes value, struct ets_process_memory *out)
{
    if (value.size < PROCESS_BYTES || ets_load_u32(value.data) >= ETS_MOMENT_COUNT) return false;
    *out = (struct ets_process_memory){
        .moment = (enum ets_memory_moment)ets_load_u32(value.data),
        .resident = amount_at(value.data + 8),
        .of_files = amount_at(value.data + 16),
        .heap = amount_at(value.data + 24),
        .method = text_at(value.data + PROCESS_BYTES, value.size - PROCESS_BYTES),
    };
    return true;
}

/* The most entries of each kind. */
static void count_entries(const struct ets_trace_extra *extra, uint32_t counts[3])
{
    uint32_t key;
    struct ets_bytes value;
    for (size_t at = 0; ets_trace_extra_next(extra, &at, &key, &value);) {
        if (key >= ETS_EXTRA_HELD && key <= ETS_EXTRA_PROCESS) {
            counts[key - ETS_EXTRA_HELD]++;
        }
    }
}

enum ets_status ets_recorded_memory_of(struct ets_arena *arena, const struct ets_trace_extra *extra,
                                       struct ets_recorded_memory *out, struct ets_error *error)
{
    uint32_t counts[3] = {0}, key;
    struct ets_bytes value;
    *out = (struct ets_recorded_memory){.held = NULL};
    count_entries(extra, counts);
    out->held = ets_arena_alloc_array(arena, counts[0], sizeof *out->held);
    out->steps = ets_arena_alloc_array(arena, counts[1], sizeof *out->steps);
    out->process = ets_arena_alloc_array(arena, counts[2], sizeof *out->process);
    if (out->held == NULL || out->steps == NULL || out->process == NULL) {
        return ets_fail_memory(error, "the memory measurements");
    }
    for (size_t at = 0; ets_trace_extra_next(extra, &at, &key, &value);) {
        if (key == ETS_EXTRA_HELD) {
            out->held_count += read_held(value, &out->held[out->held_count]);
        } else if (key == ETS_EXTRA_TEMPORARY) {
            out->step_count += read_step(value, &out->steps[out->step_count]);
        } else if (key == ETS_EXTRA_PROCESS) {
            out->process_count += read_process(value, &out->process[out->process_count]);
        }
    }
    return ETS_OK;
}

enum ets_status ets_recorded_memory_read(struct ets_arena *arena,
                                         const struct ets_inspection *inspection,
                                         struct ets_recorded_memory *out, struct ets_error *error)
{
    *out = (struct ets_recorded_memory){.held = NULL};
    if (!inspection->has_extra) return ETS_OK;
    return ets_recorded_memory_of(arena, &inspection->extra, out, error);
}

/* The dump of a damaged trace has no table of runs that could be trusted. */
struct ets_text ets_allocator_name(const struct ets_inspection *inspection, uint32_t run,
                                   uint64_t number)
{
    const struct ets_etdump *dump = &inspection->dump;
    const struct ets_text none = {NULL, 0};
    struct ets_etdump_run told;
    if (inspection->damage_total > 0 || run >= dump->run_count) return none;
    ets_etdump_run(dump, run, &told);
    if (number == 0 || number > told.allocator_count) return none;
    return ets_etdump_allocator_name(dump, &told, (uint32_t)number - 1);
}
