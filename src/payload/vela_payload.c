/* The payload of Ethos-U: Vela's stream, which keeps no names of operators, but states its memory.
 */
#include "format/vela.h"
#include "payload/payload_reader.h"

static const char *const backends[] = {ETS_ETHOS_U_BACKEND, ETS_ETHOS_U_BACKEND_BEFORE, NULL};

static enum ets_status read_payload(struct ets_payload_builder *builder, struct ets_bytes bytes,
                                    struct ets_error *error)
{
    struct ets_vela vela;
    (void)builder;
    ETS_TRY(ets_vela_init(&vela, bytes, error));
    return ets_fail(error, ETS_UNSUPPORTED, ETS_NO_OFFSET,
                    "Vela's stream keeps no names of operators");
}

static uint64_t scratch_bytes(struct ets_bytes bytes)
{
    struct ets_vela vela;
    return ets_vela_init(&vela, bytes, NULL) == ETS_OK ? vela.scratch_bytes : 0;
}

static bool list_parts(struct ets_bytes bytes, struct ets_payload_parts *out)
{
    struct ets_vela vela;
    if (ets_vela_init(&vela, bytes, NULL) != ETS_OK) return false;
    const struct ets_payload_part parts[] = {
        {vela.commands, "NPU commands", false},
        {vela.weights, "compressed weights", true},
        {vela.stored_scratch, "stored scratch (zeros)", false},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].bytes.data != NULL) out->items[out->count++] = parts[i];
    }
    return true;
}

static bool next_block(struct ets_bytes bytes, size_t *at, struct ets_payload_block *out)
{
    struct ets_vela_block block;
    if (!ets_vela_next(bytes, at, &block)) return false;
    *out = (struct ets_payload_block){{block.name, ETS_VELA_HEADER_BYTES}, block.data};
    return true;
}

const struct ets_payload_reader ets_payload_vela = {
    .backends = backends,
    .format = "Vela binary stream",
    .read = read_payload,
    .scratch_bytes = scratch_bytes,
    .parts = list_parts,
    .next_block = next_block,
};
