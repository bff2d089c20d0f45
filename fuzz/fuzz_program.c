/* Reads any bytes as a program; an accepted program must be readable without leaving the bytes. */
#include <stdlib.h>

#include "../tests/walk_program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ets_program program;
    struct ets_error error = {.status = ETS_OK, .message = ""};
    const struct ets_bytes bytes = {data, size};
    const enum ets_status status = ets_program_init(&program, bytes, &error);
    if (status == ETS_OK) walk_program(&program);
    else if (error.status != status || error.message[0] == '\0') abort();
    return 0;
}
