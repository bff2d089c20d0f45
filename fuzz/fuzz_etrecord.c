/* Reads any bytes as an ETRecord, and calls every function of it. */
#include <stdint.h>
#include <stdlib.h>

#include "etscope/etrecord.h"
#include "etscope/file.h"
#include "record/record_maps.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_maps(const struct ets_etrecord *record, const char *method)
{
    const int64_t *instructions, *handles;
    size_t count, handle_count;
    int is_list;
    ets_etrecord_mapped_instructions(record, method, &instructions, &count);
    for (size_t i = 0; i < count; i++) {
        ets_etrecord_handles(record, method, instructions[i], &handles, &handle_count, &is_list);
        (void)ets_etrecord_backend(record, method, instructions[i]);
        (void)ets_etrecord_num_outs(record, method, instructions[i]);
        (void)ets_etrecord_delegate_identifier(record, method, instructions[i], 0);
        ets_etrecord_delegate_handles(record, method, instructions[i], (struct ets_text){"0", 1},
                                      &handles, &handle_count);
    }
}

static void read_values(struct ets_etrecord *record, const char *method)
{
    const struct ets_value *values;
    size_t count, case_count = 0;
    (void)ets_etrecord_representative_inputs(record, &values, &count, NULL);
    const struct ets_nest *nests;
    (void)ets_etrecord_representative_nests(record, &nests, &count, NULL);
    (void)ets_etrecord_reference_case_count(record, method, &case_count, NULL);
    (void)ets_etrecord_reference_outputs(record, method, 0, &values, &count, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct ets_bytes bytes = {data, size};
    struct ets_etrecord *record;
    struct ets_error error;
    (void)ets_kind_sniff(bytes);
    if (ets_etrecord_open(bytes, NULL, &record, &error) != ETS_OK) return 0;
    for (size_t i = 0; i < ets_etrecord_method_count(record); i++) {
        const char *method = ets_etrecord_method_name(record, i);
        const struct ets_graph *graph;
        read_maps(record, method);
        read_values(record, method);
        (void)ets_etrecord_edge_graph(record, method, &graph, &error);
    }
    for (size_t i = 0; ets_etrecord_graph_name(record, i) != NULL; i++) {
        const struct ets_graph *graph;
        (void)ets_etrecord_graph(record, ets_etrecord_graph_name(record, i), &graph, &error);
    }
    for (size_t i = 0; i < ets_etrecord_entry_count(record); i++) {
        const char *name = ets_etrecord_entry(record, i)->name.data;
        const struct ets_named_value *values;
        struct ets_bytes payload;
        size_t count;
        (void)ets_etrecord_named_values(record, name, &values, &count, &error);
        (void)ets_etrecord_entry_bytes(record, name, &payload, &error);
    }
    ets_etrecord_close(record);
    return 0;
}
