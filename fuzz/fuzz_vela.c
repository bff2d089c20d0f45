/* Reads any bytes as a stream of Vela. */
#include <stdlib.h>

#include "format/vela.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void walk(struct ets_bytes part, const uint8_t *data, size_t size)
{
    if (part.data == NULL) return;
    if (part.data < data || part.size > size || part.data + part.size > data + size) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ets_vela vela;
    struct ets_error error = {.status = ETS_OK, .message = ""};
    const enum ets_status status = ets_vela_init(&vela, (struct ets_bytes){data, size}, &error);
    walk(vela.commands, data, size);
    walk(vela.weights, data, size);
    walk(vela.stored_scratch, data, size);
    if (status != ETS_OK && (error.status != status || error.message[0] == '\0')) abort();
    return 0;
}
