/* Numbers: sizes, items, Python's operators on them; and assertions, which have no result. */
#include <math.h>
#include <string.h>

#include "base/load.h"
#include "etscope/numerics.h"
#include "numerics/element.h"
#include "reference/expression_list.h"

enum ets_status ets_reference_assertion(struct reference_frame *frame,
                                        const struct reference_step *step)
{
    if (step->output_count == 0) return ETS_OK;
    return ets_reference_fail(frame, ETS_MISMATCH, "an assertion has no result");
}

static enum ets_status give_number(struct reference_frame *frame, const struct reference_step *step,
                                   struct reference_value number)
{
    return ets_reference_give(frame, step, 0, &number);
}

enum ets_status ets_reference_sym_size(struct reference_frame *frame,
                                       const struct reference_step *step)
{
    const struct ets_tensor *self;
    uint32_t dim;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    ETS_TRY(ets_reference_dim(frame, step->arguments[1].as.int_value, self->rank, &dim));
    if (self->rank == 0)
        return ets_reference_fail(frame, ETS_INVALID_ARGUMENT, "it has no dimension");
    return give_number(frame, step, WHOLE(self->sizes[dim]));
}

enum ets_status ets_reference_sym_numel(struct reference_frame *frame,
                                        const struct reference_step *step)
{
    const struct ets_tensor *self;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    return give_number(frame, step, WHOLE((int64_t)ets_tensor_count(self)));
}

enum ets_status ets_reference_item(struct reference_frame *frame, const struct reference_step *step)
{
    const struct ets_tensor *self;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    if (ets_tensor_count(self) != 1 || ets_scalar_component_count(self->scalar_type) != 1) {
        return ets_reference_fail(frame, ETS_INVALID_ARGUMENT, "it is not a single number");
    }
    const int type = self->scalar_type;
    if (ets_reference_is_floating(type)) {
        return give_number(frame, step, NUMBER(ets_element_load(self->data, type, 0)));
    }
    uint8_t bytes[sizeof(int64_t)] = {0}; /* int64 is not exact as a double */
    struct ets_tensor from = *self;
    from.rank = 0;
    struct ets_tensor to = {
        .scalar_type = ETS_SCALAR_LONG, .data = bytes, .data_bytes = sizeof bytes};
    ETS_TRY(ets_reference_tensor_copy(&from, &to, frame->error));
    const int64_t whole = (int64_t)ets_load_u64(bytes);
    return give_number(frame, step, type == ETS_SCALAR_BOOL ? TRUTH(whole) : WHOLE(whole));
}

static int64_t floor_division(int64_t a, int64_t b)
{
    const int64_t quotient = a / b;
    return quotient - (a % b != 0 && (a < 0) != (b < 0));
}

