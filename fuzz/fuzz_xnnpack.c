/* Reads any bytes as an XNNPACK payload. */
#include <stdlib.h>

#include "../tests/walk_xnnpack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ets_xnnpack payload;
    struct ets_error error = {.status = ETS_OK, .message = ""};
    const enum ets_status status =
        ets_xnnpack_init(&payload, (struct ets_bytes){data, size}, &error);
    if (status == ETS_OK) {
        walk_xnnpack(&payload);
    } else if (error.status != status || error.message[0] == '\0') {
        abort();
    }
    return 0;
}
