/*
 * The payloads of one program, each read once however many delegates share it, within one limit for
 * all.
 *
 *     struct ets_payload_store store;
 *     ets_payload_store_init(&store, &arena, program);
 *     ETS_TRY(ets_payload_store_read(&store, &delegate, &graph, &reason, error));
 *     if (graph == NULL) explain(reason);
 */
#ifndef ETSCOPE_PAYLOAD_PAYLOAD_STORE_H
#define ETSCOPE_PAYLOAD_PAYLOAD_STORE_H

#include "base/error.h"
#include "etscope/program.h"
#include "host/arena.h"
#include "host/key_table.h"
#include "host/strings.h"
#include "payload/payload.h"

struct ets_payload_store {
    struct ets_arena *arena;
    const struct ets_program *program;
    uint64_t room; /* bytes that may still be read, and be taken for what is read */
    struct ets_key_table blobs;
    struct ets_payload_entry *entries; /* by number of a blob */
    uint32_t entry_room;
    struct ets_strings keys; /* of the program's named data, made when a constant first asks */
    uint32_t *key_entries;
    bool has_keys;
};

/* `arena` is borrowed, and so is the program; nothing is read yet. */
void ets_payload_store_init(struct ets_payload_store *store, struct ets_arena *arena,
                            const struct ets_program *program);

/*
 * *graph_out NULL: no reader knows the backend, or the payload cannot be read; *reason_out (may be
 * NULL) says why. Statuses: NO_MEMORY.
 */
enum ets_status ets_payload_store_read(struct ets_payload_store *store,
                                       const struct ets_delegate *delegate,
                                       const struct ets_payload_graph **graph_out,
                                       const char **reason_out, struct ets_error *error);

/*
 * Memory that the runtime takes for the time of a call, beside the plan; 0: the payload states
 * none. Statuses: NO_MEMORY.
 */
enum ets_status ets_payload_store_scratch(struct ets_payload_store *store,
                                          const struct ets_delegate *delegate, uint64_t *bytes_out,
                                          struct ets_error *error);

/* The parts of a payload whose nodes cannot be read; false: none are known. */
bool ets_payload_parts(const struct ets_delegate *delegate, struct ets_payload_parts *parts_out);
/* The blocks of a payload that has parts, one after the other; *at begins at 0. false: no more. */
bool ets_payload_next_block(const struct ets_delegate *delegate, size_t *at,
                            struct ets_payload_block *block_out);

/* What is known of a backend, by its id in programs. */
enum ets_payload_knowledge {
    ETS_PAYLOAD_UNKNOWN,  /* nothing reads its payloads */
    ETS_PAYLOAD_READABLE, /* its payloads are read */
    ETS_PAYLOAD_FORETOLD  /* and tell what its runtime reports (payload_events.h) */
};
enum ets_payload_knowledge ets_payload_knowledge(struct ets_text backend);
/* Bytes that exporters add behind the last tensor of planned memory for this backend's kernels. */
uint32_t ets_payload_arena_padding(struct ets_text backend);
/* Whether the record's map of the backend holds numbers that are no debug handles. */
bool ets_payload_map_numbers_its_own(struct ets_text backend);
/* Whether its exporter folds batch norms into the convolutions before them. */
bool ets_payload_folds(struct ets_text backend);

#endif
