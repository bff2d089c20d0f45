/* Reads any bytes as .npz; arrays must be inside the file or memory, and can be written. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "etscope/numerics.h"
#include "host/output.h"
#include "record/numpy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int condition)
{
    if (!condition) abort();
}

/* Every byte of every array is touched, by the statistics and the writer. */
static void use(struct ets_npz *npz, struct ets_npz_writer *writer, size_t index)
{
    struct ets_tensor tensor;
    struct ets_tensor_statistics statistics;
    struct ets_error error;
    char name[24] = "a";
    if (ets_npz_read(npz, index, &tensor, &error) != ETS_OK) {
        check(error.message[0] != '\0');
        return;
    }
    check(ets_tensor_extent(&tensor) <= tensor.data_bytes);
    (void)ets_tensor_statistics_of(&tensor, 0, &statistics);
    const struct ets_text given = ets_npz_name(npz, index);
    check(given.size > 0 && ets_npz_find(npz, given) == index);
    for (size_t i = 0; i < given.size && i < sizeof name - 2; i++) {
        if (given.data[i] != '\0') name[strlen(name)] = given.data[i];
    }
    check(ets_npz_writer_add(writer, name, &tensor, &error) == ETS_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct ets_bytes bytes = {data, size};
    struct ets_npz *npz;
    struct ets_npz_writer *writer;
    struct ets_output *output;
    struct ets_error error;
    if (ets_npz_open(bytes, NULL, &npz, &error) != ETS_OK) {
        check(error.message[0] != '\0');
        return 0;
    }
    check(ets_output_open("/dev/null", &output, &error) == ETS_OK);
    check(ets_npz_writer_open(output, NULL, &writer, &error) == ETS_OK);
    for (size_t i = 0; i < ets_npz_count(npz); i++) use(npz, writer, i);
    (void)ets_npz_writer_finish(writer, &error); /* shortened names may be the same */
    ets_npz_writer_close(writer);
    ets_output_discard(output);
    ets_npz_close(npz);
    return 0;
}
