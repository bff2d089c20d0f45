/* Writes whatever verifies as a program, bundle, data file, ETDump or Vulkan graph as JSON: every
 * field of it. */
#include <stdlib.h>

#include "dump/etdump_schema.h"
#include "etscope/bundle.h"
#include "etscope/program.h"
#include "format/root_types.h"
#include "format/vulkan_schema.h"
#include "host/output.h"
#include "output/text/flatbuffer_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put(size_t root_at, const uint8_t *data, const struct ets_fb_type *type)
{
    static struct ets_output *nowhere;
    if (nowhere == NULL && ets_output_open("/dev/null", &nowhere, NULL) != ETS_OK) abort();
    struct ets_json_writer json = {.output = nowhere};
    ets_json_put_flatbuffer(&json, NULL, (struct ets_fb){data, root_at}, type, true);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct ets_bytes bytes = {data, size};
    struct ets_program program;
    struct ets_bundle bundle;
    struct ets_data_file file;
    struct ets_etdump dump;
    struct ets_fb graph;
    size_t root_at;
    if (ets_program_init(&program, bytes, NULL) == ETS_OK) {
        put(program.root_at, data, &ets_program_type);
    } else if (ets_bundle_init(&bundle, bytes, NULL) == ETS_OK) {
        put(bundle.root_at, data, &ets_bundle_type);
    } else if (ets_data_file_init(&file, bytes, NULL) == ETS_OK) {
        put(file.root_at, data, &ets_data_file_type);
    } else if (ets_etdump_init(&dump, bytes, NULL) == ETS_OK &&
               ets_etdump_root_at(bytes, &root_at, NULL) == ETS_OK) {
        put(ets_fb_follow(data, root_at), data, &ets_etdump_type);
    } else if (ets_fb_verify_root(bytes, 0, &ets_vulkan_graph_type, 0, &graph, NULL) == ETS_OK) {
        put(graph.at, data, &ets_vulkan_graph_type);
    }
    return 0;
}
