/*
 * Reads Vela's stream, the payload of Ethos-U's backend.
 *
 *     struct ets_vela vela;
 *     if (ets_vela_init(&vela, payload, &error) == ETS_OK) use(vela.scratch_bytes);
 *
 * Blocks of a 16-byte name, a 32-bit size and padding to 16 each, from vela_bin_stream to
 * vela_end_stream (ExecuTorch backends/arm/arm_vela.py). Vela keeps no names of operators, and
 * compresses weights. The memory of the payload is borrowed.
 */
#ifndef ETSCOPE_FORMAT_VELA_H
#define ETSCOPE_FORMAT_VELA_H

#include <stdbool.h>

#include "base/error.h"

#define ETS_ETHOS_U_BACKEND "EthosUBackend"
#define ETS_ETHOS_U_BACKEND_BEFORE "ArmBackend" /* its name until ExecuTorch 0.6 */

struct ets_vela {
    struct ets_bytes commands; /* for the driver; data NULL: none */
    struct ets_bytes weights;  /* compressed, with scales */
    /*
     * Memory that the runtime allocates at each call, beside the planned memory: inputs, outputs
     * and what lies between them.
     */
    uint64_t scratch_bytes;
    bool has_scratch;
    struct ets_bytes stored_scratch; /* older streams hold it as zeros; data NULL: newer */
    uint32_t input_count, output_count;
    struct ets_bytes inputs, outputs; /* blocks of records */
    struct ets_text weight_key;       /* of named data that has the weights; data NULL: `weights` */
};

/* An input or output of the call, in a region of memory. */
struct ets_vela_argument {
    uint32_t rank;    /* without the sizes of 1 that fill the record in front */
    uint32_t dims[6]; /* [rank] */
    uint32_t element_bytes, offset, region;
};
/* false: the block has no such record. */
bool ets_vela_argument(struct ets_bytes block, uint32_t index, struct ets_vela_argument *out);

/* One block, with its header of 32 bytes before `data`. */
struct ets_vela_block {
    const uint8_t *name; /* 16 bytes */
    bool is_external;    /* `data` is a key of named data */
    struct ets_bytes data;
};
/* Walks through a stream that ets_vela_init has accepted; *at begins at 0. false: that was the
 * last. */
bool ets_vela_next(struct ets_bytes payload, size_t *at, struct ets_vela_block *block_out);
enum { ETS_VELA_HEADER_BYTES = 32 };

/* Statuses: WRONG_KIND (no stream of Vela), TRUNCATED, MALFORMED. */
enum ets_status ets_vela_init(struct ets_vela *vela, struct ets_bytes payload,
                              struct ets_error *error);

#endif
