/*
 * Reads what Qualcomm's QNN leaves readable of its payload: the context binary behind a header, and
 * of that the graphs and the names of nodes. The format is the vendor's, known from files of SDK
 * 2.28 and 2.37 only: whatever is not as in those is left out, and is no mistake.
 *
 *     struct ets_qnn qnn;
 *     if (ets_qnn_init(&qnn, payload, &error) == ETS_OK) use(qnn.graph_count);
 *
 * The memory of the payload is borrowed.
 */
#ifndef ETSCOPE_FORMAT_QNN_H
#define ETSCOPE_FORMAT_QNN_H

#include "base/error.h"
#include "format/flatbuffer.h"

#define ETS_QNN_BACKEND "QnnBackend"

struct ets_qnn {
    struct ets_bytes context; /* the context binary */
    struct ets_bytes blob;    /* its compiled part; data NULL: not found */
    struct ets_text build;    /* of the SDK, "v2.28.0.241029232508_102474"; data NULL: not known */
    struct ets_fb_vector graphs;
    uint32_t graph_count;
};

struct ets_qnn_graph {
    struct ets_text name;
    struct ets_fb_vector inputs, outputs; /* tensors */
};

struct ets_qnn_tensor {
    struct ets_text name;
    uint32_t type;             /* Qnn_DataType_t */
    struct ets_fb_vector dims; /* u32 */
    bool is_quantized;         /* real = scale x (stored + offset): */
    float scale;
    int32_t offset;
};

/* Statuses: WRONG_KIND (no payload of QNN), TRUNCATED. */
enum ets_status ets_qnn_init(struct ets_qnn *qnn, struct ets_bytes payload,
                             struct ets_error *error);

void ets_qnn_graph(const struct ets_qnn *qnn, uint32_t index, struct ets_qnn_graph *out);
void ets_qnn_tensor(struct ets_fb_vector tensors, uint32_t index, struct ets_qnn_tensor *out);

/* Walks over the names of nodes in the compiled part; *at begins at 0. false: no more. */
bool ets_qnn_next_name(const struct ets_qnn *qnn, size_t *at, struct ets_text *name_out);

#endif
