/* Reads QNN's payload: a header, and the context binary as far as it is known. */
#include "format/qnn.h"

#include <string.h>

#include "format/descriptor.h"

enum { MAGIC = 0x5678abcd, SIZE_AT = 12, OLD_HEADER = 20, HEADER = 256 };
enum { META_SIZE_AT = 16, BLOB_AT = 24, BLOB_SIZE_AT = 32, META_AT = 40 };
enum { ROOT = 0, INFO = 2, INFO_BUILD = 1, INFO_GRAPHS = 10 };
enum { GRAPH_NAME = 0, GRAPH_INPUTS = 2, GRAPH_OUTPUTS = 4 };
enum {
    TENSOR_TYPE = 3,
    TENSOR_IS_QUANTIZED = 4,
    TENSOR_DIMS = 7,
    TENSOR_NAME = 9,
    TENSOR_HOW = 15
};

static const struct ets_fb_field scale_fields[] = {SCALAR("scale", 0, ETS_FB_F32),
                                                   SCALAR("offset", 1, ETS_FB_I32)};
static const struct ets_fb_type scale_type = TYPE("scale and offset", scale_fields);
static const struct ets_fb_field tensor_fields[] = {
    SCALAR("id", 0, ETS_FB_U32),
    SCALAR("data type", TENSOR_TYPE, ETS_FB_U32),
    SCALAR("quantization defined", TENSOR_IS_QUANTIZED, ETS_FB_U32),
    SCALARS("dims", TENSOR_DIMS, ETS_FB_U32),
    STRING("name", TENSOR_NAME, ETS_FB_NAME),
    TABLE("scale and offset", TENSOR_HOW, 0, scale_type),
};
static const struct ets_fb_type tensor_type = TYPE("tensor", tensor_fields);
static const struct ets_fb_field graph_fields[] = {
    STRING("name", GRAPH_NAME, ETS_FB_NAME),
    TABLES("inputs", GRAPH_INPUTS, tensor_type),
    TABLES("outputs", GRAPH_OUTPUTS, tensor_type),
};
static const struct ets_fb_type graph_type = TYPE("graph", graph_fields);
static const struct ets_fb_field inner_fields[] = {TABLE("graph", 0, 0, graph_type)};
static const struct ets_fb_type inner_type = TYPE("inner graph", inner_fields);
static const struct ets_fb_field middle_fields[] = {TABLE("graph", 0, 0, inner_type)};
static const struct ets_fb_type middle_type = TYPE("middle graph", middle_fields);
static const struct ets_fb_field outer_fields[] = {TABLE("graph", 2, 0, middle_type)};
static const struct ets_fb_type outer_type = TYPE("outer graph", outer_fields);
static const struct ets_fb_field info_fields[] = {STRING("build", INFO_BUILD, ETS_FB_NAME),
                                                  TABLES("graphs", INFO_GRAPHS, outer_type)};
static const struct ets_fb_type info_type = TYPE("info", info_fields);
static const struct ets_fb_field binary_fields[] = {TABLE("info", INFO, 0, info_type)};
static const struct ets_fb_type binary_type = TYPE("binary", binary_fields);
static const struct ets_fb_field root_fields[] = {TABLE("binary", ROOT, 0, binary_type)};
static const struct ets_fb_type root_type = TYPE("context", root_fields);

static void read_context(struct ets_qnn *qnn)
{
    const struct ets_bytes all = qnn->context;
    struct ets_fb root;
    if (all.size < META_AT + 8) return;
    const uint64_t size = ets_load_u64(all.data + META_SIZE_AT);
    const uint64_t blob = ets_load_u64(all.data + BLOB_AT);
    const uint64_t blob_size = ets_load_u64(all.data + BLOB_SIZE_AT);
    if (ets_range_fits(blob, blob_size, all.size)) {
        qnn->blob = (struct ets_bytes){all.data + blob, (size_t)blob_size};
    }
    if (!ets_range_fits(META_AT, size, all.size)) return;
    const struct ets_bytes meta = {all.data + META_AT, (size_t)size};
    if (ets_fb_verify_root(meta, 0, &root_type, META_AT, &root, NULL) != ETS_OK) return;
    const struct ets_fb info = ets_fb_table(ets_fb_table(root, ROOT), INFO);
    qnn->build = ets_fb_text(info, INFO_BUILD);
    qnn->graphs = ets_fb_vector(info, INFO_GRAPHS);
    qnn->graph_count = qnn->graphs.count;
}

