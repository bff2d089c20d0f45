/*
 * operators.h - the known operators: names as in graphs, without prefixes such as "torch.ops.", and
 * schemas as text:
 *
 *     {"aten.full.default", "aten::full.out", "i[] size;S fill_value;-D? dtype=;-L? layout=", "t"}
 *
 * Types: t Tensor, S Scalar, i int or SymInt, f float, b bool, s str, D ScalarType, M MemoryFormat,
 * L Layout, V Device, G Generator; "[]" a list, "[2]" a list that may be a single number, "?"
 * optional (before "[]": its items), "!" one that the operator writes. "-": not an argument of the
 * kernel. The default follows "=": nothing for None, 0 and 1 for bools, "1/100" for 0.01.
 */
#ifndef ETSCOPE_REFERENCE_OPERATORS_H
#define ETSCOPE_REFERENCE_OPERATORS_H

#include <stdbool.h>

#include "etscope/base.h"
#include "reference/reference_value.h"

#define REFERENCE_MAX_ARGUMENTS 16

struct reference_operator {
    const char *name;
    const char *kernel; /* NULL: no kernel for these arguments */
    const char *schema;
    const char *returns; /* "t", "t t", "t[]", "i", "" */
};

extern const struct reference_operator ets_reference_operators[]; /* by name */
extern const uint32_t ets_reference_operator_count;

/* NULL: unknown. */
const struct reference_operator *ets_reference_operator_named(struct ets_text name);

/* The name after "torch.ops." or an edge dialect's prefix: "aten.add.Tensor", "_operator.add". */
struct ets_text ets_reference_operator_name(struct ets_text target);

/*
 * The name without a suffix, in `room`: "aten.relu.default" for "aten.relu_.default" with suffix
 * "_" (in place), "aten.view.default" for "aten.view_copy.default" with "_copy". Absent if the name
 * has no such suffix, or does not fit.
 */
struct ets_text ets_reference_name_without(struct ets_text name, const char *suffix,
                                           char room[128]);

struct reference_parameter {
    struct ets_text name;
    char letter;         /* 't' ... 'G' */
    bool for_kernel;     /* not marked "-" */
    bool is_list;        /* [] or [N] */
    bool is_expandable;  /* [N]: a number is repeated N times */
    bool is_optional;    /* of a list: the list */
    bool items_optional; /* t?[] */
    bool is_written;     /* t! */
    uint32_t list_count; /* N */
    bool has_default;
    struct ets_text default_text;
};

/* Takes the next parameter from `*schema`; false at its end. */
bool ets_reference_next_parameter(const char **schema, struct reference_parameter *parameter_out);

/* The default value. For a list: NOTHING if the text is empty, else an empty list. */
struct reference_value ets_reference_default(const struct reference_parameter *parameter);

#endif
