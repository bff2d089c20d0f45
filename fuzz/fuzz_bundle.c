/* Reads any bytes as a bundle; an accepted bundle must be readable without leaving the bytes. */
#include <stdlib.h>

#include "../tests/walk_program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ets_bundle bundle;
    struct ets_program program;
    struct ets_error error = {.status = ETS_OK, .message = ""};
    const enum ets_status status = ets_bundle_init(&bundle, (struct ets_bytes){data, size}, &error);
    if (status != ETS_OK) {
        if (error.status != status || error.message[0] == '\0') abort();
        return 0;
    }
    walk_bundle(&bundle);
    if (ets_program_init(&program, bundle.program, &error) == ETS_OK) walk_program(&program);
    return 0;
}
