/* The selected captured tensors. */
#ifndef ETSCOPE_CLI_TENSORS_CAPTURED_H
#define ETSCOPE_CLI_TENSORS_CAPTURED_H

#include "cli/traces/filters.h"
#include "cli/traces/inspected.h"
#include "etscope/experimental/captured_values.h"
#include "etscope/inspect.h"

struct cli_captured {
    const struct cli_subject *subject;
    const struct ets_inspection *inspection;
    struct ets_captured_filter filter; /* points into `rows` */
    struct cli_filter rows;
    bool broken_only; /* of cli_captured_next: only tensors with NaN or infinite numbers */
    uint32_t count;   /* tensors with their bytes */
};

/*
 * Reads the selection: TENSOR (the event's number in the list, or the operator's name) and the
 * options. Reports an error if nothing matches. Returns an exit code.
 */
int cli_captured_choose(const struct cli_arguments *arguments, const struct cli_subject *subject,
                        const struct ets_inspection *inspection, struct cli_captured *captured);

/* Starts before the first selected tensor. */
void cli_captured_begin(const struct cli_captured *captured, struct ets_captured_values *values);

/* Starts before the first tensor of the trace, selected or not. */
void cli_captured_begin_all(const struct cli_captured *captured,
                            struct ets_captured_values *values);

/* The next tensor with its bytes; `captured` NULL: of all. False at the end. */
bool cli_captured_next(const struct cli_captured *captured, struct ets_captured_values *values,
                       struct ets_captured_value *value_out);

enum { CLI_CAPTURED_NAME_BYTES = 144 };

/* The name in files: "run1-event00014-addmm.out", followed by "-item2" for an element of a list. */
void cli_captured_name(const struct ets_inspection *inspection,
                       const struct ets_captured_value *value, char name[CLI_CAPTURED_NAME_BYTES]);

#endif
