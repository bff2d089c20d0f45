/*
 * expressions.h - for operators that are composed of kernels, views and copies: the functions to
 * write them with. expression_table.c lists them all.
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
 * Arguments have the kinds of the schema: 't' is a tensor (or a number, if the graph has one), 'i'
 * an INT, 'f' a number, 'i[]' a LIST of INTs or, if the schema has "[2]", an INT. Optional
 * arguments may be NOTHING.
 */
#ifndef ETSCOPE_REFERENCE_EXPRESSIONS_H
#define ETSCOPE_REFERENCE_EXPRESSIONS_H

#include "base/error.h"
#include "host/arena.h"
#include "reference/node_call.h"
#include "reference/operators.h"

struct reference_frame;
struct reference_step;

/* Computes an operator from other operators; or computes any operator. */
typedef enum ets_status reference_expression(struct reference_frame *frame,
                                             const struct reference_step *step);

/* The computation of one node. */
struct reference_frame {
    reference_expression *evaluate; /* computes any operator, for expressions that use others */
    const struct reference_calls *calls;
    const struct ets_graph_node *node;
    int record_type; /* floating-point type of the record, used where double is not possible */
    bool is_single;
    uint32_t depth;         /* of nested operators */
    struct ets_arena arena; /* for lists; freed with the frame */
    struct reference_temporary *temporaries;
    struct ets_error *error;
};

/* The computation of one operator. */
struct reference_step {
    const struct reference_operator *operator_;
    const struct reference_value *arguments; /* all of the schema's */
    const struct reference_shape *shapes;
    uint32_t output_count;
    struct reference_value *outputs; /* NOTHING at first */
};

/* The expression of an operator, or of its name without "_copy". NULL: none. */
reference_expression *ets_reference_expression_named(const char *name, bool use_double);

/* Whether a value has the kind of a parameter. */
bool ets_reference_value_fits(const struct reference_parameter *parameter,
                              const struct reference_value *value);

/* Calls the kernel of an operator (kernel_route.c). */
enum ets_status ets_reference_kernel_step(struct reference_frame *frame,
                                          const struct reference_step *step);

/* INVALID_ARGUMENT: arguments that the kernel would not check, with bad effects (kernel_checks.c).
 */
enum ets_status ets_reference_check_kernel(struct reference_frame *frame,
                                           const struct reference_step *step);

/* Computes another operator. Its results are borrowed until the node is done. */
enum ets_status ets_reference_apply(struct reference_frame *frame, const char *name,
                                    const struct reference_value *arguments,
                                    uint32_t argument_count, const struct reference_shape *shapes,
                                    uint32_t output_count, struct reference_value *results_out);

/* The same for an operator with one output. Pass arguments up to the last one without default. */
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
/* The broadcast shape of both, with the type of the first. MISMATCH if there is none. */
enum ets_status ets_reference_broadcast(struct reference_frame *frame,
                                        const struct ets_tensor *left,
                                        const struct ets_tensor *right,
                                        struct reference_shape *shape_out);

/* Makes a list of these ints, owned by the frame. NO_MEMORY. */
enum ets_status ets_reference_int_list(struct reference_frame *frame, const int64_t *ints,
                                       uint32_t count, struct reference_value *list_out);
/* Reads an 'i[]' as `count` ints; a single number is repeated. INVALID_ARGUMENT: another count. */
enum ets_status ets_reference_ints(struct reference_frame *frame,
                                   const struct reference_value *value, uint32_t count,
                                   int64_t *ints_out);
double ets_reference_number(const struct reference_value *value);

/* Normalizes `dim`, which counts from the end if negative, to 0..rank - 1; a scalar has rank 1. */
enum ets_status ets_reference_dim(struct reference_frame *frame, int64_t dim, uint32_t rank,
                                  uint32_t *dim_out);

/* The argument, which must be a tensor. */
enum ets_status ets_reference_tensor(struct reference_frame *frame,
                                     const struct reference_step *step, uint32_t index,
                                     const struct ets_tensor **tensor_out);

/* The argument, which must be a tensor that may be written: not a borrowed one. */
enum ets_status ets_reference_written(struct reference_frame *frame,
                                      const struct reference_step *step, uint32_t index,
                                      struct ets_tensor *tensor_out);

/* Makes `value` output `index`, or moves it there if it was made for it. */
enum ets_status ets_reference_give(struct reference_frame *frame, const struct reference_step *step,
                                   uint32_t index, const struct reference_value *value);
/* The same for a new view of `value`'s storage, described by `view`. */
enum ets_status ets_reference_give_view(struct reference_frame *frame,
                                        const struct reference_step *step, uint32_t index,
                                        const struct reference_value *value,
                                        const struct ets_tensor *view);

/* Whether its elements are inside its bytes, and their number cannot overflow. */
bool ets_reference_is_sound(const struct ets_tensor *tensor);

/* Makes the frame drop `value` at its end. */
enum ets_status ets_reference_keep(struct reference_frame *frame, struct reference_value *value);

void ets_reference_drop_temporaries(struct reference_frame *frame);

/* Row-major with `scalar_type`: `value` itself if it is already, else a copy kept by the frame. */
enum ets_status ets_reference_dense(struct reference_frame *frame,
                                    const struct reference_value *value, int scalar_type,
                                    struct reference_value *dense_out);

/* The type in which numbers of the record's `scalar_type` are computed. */
int ets_reference_type(const struct reference_frame *frame, int scalar_type);

enum ets_status ets_reference_fail(struct reference_frame *frame, enum ets_status status,
                                   const char *format, ...) ETS_PRINTF(3, 4);

#endif
