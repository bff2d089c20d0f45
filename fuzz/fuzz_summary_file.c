/* Reads any bytes as a device's summary; the checksum is mended, so that what follows it is read.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32.h"
#include "base/summary_layout.h"
#include "format/summary_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int condition)
{
    if (!condition) abort();
}

static int is_within(struct ets_bytes bytes, struct ets_text text)
{
    const char *start = (const char *)bytes.data;
    return text.data == NULL ||
           (text.data >= start && text.size <= bytes.size - (size_t)(text.data - start));
}

static void read_all(struct ets_bytes bytes)
{
    struct ets_summary_file file;
    struct ets_error error;
    if (ets_summary_file_open(bytes, &file, &error) != ETS_OK) {
        check(error.message[0] != '\0');
        return;
    }
    for (uint32_t i = 0; i < file.row_count; i++) {
        struct ets_summary_row row;
        ets_summary_file_row(&file, i, &row);
        check(row.count > 0 && row.min_ns <= row.max_ns);
        check(ets_summary_kind_name(row.kind) != NULL);
        check(is_within(bytes, row.name) && is_within(bytes, row.method));
        for (uint32_t k = 0; k < ETS_SUMMARY_BUCKET_COUNT; k++)
            check(row.starts[k] < row.starts[k + 1]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_all((struct ets_bytes){data, size});
    if (size < ETS_SUMMARY_HEAD_BYTES + ETS_SUMMARY_TAIL_BYTES) return 0;
    uint8_t *copy = malloc(size);
    if (copy == NULL) return 0;
    memcpy(copy, data, size);
    for (int i = 0; i < 4; i++) copy[ETS_SUMMARY_SIZE_AT + i] = (uint8_t)(size >> 8 * i);
    const uint32_t crc = ets_crc32(0, copy, size - ETS_SUMMARY_TAIL_BYTES);
    for (int i = 0; i < 4; i++) copy[size - 4 + (size_t)i] = (uint8_t)(crc >> 8 * i);
    read_all((struct ets_bytes){copy, size});
    free(copy);
    return 0;
}
