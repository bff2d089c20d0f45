/*
 * A model's graphs as files that other tools open.
 *
 *     const struct ets_graph_source source = {.title = "model.pte", .program = &program};
 *     enum ets_graph_file failed;
 *     status = ets_graph_write(output, ETS_GRAPH_DOT, &source, NULL, &failed, &error);
 *
 * Names from files are escaped. Write errors are reported by the output's commit.
 */
#ifndef ETSCOPE_OUTPUT_GRAPH_GRAPH_FILES_H
#define ETSCOPE_OUTPUT_GRAPH_GRAPH_FILES_H

#include "etscope/inspect.h"
#include "host/output.h"

/* The formats, a row each: its word in ETS_GRAPH_<word>, its name, the ending of its files. */
/* clang-format off */
#define ETS_GRAPH_FORMATS(X)                                                                      \
    /* The language of Graphviz: a cluster for each graph and module. */                          \
    X(DOT, "dot", ".dot")                                                                         \
    /* A collection of all graphs. (ai-edge-model-explorer 0.1.34) */                             \
    X(MODEL_EXPLORER, "model-explorer", ".json")                                                  \
    /* Model Explorer's node data: the time of each node of that collection that has one. */      \
    X(MODEL_EXPLORER_DATA, "model-explorer-data", ".json")
/* clang-format on */

#define ETS_GRAPH_ID(id, ...) ETS_GRAPH_##id,
enum ets_graph_format { ETS_GRAPH_FORMATS(ETS_GRAPH_ID) };

/* The file that an error is about. */
enum ets_graph_file { ETS_GRAPH_OF_PROGRAM = 0, ETS_GRAPH_OF_RECORD = 1, ETS_GRAPH_OF_TRACE = 2 };

struct ets_graph_source {
    const char *title;
    const struct ets_program *program;       /* NULL: graphs of the record */
    struct ets_etrecord *record;             /* NULL: no modules and source lines */
    const struct ets_inspection *inspection; /* of the program; NULL: no times */
};

/*
 * Writes all graphs. `allocator` NULL: the C library's. Times are medians over the runs of each
 * block that executed a method; of several blocks of one method, those of the longest. Of a record,
 * Model Explorer also gets the ATen program. Statuses: NOT_FOUND (no program and no edge program;
 * or node data of a trace whose methods are not known), LIMIT (a method too large), those of
 * delegations and the record's readers, NO_MEMORY. `*failed_out`, after a failure: where.
 */
ETS_API enum ets_status ets_graph_write(struct ets_output *output, enum ets_graph_format format,
                                        const struct ets_graph_source *source,
                                        const struct ets_allocator *allocator,
                                        enum ets_graph_file *failed_out, struct ets_error *error);

#endif
