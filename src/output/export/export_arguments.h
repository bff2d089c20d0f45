/* What viewers show of a slice beside its name and times. */
#ifndef ETSCOPE_OUTPUT_EXPORT_EXPORT_ARGUMENTS_H
#define ETSCOPE_OUTPUT_EXPORT_EXPORT_ARGUMENTS_H

#include "etscope/inspect.h"
#include "host/arena.h"

/* The columns of a row that are texts. */
enum ets_argument {
    ETS_ARGUMENT_OPERATOR,
    ETS_ARGUMENT_BACKEND,
    ETS_ARGUMENT_MODULE,
    ETS_ARGUMENT_SOURCE,
    ETS_ARGUMENT_NODE,
    ETS_ARGUMENT_LENGTH
};
enum { ETS_ARGUMENT_COUNT = 6 };

/* "operator", "backend", "module", "source", "node", "length" */
extern const char *const ets_argument_names[ETS_ARGUMENT_COUNT];

/* "aten::add.out", "XnnpackBackend", "layers.0", "model.py:31", a node's name in another runtime's
   model: of the row, or of its call if it stands for no node; "estimate", "cycles" where lengths
   are no measured times; absent where it is not known.
   `source` has room for that text. */
enum { ETS_SOURCE_ROOM = 512 };
struct ets_text ets_row_argument(const struct ets_inspection *inspection, const struct ets_row *row,
                                 enum ets_argument argument, char source[ETS_SOURCE_ROOM]);

/* The source line of a row, or of its call; NULL: not known. */
const struct ets_graph_frame *ets_row_frame(const struct ets_inspection *inspection,
                                            const struct ets_row *row);

/* "kernel", "delegate" (what a delegate reports), "delegate call" or "runtime". */
const char *ets_row_category(const struct ets_row *row);

#endif
