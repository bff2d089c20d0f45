/* Reads the blocks of Vela's stream. */
#include "format/vela.h"

#include <string.h>

#include "base/load.h"

enum { NAME_BYTES = 16, EXTERNAL_AT = 20, HEADER_BYTES = ETS_VELA_HEADER_BYTES, ALIGNMENT = 16 };

static bool is_named(const uint8_t *at, const char *name)
{
    const size_t size = strlen(name);
    return memcmp(at, name, size) == 0 && (size == NAME_BYTES || at[size] == 0);
}

static uint32_t count_of(struct ets_bytes block)
{
    return block.size < 4 ? 0 : ets_load_u32(block.data);
}

static void take_weights(struct ets_vela *vela, const struct ets_vela_block *block)
{
    if (!block->is_external) {
        vela->weights = block->data;
        return;
    }
    const char *key = (const char *)block->data.data;
    const void *end = memchr(key, '\0', block->data.size);
    vela->weight_key =
        (struct ets_text){key, end != NULL ? (size_t)((const char *)end - key) : block->data.size};
}

static void take_block(struct ets_vela *vela, const struct ets_vela_block *from)
{
    const uint8_t *name = from->name;
    const struct ets_bytes block = from->data;
    if (is_named(name, "cmd_data")) {
        vela->commands = block;
    } else if (is_named(name, "weight_data")) {
        take_weights(vela, from);
    } else if (is_named(name, "scratch_size") && block.size >= 4) {
        vela->scratch_bytes = ets_load_u32(block.data);
        vela->has_scratch = true;
    } else if (is_named(name, "scratch_data")) {
        vela->scratch_bytes = block.size;
        vela->stored_scratch = block;
        vela->has_scratch = true;
    } else if (is_named(name, "inputs")) {
        vela->inputs = block;
        vela->input_count = count_of(block);
    } else if (is_named(name, "outputs")) {
        vela->outputs = block;
        vela->output_count = count_of(block);
    }
}

bool ets_vela_argument(struct ets_bytes block, uint32_t index, struct ets_vela_argument *out)
{
    enum { COUNT_BYTES = 4, OTHER_WORDS = 3, NEW_RANK = 6, OLD_RANK = 4 };
    const uint32_t count = count_of(block);
    if (index >= count) return false;
    const size_t record = (block.size - COUNT_BYTES) / count;
    const uint32_t rank = record >= 4 * (NEW_RANK + OTHER_WORDS) ? NEW_RANK : OLD_RANK;
    if (record < 4 * ((size_t)rank + OTHER_WORDS)) return false;
    const uint8_t *at = block.data + COUNT_BYTES + 4 * ((size_t)rank + OTHER_WORDS) * index;
    uint32_t first = 0;
    while (first + 1 < rank && ets_load_u32(at + 4 * (size_t)first) == 1) first++;
    *out = (struct ets_vela_argument){.rank = rank - first,
                                      .element_bytes = ets_load_u32(at + 4 * (size_t)rank),
                                      .offset = ets_load_u32(at + 4 * (size_t)rank + 4),
                                      .region = ets_load_u32(at + 4 * (size_t)rank + 8)};
    for (uint32_t i = first; i < rank; i++) out->dims[i - first] = ets_load_u32(at + 4 * (size_t)i);
    return true;
}

bool ets_vela_next(struct ets_bytes payload, size_t *at, struct ets_vela_block *block_out)
{
    if (!ets_range_fits(*at, HEADER_BYTES, payload.size)) return false;
    const uint8_t *header = payload.data + *at;
    const size_t size = ets_load_u32(header + NAME_BYTES), start = *at + HEADER_BYTES;
    if (!ets_range_fits(start, size, payload.size)) return false;
    const size_t rest = size % ALIGNMENT;
    *block_out =
        (struct ets_vela_block){header, header[EXTERNAL_AT] != 0, {payload.data + start, size}};
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
        take_block(vela, &block);
    }
    if (ets_range_fits(at, HEADER_BYTES, payload.size)) {
        return ets_fail(error, ETS_TRUNCATED, at, "block of %u bytes runs past the end",
                        ets_load_u32(payload.data + at + NAME_BYTES));
    }
    return ets_fail(error, ETS_TRUNCATED, payload.size, "ends before %s", last);
}
