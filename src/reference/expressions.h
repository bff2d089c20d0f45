/*
 * expressions.h - operators that are put together from kernels, views and copies, and what they
 * are written with. expression_table.c names them all.
 *
 *     static enum ets_status silu(struct reference_frame *frame, const struct reference_step *step)
 *     {
 *         const struct reference_value x = step->arguments[0];
 *         struct reference_value weight, result;
 *         ETS_TRY(APPLY(frame, LIKE(x), &weight, "aten.sigmoid.default", x));
 *         ETS_TRY(APPLY(frame, LIKE(x), &result, "aten.mul.Tensor", x, weight));
 *         return ets_reference_give(frame, step, 0, &result);
 *     }
 *
 * Arguments have the kinds that the schema wants: 't' is a tensor (or a number, where the graph has
 * one), 'i' an INT, 'f' a number, 'i[]' a LIST of INTs or, where the schema has "[2]", an INT. What
 * is optional may be NOTHING.
 */
#ifndef ETSCOPE_REFERENCE_EXPRESSIONS_H
#define ETSCOPE_REFERENCE_EXPRESSIONS_H

#include "base/error.h"
#include "host/arena.h"
#include "reference/node_call.h"
#include "reference/operators.h"

struct reference_frame;
struct reference_step;

/* An operator put together from others; or all that computes one. */
typedef enum ets_status reference_expression(struct reference_frame *frame,
                                             const struct reference_step *step);

/* The computing of one node. */
struct reference_frame {
    reference_expression *evaluate; /* any operator, for expressions that consist of others */
    const struct reference_calls *calls;
    const struct ets_graph_node *node;
    int record_type; /* of floating-point numbers in the record: where double cannot be */
    bool is_single;
    uint32_t depth;         /* of operators in operators */
    struct ets_arena arena; /* lists; goes with the frame */
    struct reference_temporary *temporaries;
    struct ets_error *error;
};

/* The computing of one operator. */
struct reference_step {
    const struct reference_operator *operator_;
    const struct reference_value *arguments; /* all of the schema's */
    const struct reference_shape *shapes;
    uint32_t output_count;
    struct reference_value *outputs; /* NOTHING at first */
};

/* Of an operator or, without its "_copy", of what it copies. NULL: none. */
reference_expression *ets_reference_expression_named(const char *name, bool use_double);

/* The kernel of an operator called (kernel_route.c). */
enum ets_status ets_reference_kernel_step(struct reference_frame *frame,
                                          const struct reference_step *step);

/* INVALID_ARGUMENT: what the kernel would not notice, and do harm with (kernel_checks.c). */
enum ets_status ets_reference_check_kernel(struct reference_frame *frame,
                                           const struct reference_step *step);

/* Computes another operator, whose results are borrowed until the node is done. */
enum ets_status ets_reference_apply(struct reference_frame *frame, const char *name,
                                    const struct reference_value *arguments,
                                    uint32_t argument_count, const struct reference_shape *shapes,
                                    uint32_t output_count, struct reference_value *results_out);

/* The same for an operator with one output, with the arguments that have no default or need it. */
#define APPLY(frame, shape, result, name, ...)                                                  \
    ets_reference_apply(                                                                        \
        (frame), (name), (const struct reference_value[]){__VA_ARGS__},                         \
        sizeof((const struct reference_value[]){__VA_ARGS__}) / sizeof(struct reference_value), \
        &(const struct reference_shape[]){shape}[0], 1, (result))

#define NUMBER(number) \
    ((struct reference_value){.kind = REFERENCE_DOUBLE, .as.double_value = (number)})
#define WHOLE(number) ((struct reference_value){.kind = REFERENCE_INT, .as.int_value = (number)})
#define TRUTH(number) ((struct reference_value){.kind = REFERENCE_BOOL, .as.int_value = (number)})
#define NOTHING ((struct reference_value){.kind = REFERENCE_NOTHING})

struct reference_shape ets_reference_shape_of(int scalar_type, uint32_t rank, const int64_t *sizes);
#define LIKE(value)                                                                         \
    ets_reference_shape_of((value).as.tensor.view.scalar_type, (value).as.tensor.view.rank, \
                           (value).as.tensor.view.sizes)
/* The shape of both together, of the first one's type. MISMATCH where there is none. */
enum ets_status ets_reference_broadcast(struct reference_frame *frame,
                                        const struct ets_tensor *left,
                                        const struct ets_tensor *right,
                                        struct reference_shape *shape_out);

/* A list of these ints, the frame's. NO_MEMORY. */
enum ets_status ets_reference_int_list(struct reference_frame *frame, const int64_t *ints,
                                       uint32_t count, struct reference_value *list_out);
/* An 'i[]' as `count` ints; one number stands for all. INVALID_ARGUMENT: another count. */
enum ets_status ets_reference_ints(struct reference_frame *frame,
                                   const struct reference_value *value, uint32_t count,
                                   int64_t *ints_out);
double ets_reference_number(const struct reference_value *value);

/* `dim`, counted from the end where negative, below `rank`; a scalar counts as a vector. */
enum ets_status ets_reference_dim(struct reference_frame *frame, int64_t dim, uint32_t rank,
                                  uint32_t *dim_out);

/* The argument, of which there must be a tensor. */
enum ets_status ets_reference_tensor(struct reference_frame *frame,
                                     const struct reference_step *step, uint32_t index,
                                     const struct ets_tensor **tensor_out);

/* Makes `value` output `index`, or takes it over where it was made for this. */
enum ets_status ets_reference_give(struct reference_frame *frame, const struct reference_step *step,
                                   uint32_t index, const struct reference_value *value);
/* The same for a new reference to `value`'s storage as `view` sees it. */
enum ets_status ets_reference_give_view(struct reference_frame *frame,
                                        const struct reference_step *step, uint32_t index,
                                        const struct reference_value *value,
                                        const struct ets_tensor *view);

/* Its elements lie inside of its bytes, and are so few that nothing overflows. */
bool ets_reference_is_sound(const struct ets_tensor *tensor);

/* The frame lets `value` go at its end. */
enum ets_status ets_reference_keep(struct reference_frame *frame, struct reference_value *value);

void ets_reference_drop_temporaries(struct reference_frame *frame);

/* Row-major of `scalar_type`: `value` itself where it is that already, else a copy, kept. */
enum ets_status ets_reference_dense(struct reference_frame *frame,
                                    const struct reference_value *value, int scalar_type,
                                    struct reference_value *dense_out);

/* The type that numbers of the record's `scalar_type` are computed in. */
int ets_reference_type(const struct reference_frame *frame, int scalar_type);

enum ets_status ets_reference_fail(struct reference_frame *frame, enum ets_status status,
                                   const char *format, ...) ETS_PRINTF(3, 4);

#endif
