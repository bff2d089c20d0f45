/* Reads any bytes as an XNNPACK payload, and predicts its events. */
#include <stdlib.h>

#include "../tests/walk_xnnpack.h"
#include "inspect/delegates/xnnpack_events.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void foretell(const struct ets_xnnpack *payload)
{
    struct ets_arena arena;
    struct ets_xnnpack_events events;
    ets_arena_init(&arena, NULL, (size_t)1 << 30);
    if (ets_xnnpack_events(&arena, payload, &events, NULL) == ETS_OK) {
        if (events.items == NULL && events.odd_node >= payload->node_count) abort();
        for (uint32_t i = 0; i < events.count; i++) {
            if (events.items[i].name == NULL || events.items[i].node_count == 0) abort();
            for (uint32_t k = 0; k < events.items[i].node_count; k++) {
                if (events.items[i].nodes[k] >= payload->node_count) abort();
            }
        }
    }
    ets_arena_reset(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ets_xnnpack payload;
    struct ets_error error = {.status = ETS_OK, .message = ""};
    const enum ets_status status =
        ets_xnnpack_init(&payload, (struct ets_bytes){data, size}, &error);
    if (status == ETS_OK) {
        walk_xnnpack(&payload);
        foretell(&payload);
    } else if (error.status != status || error.message[0] == '\0') {
        abort();
    }
    return 0;
}