enum ets_status ets_qnn_init(struct ets_qnn *qnn, struct ets_bytes payload, struct ets_error *error)
{
    *qnn = (struct ets_qnn){.graph_count = 0};
    if (payload.size < OLD_HEADER || ets_load_u32(payload.data) != MAGIC) {
        return ets_fail(error, ETS_WRONG_KIND, 0, "is not a context binary of QNN");
    }
    const uint64_t size = ets_load_u64(payload.data + SIZE_AT);
    if (size > payload.size ||
        (payload.size - size != OLD_HEADER && payload.size - size != HEADER)) {
        return ets_fail(error, ETS_TRUNCATED, SIZE_AT,
                        "states a context binary of %llu bytes, and has %zu",
                        (unsigned long long)size, payload.size);
    }
    qnn->context = (struct ets_bytes){payload.data + (payload.size - size), (size_t)size};
    read_context(qnn);
    return ETS_OK;
}

void ets_qnn_graph(const struct ets_qnn *qnn, uint32_t index, struct ets_qnn_graph *out)
{
    const struct ets_fb outer = ets_fb_vector_table(qnn->graphs, index);
    const struct ets_fb graph = ets_fb_table(ets_fb_table(ets_fb_table(outer, 2), 0), 0);
    *out = (struct ets_qnn_graph){.name = ets_fb_text(graph, GRAPH_NAME),
                                  .inputs = ets_fb_vector(graph, GRAPH_INPUTS),
                                  .outputs = ets_fb_vector(graph, GRAPH_OUTPUTS)};
}

void ets_qnn_tensor(struct ets_fb_vector tensors, uint32_t index, struct ets_qnn_tensor *out)
{
    const struct ets_fb tensor = ets_fb_vector_table(tensors, index);
    const struct ets_fb how = ets_fb_table(tensor, TENSOR_HOW);
    *out = (struct ets_qnn_tensor){
        .name = ets_fb_text(tensor, TENSOR_NAME),
        .type = ets_fb_u32(tensor, TENSOR_TYPE, 0),
        .dims = ets_fb_vector(tensor, TENSOR_DIMS),
        .is_quantized = ets_fb_u32(tensor, TENSOR_IS_QUANTIZED, 0) == 1 && how.at != 0,
        .scale = ets_fb_f32(how, 0, 0),
        .offset = ets_fb_i32(how, 1, 0),
    };
}

/* Records of an id, the number 4, a length and a text that ends in NUL, each at a multiple of 4. */
bool ets_qnn_next_name(const struct ets_qnn *qnn, size_t *at, struct ets_text *name_out)
{
    enum { RECORD = 12, KIND = 4, LONGEST = 512 };
    const struct ets_bytes blob = qnn->blob;
    for (; ets_range_fits(*at, RECORD, blob.size); *at += 4) {
        const uint8_t *record = blob.data + *at;
        const uint32_t size = ets_load_u32(record + 8);
        bool is_text = ets_load_u32(record + 4) == KIND && size > 1 && size <= LONGEST &&
                       ets_range_fits(*at + RECORD, (uint64_t)size + 1, blob.size);
        size_t used = 0;
        while (is_text && used < size && record[RECORD + used] != 0) {
            const uint8_t c = record[RECORD + used++];
            is_text = c > ' ' && c < 127;
        }
        if (!is_text || used + 1 < size || record[RECORD + used] != 0) continue;
        *name_out = (struct ets_text){(const char *)record + RECORD, used};
        *at += RECORD + used / 4 * 4;
        return true;
    }
    return false;
}
