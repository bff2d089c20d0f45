/* Reads any bytes as .npy; what was read is written again and must read back the same. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "etscope/experimental/numpy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int condition)
{
    if (!condition) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct ets_bytes bytes = {data, size};
    struct ets_tensor tensor, again;
    struct ets_error error;
    if (ets_npy_read(bytes, &tensor, &error) != ETS_OK) {
        check(error.offset <= size && error.message[0] != '\0');
        return 0;
    }
    const uint8_t *start = tensor.data;
    check(start >= data && tensor.data_bytes <= size - (size_t)(start - data));
    uint8_t header[ETS_NPY_HEADER_BYTES];
    size_t header_bytes = 0;
    check(ets_npy_write_header(&tensor, header, sizeof header, &header_bytes, &error) == ETS_OK);
    uint8_t *copy = malloc(header_bytes + tensor.data_bytes);
    if (copy == NULL) return 0;
    memcpy(copy, header, header_bytes);
    memcpy(copy + header_bytes, tensor.data, tensor.data_bytes);
    const struct ets_bytes written = {copy, header_bytes + tensor.data_bytes};
    check(ets_npy_read(written, &again, &error) == ETS_OK);
    check(again.scalar_type == tensor.scalar_type && again.rank == tensor.rank);
    check(again.data_bytes == tensor.data_bytes);
    check(memcmp(again.sizes, tensor.sizes, sizeof again.sizes) == 0);
    free(copy);
    return 0;
}
