/* Reads the blocks of Vela's stream. */
#include "format/vela.h"

#include <string.h>

#include "base/load.h"

enum { NAME_BYTES = 16, HEADER_BYTES = ETS_VELA_HEADER_BYTES, ALIGNMENT = 16 };

static bool is_named(const uint8_t *at, const char *name)
{
    const size_t size = strlen(name);
    return memcmp(at, name, size) == 0 && (size == NAME_BYTES || at[size] == 0);
}

static uint32_t count_of(struct ets_bytes block)
{
    return block.size < 4 ? 0 : ets_load_u32(block.data);
}

static void take_block(struct ets_vela *vela, const uint8_t *name, struct ets_bytes block)
{
    if (is_named(name, "cmd_data")) {
        vela->commands = block;
    } else if (is_named(name, "weight_data")) {
        vela->weights = block;
    } else if (is_named(name, "scratch_size") && block.size >= 4) {
        vela->scratch_bytes = ets_load_u32(block.data);
        vela->has_scratch = true;
    } else if (is_named(name, "scratch_data")) {
        vela->scratch_bytes = block.size;
        vela->stored_scratch = block;
        vela->has_scratch = true;
    } else if (is_named(name, "inputs")) {
        vela->input_count = count_of(block);
    } else if (is_named(name, "outputs")) {
        vela->output_count = count_of(block);
    }
}

bool ets_vela_next(struct ets_bytes payload, size_t *at, struct ets_vela_block *block_out)
{
    if (!ets_range_fits(*at, HEADER_BYTES, payload.size)) return false;
    const uint8_t *header = payload.data + *at;
    const size_t size = ets_load_u32(header + NAME_BYTES), start = *at + HEADER_BYTES;
    if (!ets_range_fits(start, size, payload.size)) return false;
    const size_t rest = size % ALIGNMENT;
    *block_out = (struct ets_vela_block){header, {payload.data + start, size}};
    *at = start + size + (rest == 0 ? 0 : ALIGNMENT - rest);
    return true;
}

enum ets_status ets_vela_init(struct ets_vela *vela, struct ets_bytes payload,
                              struct ets_error *error)
{
    static const char first[] = "vela_bin_stream", last[] = "vela_end_stream";
    *vela = (struct ets_vela){.scratch_bytes = 0};
    if (payload.size < HEADER_BYTES || !is_named(payload.data, first)) {
        return ets_fail(error, ETS_WRONG_KIND, 0, "is no stream of Vela");
    }
    struct ets_vela_block block;
    size_t at = 0;
    while (ets_vela_next(payload, &at, &block)) {
        if (is_named(block.name, last)) return ETS_OK;
        take_block(vela, block.name, block.data);
    }
    if (ets_range_fits(at, HEADER_BYTES, payload.size)) {
        return ets_fail(error, ETS_TRUNCATED, at, "block of %u bytes runs past the end",
                        ets_load_u32(payload.data + at + NAME_BYTES));
    }
    return ets_fail(error, ETS_TRUNCATED, payload.size, "ends before %s", last);
}