/* The remainder of floor division, with b's sign. */
static int64_t remainder_of(int64_t a, int64_t b)
{
    const int64_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/* Python's operator on two integers; false if the result is not an int64. */
static bool whole_arithmetic(const char *name, int64_t a, int64_t b, int64_t *out)
{
    const bool divides = b != 0 && !(a == INT64_MIN && b == -1);
    if (strcmp(name, "add") == 0) return !__builtin_add_overflow(a, b, out);
    if (strcmp(name, "sub") == 0) return !__builtin_sub_overflow(a, b, out);
    if (strcmp(name, "mul") == 0) return !__builtin_mul_overflow(a, b, out);
    if (strcmp(name, "floordiv") == 0) return divides && (*out = floor_division(a, b), true);
    if (strcmp(name, "mod") == 0) return divides && (*out = remainder_of(a, b), true);
    if (strcmp(name, "sym_max") == 0) return *out = a > b ? a : b, true;
    if (strcmp(name, "sym_min") == 0) return *out = a < b ? a : b, true;
    if (strcmp(name, "and_") == 0) return *out = a & b, true;
    if (strcmp(name, "or_") == 0) return *out = a | b, true;
    if (strcmp(name, "xor") == 0) return *out = a ^ b, true;
    if (strcmp(name, "lshift") == 0 && b >= 0 && b < 62) {
        return !__builtin_mul_overflow(a, INT64_C(1) << b, out);
    }
    if (strcmp(name, "rshift") == 0 && b >= 0 && b < 63) return *out = a >> b, true;
    return false;
}

static bool real_arithmetic(const char *name, double a, double b, double *out)
{
    if (strcmp(name, "add") == 0) return *out = a + b, true;
    if (strcmp(name, "sub") == 0) return *out = a - b, true;
    if (strcmp(name, "mul") == 0) return *out = a * b, true;
    if (strcmp(name, "truediv") == 0 && b != 0) return *out = a / b, true;
    if (strcmp(name, "floordiv") == 0 && b != 0) return *out = floor(a / b), true;
    if (strcmp(name, "mod") == 0 && b != 0) return *out = a - b * floor(a / b), true;
    if (strcmp(name, "pow") == 0) return *out = pow(a, b), true;
    if (strcmp(name, "sym_max") == 0) return *out = a > b ? a : b, true;
    if (strcmp(name, "sym_min") == 0) return *out = a < b ? a : b, true;
    return false;
}

/* 0 or 1; -1 if `name` is not a comparison. `order`: -1, 0, 1; 2 with a NaN. */
static int compare(const char *name, int order)
{
    if (strcmp(name, "eq") == 0) return order == 0;
    if (strcmp(name, "ne") == 0) return order != 0;
    if (strcmp(name, "lt") == 0) return order == -1;
    if (strcmp(name, "le") == 0) return order == -1 || order == 0;
    if (strcmp(name, "gt") == 0) return order == 1;
    if (strcmp(name, "ge") == 0) return order == 1 || order == 0;
    return -1;
}

static int order_of(const struct reference_value *a, const struct reference_value *b)
{
    if (a->kind != REFERENCE_DOUBLE && b->kind != REFERENCE_DOUBLE) {
        return (a->as.int_value > b->as.int_value) - (a->as.int_value < b->as.int_value);
    }
    const double left = ets_reference_number(a), right = ets_reference_number(b);
    if (!(left == left) || !(right == right)) return 2;
    return (left > right) - (left < right);
}

/* "_operator.add" and similar on two numbers. */
enum ets_status ets_reference_binary(struct reference_frame *frame,
                                     const struct reference_step *step)
{
    const char *name = strchr(step->operator_->name, '.') + 1;
    const struct reference_value *a = &step->arguments[0], *b = &step->arguments[1];
    const int truth = compare(name, order_of(a, b));
    if (truth >= 0) return give_number(frame, step, TRUTH(truth));
    const bool is_whole = a->kind != REFERENCE_DOUBLE && b->kind != REFERENCE_DOUBLE;
    int64_t whole;
    double real;
    if (is_whole && whole_arithmetic(name, a->as.int_value, b->as.int_value, &whole)) {
        const bool is_bool = a->kind == REFERENCE_BOOL && b->kind == REFERENCE_BOOL &&
                             strchr("aox", name[0]) != NULL && strcmp(name, "add") != 0;
        return give_number(frame, step, is_bool ? TRUTH(whole) : WHOLE(whole));
    }
    if (!real_arithmetic(name, ets_reference_number(a), ets_reference_number(b), &real)) {
        return ets_reference_fail(frame, ETS_INVALID_ARGUMENT, "it has no result");
    }
    if (is_whole && strcmp(name, "pow") == 0 && fabs(real) < 9e15) {
        return give_number(frame, step, WHOLE((int64_t)real));
    }
    if (is_whole && strcmp(name, "truediv") != 0) {
        return ets_reference_fail(frame, ETS_LIMIT, "its result is not a 64-bit number");
    }
    return give_number(frame, step, NUMBER(real));
}

enum ets_status ets_reference_unary(struct reference_frame *frame,
                                    const struct reference_step *step)
{
    const char *name = strchr(step->operator_->name, '.') + 1;
    const struct reference_value *a = &step->arguments[0];
    const double real = ets_reference_number(a);
    const bool is_whole = a->kind != REFERENCE_DOUBLE;
    const int64_t whole = is_whole ? a->as.int_value : 0;
    if (strcmp(name, "not_") == 0 || strcmp(name, "sym_not") == 0) {
        return give_number(frame, step, TRUTH(real == 0));
    }
    if (strcmp(name, "sym_float") == 0) return give_number(frame, step, NUMBER(real));
    if (strcmp(name, "sqrt") == 0) return give_number(frame, step, NUMBER(sqrt(real)));
    const bool is_negated = strcmp(name, "neg") == 0 || (strcmp(name, "abs") == 0 && real < 0);
    if (is_negated && is_whole) {
        if (whole == INT64_MIN) return ets_reference_fail(frame, ETS_LIMIT, "it has no result");
        return give_number(frame, step, WHOLE(-whole));
    }
    if (is_whole) return give_number(frame, step, WHOLE(whole));
    if (strcmp(name, "neg") == 0 || strcmp(name, "abs") == 0 || strcmp(name, "pos") == 0) {
        return give_number(frame, step, NUMBER(is_negated ? -real : real));
    }
    const double rounded = strcmp(name, "ceil") == 0    ? ceil(real)
                           : strcmp(name, "floor") == 0 ? floor(real)
                                                        : trunc(real); /* trunc, sym_int */
    if (!(fabs(rounded) < 9.2e18)) {
        return ets_reference_fail(frame, ETS_LIMIT, "its result is not a 64-bit number");
    }
    return give_number(frame, step, WHOLE((int64_t)rounded));
}
