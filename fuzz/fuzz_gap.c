/*
 * The input as an ETRecord and a trace: the JSON of the exported program, of the edge program, of
 * debug_handle_map and of instruction_id_to_num_outs_map, a zero byte behind each, and an ETDump.
 * Captured values are aligned, compared with themselves, and judged; upstream's pairs are made.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "etscope/experimental/gap.h"
#include "etscope/inspect.h"
#include "gap/upstream_pairs.h"
#include "views/gap_headline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile double sink;

/* A zip of stored entries. */
struct zip {
    uint8_t *bytes, *directory;
    size_t size, directory_size;
    unsigned count;
};

static void put_number(uint8_t *at, uint32_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) at[i] = (uint8_t)(value >> 8 * i);
}

static void add_entry(struct zip *zip, const char *name, struct ets_bytes data)
{
    const size_t name_size = strlen(name);
    const uint32_t sum = (uint32_t)crc32(0, data.data, (uInt)data.size);
    uint8_t *local = zip->bytes + zip->size;
    uint8_t *central = zip->directory + zip->directory_size;
    memset(local, 0, 30);
    memset(central, 0, 46);
    memcpy(local, "PK\3\4\24", 5);
    memcpy(central, "PK\1\2\24\0\24", 7);
    put_number(local + 14, sum, 4);
    put_number(local + 18, (uint32_t)data.size, 4);
    put_number(local + 22, (uint32_t)data.size, 4);
    put_number(local + 26, (uint32_t)name_size, 2);
    memcpy(central + 16, local + 14, 12);
    put_number(central + 28, (uint32_t)name_size, 2);
    put_number(central + 42, (uint32_t)zip->size, 4);
    memcpy(local + 30, name, name_size);
    memcpy(central + 46, name, name_size);
    if (data.size > 0) memcpy(local + 30 + name_size, data.data, data.size);
    zip->size += 30 + name_size + data.size;
    zip->directory_size += 46 + name_size;
    zip->count++;
}

/* Appends the directory. */
static struct ets_bytes finish(struct zip *zip)
{
    uint8_t *end = zip->bytes + zip->size + zip->directory_size;
    memcpy(zip->bytes + zip->size, zip->directory, zip->directory_size);
    memset(end, 0, 22);
    memcpy(end, "PK\5\6", 4);
    put_number(end + 8, zip->count, 2);
    put_number(end + 10, zip->count, 2);
    put_number(end + 12, (uint32_t)zip->directory_size, 4);
    put_number(end + 16, (uint32_t)zip->size, 4);
    return (struct ets_bytes){zip->bytes, zip->size + zip->directory_size + 22};
}

/* The next part of the input, up to a zero byte. */
static struct ets_bytes take(struct ets_bytes *rest)
{
    const uint8_t *end = rest->size > 0 ? memchr(rest->data, 0, rest->size) : NULL;
    const size_t size = end == NULL ? rest->size : (size_t)(end - rest->data);
    const struct ets_bytes part = {rest->data, size};
    const size_t taken = end == NULL ? size : size + 1;
    *rest = (struct ets_bytes){rest->data + taken, rest->size - taken};
    return part;
}

static int look_up(void *context, const struct ets_gap_value *value, struct ets_tensor *tensor_out)
{
    (void)context;
    *tensor_out = value->captured.tensor;
    return value->captured.status == ETS_OK;
}

/* Every captured value has a node or a reason; rows are in their regions' ranges. */
static void check(struct ets_gap_report *report)
{
    const struct ets_gap_pair *pairs;
    uint32_t count, nodes, rows;
    char text[256];
    for (uint32_t i = 0; i < ets_gap_value_count(report); i++) {
        const struct ets_gap_value *value = ets_gap_value(report, i);
        if (value->node == NULL && value->reason == NULL) abort();
        if (value->node == NULL && value->match != ETS_GAP_UNMATCHED && !value->is_argument) {
            abort();
        }
    }
    if (ets_gap_upstream_pairs(report, &pairs, &count, NULL) == ETS_OK) sink = count;
    if (ets_gap_compare(report, look_up, NULL, NULL) != ETS_OK) abort();
    for (uint32_t i = 0; i < ets_gap_row_count(report) && i < 64; i++) {
        if (ets_gap_region(report, i, NULL, 0, &nodes, NULL, 0, &rows, NULL) != ETS_OK) abort();
        if (nodes == 0 || rows > ets_gap_row_count(report)) abort();
    }
    if (ets_gap_headline(report, NULL, text, sizeof text) >= sizeof text) abort();
}

static void align(struct ets_etrecord *record, struct ets_bytes dump)
{
    static const char *const references[] = {NULL, "aten", "edge"};
    const struct ets_inspect_options options = {
        .record = record, .method = "forward", .partial = 1, .allow_mismatch = 1};
    struct ets_inspection *inspection;
    if (ets_inspection_open(dump, &options, &inspection, NULL) != ETS_OK) return;
    for (int i = 0; i < 3; i++) {
        const struct ets_gap_options gap = {.inspection = inspection,
                                            .record = record,
                                            .debug_buffer = dump,
                                            .run = ETS_NO_INDEX,
                                            .reference = references[i]};
        struct ets_gap_report *report;
        if (ets_gap_open(&gap, &report, NULL) != ETS_OK) continue;
        check(report);
        ets_gap_close(report);
    }
    ets_inspection_close(inspection);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"exported_program", "edge_dialect_exported_program/forward",
                                        "debug_handle_map", "instruction_id_to_num_outs_map"};
    struct ets_bytes rest = {data, size};
    struct zip zip = {.bytes = malloc(size + 4096), .directory = malloc(2048)};
    struct ets_etrecord *record;
    if (zip.bytes == NULL || zip.directory == NULL) abort();
    add_entry(&zip, "ETRECORD_V0", (struct ets_bytes){NULL, 0});
    for (int i = 0; i < 4; i++) add_entry(&zip, names[i], take(&rest));
    add_entry(&zip, "export_graph_id", (struct ets_bytes){(const uint8_t *)"7", 1});
    /* A copy, so that reading past its end is seen. */
    uint8_t *dump = malloc(rest.size + 1);
    if (dump == NULL) abort();
    if (rest.size > 0) memcpy(dump, rest.data, rest.size);
    if (ets_etrecord_open(finish(&zip), NULL, &record, NULL) == ETS_OK) {
        align(record, (struct ets_bytes){dump, rest.size});
        ets_etrecord_close(record);
    }
    free(dump);
    free(zip.bytes);
    free(zip.directory);
    return 0;
}
