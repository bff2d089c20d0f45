/* Reads any bytes as a data file; an accepted file must be readable without leaving the bytes. */
#include <stdlib.h>

#include "../tests/walk_program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ets_data_file file;
    struct ets_error error = {.status = ETS_OK, .message = ""};
    const enum ets_status status =
        ets_data_file_init(&file, (struct ets_bytes){data, size}, &error);
    if (status == ETS_OK) walk_data_file(&file);
    else if (error.status != status || error.message[0] == '\0') abort();
    return 0;
}
