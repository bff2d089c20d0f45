/*
 * The reader of one backend's payloads: one row of the table in payload_backends.c. To add a
 * backend, write a file with such a reader.
 */
#ifndef ETSCOPE_PAYLOAD_PAYLOAD_READER_H
#define ETSCOPE_PAYLOAD_PAYLOAD_READER_H

#include "base/error.h"
#include "host/arena.h"
#include "payload/payload.h"
#include "payload/payload_events.h"
#include "payload/payload_identifiers.h"
#include "payload/payload_names.h"

/*
 * Where a graph is read to. Memory comes from ets_payload_room, which counts it: small hostile
 * files can ask for much.
 */
struct ets_payload_builder {
    struct ets_arena *arena;
    struct ets_payload_store *store; /* for ets_payload_named_data, with: */
    bool (*find_data)(struct ets_payload_store *store, struct ets_text key,
                      struct ets_bytes *bytes_out);
    uint64_t room;  /* bytes that may still be taken */
    bool is_beyond; /* more was asked for */
    struct ets_payload_graph graph;
};

/* A zeroed array; NULL: no memory, or beyond the limit, which is kept. */
void *ets_payload_room(struct ets_payload_builder *builder, size_t count, size_t size);
/* Counts items that are looked at as bytes: lists may be shared. false: beyond the limit, as above.
 */
bool ets_payload_look(struct ets_payload_builder *builder, size_t count);

/* A terminated copy; data NULL: no memory, or beyond the limit, as above. */
struct ets_text ets_payload_copy(struct ets_payload_builder *builder, struct ets_text text);
/* The program's named data, for payloads that refer to it; data NULL: it has none of this key.
 * Counted like a payload. false: no memory, or beyond the limit. */
bool ets_payload_named_data(struct ets_payload_builder *builder, struct ets_text key,
                            struct ets_bytes *bytes_out);
/* payload_types.c: the type of payloads that is a scalar type of programs; of others "unknown". */
const struct ets_payload_type *ets_payload_scalar_type(int scalar_type);

struct ets_payload_reader {
    const char *const *backends; /* ids of backends in programs, ended by NULL */
    const char *format;          /* "XNNPACK graph" */
    bool is_in_schema_order, writes_in_place;
    bool folds_batch_norms;       /* into convolutions */
    bool types_tell_quantization; /* of values; else names of operators, if anything */
    bool map_numbers_its_own;     /* the record's map of it has numbers that are no debug handles */
    uint32_t arena_padding; /* bytes behind the last tensor that exporters add for its kernels */
    /* Memory that the runtime takes for the time of a call, beside the plan; NULL: not stated. */
    uint64_t (*scratch_bytes)(struct ets_bytes bytes);
    /*
     * Fills builder->graph: nodes, values, constants (keys, and bytes within the payload), without
     * producers. Statuses: NO_MEMORY (also beyond the limit), those of verifying the bytes.
     */
    enum ets_status (*read)(struct ets_payload_builder *builder, struct ets_bytes bytes,
                            struct ets_error *error);
    /* payload_events.h; NULL: not known. */
    enum ets_status (*events)(struct ets_arena *arena, const struct ets_payload_graph *graph,
                              struct ets_payload_events *events_out, struct ets_error *error);
    /* Of bytes without readable nodes; false: they are no such payload. NULL: not known. */
    bool (*parts)(struct ets_bytes bytes, struct ets_payload_parts *parts_out);
    /* The blocks of bytes that have parts, from *at 0; false: that was the last. */
    bool (*next_block)(struct ets_bytes bytes, size_t *at, struct ets_payload_block *block_out);
    /* payload_names.h; NULL: names do not depend on the processor, or say nothing. */
    size_t (*plain_name)(struct ets_text name, char *out);
    const char *const *(*origins)(struct ets_text event_name);
    const char *(*operation)(struct ets_text event_name); /* NULL: names do not tell */
    enum ets_payload_arithmetic (*arithmetic)(struct ets_text event_name); /* NULL: the same */
    /* payload_identifiers.h; leaves *said as it is where it does not know the identifier. NULL: all
     * are plain names of times. */
    enum ets_status (*identifier)(struct ets_arena *arena, struct ets_text identifier,
                                  struct ets_bytes metadata, struct ets_payload_identifier *said,
                                  struct ets_error *error);
};

/* The reader of a backend; NULL: there is none. */
const struct ets_payload_reader *ets_payload_reader_of(struct ets_text backend);

/* xnnpack_events.c */
enum ets_status ets_payload_xnnpack_events(struct ets_arena *arena,
                                           const struct ets_payload_graph *graph,
                                           struct ets_payload_events *events_out,
                                           struct ets_error *error);
/* xnnpack_names.c */
size_t ets_payload_xnnpack_plain_name(struct ets_text name, char *out);
const char *const *ets_payload_xnnpack_origins(struct ets_text event_name);
const char *ets_payload_xnnpack_operation(struct ets_text event_name);
enum ets_payload_arithmetic ets_payload_xnnpack_arithmetic(struct ets_text event_name);
/* vulkan_events.c */
enum ets_status ets_payload_vulkan_identifier(struct ets_arena *arena, struct ets_text identifier,
                                              struct ets_bytes metadata,
                                              struct ets_payload_identifier *said,
                                              struct ets_error *error);
/* qnn_events.c */
enum ets_status ets_payload_qnn_identifier(struct ets_arena *arena, struct ets_text identifier,
                                           struct ets_bytes metadata,
                                           struct ets_payload_identifier *said,
                                           struct ets_error *error);
/* phase_events.c */
enum ets_status ets_payload_vela_identifier(struct ets_arena *arena, struct ets_text identifier,
                                            struct ets_bytes metadata,
                                            struct ets_payload_identifier *said,
                                            struct ets_error *error);
/* phase_events.c */
enum ets_status ets_payload_vgf_identifier(struct ets_arena *arena, struct ets_text identifier,
                                           struct ets_bytes metadata,
                                           struct ets_payload_identifier *said,
                                           struct ets_error *error);
/* phase_events.c */
enum ets_status ets_payload_coreml_identifier(struct ets_arena *arena, struct ets_text identifier,
                                              struct ets_bytes metadata,
                                              struct ets_payload_identifier *said,
                                              struct ets_error *error);

extern const struct ets_payload_reader ets_payload_xnnpack;  /* xnnpack_payload.c */
extern const struct ets_payload_reader ets_payload_vulkan;   /* vulkan_payload.c */
extern const struct ets_payload_reader ets_payload_vela;     /* vela_payload.c */
extern const struct ets_payload_reader ets_payload_coreml;   /* coreml_payload.c */
extern const struct ets_payload_reader ets_payload_openvino; /* openvino_payload.c */
extern const struct ets_payload_reader ets_payload_tosa;     /* tosa_payload.c */
extern const struct ets_payload_reader ets_payload_vgf;      /* vgf_payload.c */
extern const struct ets_payload_reader ets_payload_mlx;      /* mlx_payload.c */
extern const struct ets_payload_reader ets_payload_native;   /* native_payload.c */
extern const struct ets_payload_reader ets_payload_qnn;      /* qnn_payload.c */

#endif
