/* Which input of a method takes tokens, which the position, and which output has the logits. */
#include "generate/token_method.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"

enum { SHAPE_CHARS = 80, MOST_TOKENS = 1 << 24 };

void ets_token_copy_name(struct ets_text name, char out[ETS_TOKEN_NAME])
{
    ets_print_text(out, ETS_TOKEN_NAME, "%.*s", ETS_TEXT(name));
}

static bool is_integer(const struct ets_tensor *tensor)
{
    return tensor->scalar_type == ETS_SCALAR_LONG || tensor->scalar_type == ETS_SCALAR_INT;
}

static bool is_real(const struct ets_tensor *tensor)
{
    const int type = tensor->scalar_type;
    return type == ETS_SCALAR_FLOAT || type == ETS_SCALAR_HALF || type == ETS_SCALAR_BFLOAT16 ||
           type == ETS_SCALAR_DOUBLE;
}

/* "float32 [1, 63]" */
static void describe_value(const struct ets_evalue *value, char text[SHAPE_CHARS])
{
    if (value->kind != ETS_EVALUE_TENSOR) {
        ets_print_text(text, SHAPE_CHARS, "%s",
                       value->kind == ETS_EVALUE_INT      ? "an int"
                       : value->kind == ETS_EVALUE_BOOL   ? "a bool"
                       : value->kind == ETS_EVALUE_DOUBLE ? "a float"
                                                          : "no tensor");
        return;
    }
    const struct ets_tensor *tensor = &value->tensor.tensor;
    const char *type = ets_scalar_type_name(tensor->scalar_type);
    size_t used = ets_print_text(text, SHAPE_CHARS, "%s [", type == NULL ? "?" : type);
    for (uint32_t i = 0; i < tensor->rank; i++) {
        used += ets_print_text(text + used, SHAPE_CHARS - used, "%s%lld", i > 0 ? ", " : "",
                               (long long)tensor->sizes[i]);
    }
    ets_print_text(text + used, SHAPE_CHARS - used, "]");
}

static bool is_fed(const struct ets_method *method, const struct ets_token_choice *choice,
                   uint32_t input)
{
    for (uint32_t i = 0; i < choice->feed_count; i++) {
        const struct ets_token_feed *feed = &choice->feeds[i];
        if (feed->input == input && ets_text_is(method->name, feed->to)) return true;
    }
    return false;
}

/* A tensor of integers whose elements are in its last dimension alone. */
static bool is_row(const struct ets_evalue *value)
{
    if (value->kind != ETS_EVALUE_TENSOR || !is_integer(&value->tensor.tensor)) return false;
    const struct ets_tensor *tensor = &value->tensor.tensor;
    if (tensor->rank > 2) return false;
    return tensor->rank < 2 || tensor->sizes[0] == 1;
}

static uint32_t row_length(const struct ets_tensor *tensor)
{
    return tensor->rank == 0 ? 1 : (uint32_t)tensor->sizes[tensor->rank - 1];
}

/* Whether an input may be tokens at all, however it is called. */
static bool has_integers(const struct ets_method *method)
{
    for (uint32_t i = 0; i < method->input_count; i++) {
        struct ets_evalue value;
        ets_method_input(method, i, &value);
        if (value.kind == ETS_EVALUE_TENSOR && is_integer(&value.tensor.tensor)) return true;
    }
    return false;
}

/* The tokens: the one [1, N] of integers, or else the only integers. */
static enum ets_status find_tokens(const struct ets_method *method,
                                   const struct ets_token_choice *choice, uint32_t *index_out,
                                   struct ets_error *error)
{
    uint32_t pairs = 0, rows = 0, pair = 0, row = 0;
    for (uint32_t i = 0; i < method->input_count; i++) {
        struct ets_evalue value;
        ets_method_input(method, i, &value);
        if (i == choice->position || is_fed(method, choice, i) || !is_row(&value)) continue;
        if (value.tensor.tensor.rank == 0) continue;
        rows++;
        row = i;
        if (value.tensor.tensor.rank != 2) continue;
        pairs++;
        pair = i;
    }
    *index_out = pairs == 1 ? pair : row;
    if (pairs == 1 || (pairs == 0 && rows == 1)) return ETS_OK;
    if (rows == 0) {
        return ets_fail_advising(
            error, has_integers(method) ? ETS_ADVICE_TOKENS : ETS_ADVICE_MEASURE, ETS_UNSUPPORTED,
            ETS_NO_OFFSET,
            "no input of %.*s takes tokens: looked for int64 or int32 [1, N] among its %u input%s",
            ETS_TEXT(method->name), method->input_count, method->input_count == 1 ? "" : "s");
    }
    return ets_fail_advising(error, ETS_ADVICE_TOKENS, ETS_AMBIGUOUS, ETS_NO_OFFSET,
                             "%u inputs of %.*s may be the tokens", pairs > 0 ? pairs : rows,
                             ETS_TEXT(method->name));
}

static enum ets_status take_tokens(const struct ets_method *method, struct ets_token_method *out,
                                   struct ets_error *error)
{
    struct ets_evalue value;
    char shape[SHAPE_CHARS];
    ets_method_input(method, out->tokens, &value);
    if (!is_row(&value) || value.tensor.tensor.rank == 0) {
        describe_value(&value, shape);
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "input %u of %.*s cannot be tokens: it is %s, not int64 or int32 [1, N]",
                        out->tokens, ETS_TEXT(method->name), shape);
    }
    out->token_shape = value.tensor.tensor;
    out->width = row_length(&out->token_shape);
    out->is_dynamic = value.tensor.dynamism != ETS_SHAPE_STATIC;
    if (out->width > 0 && out->width <= MOST_TOKENS) return ETS_OK;
    return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET, "%.*s takes %u tokens at once",
                    ETS_TEXT(method->name), out->width);
}

static enum ets_status take_position(const struct ets_method *method, struct ets_token_method *out,
                                     struct ets_error *error)
{
    struct ets_evalue value;
    char shape[SHAPE_CHARS];
    if (out->position == ETS_TOKEN_NONE) return ETS_OK;
    ets_method_input(method, out->position, &value);
    const uint32_t length = is_row(&value) ? row_length(&value.tensor.tensor) : 0;
    if (length == 1 || length == out->width) {
        out->position_shape = value.tensor.tensor;
        out->position_kind = length == 1 ? ETS_POSITION_FIRST : ETS_POSITION_EACH;
        return ETS_OK;
    }
    describe_value(&value, shape);
    return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                    "input %u of %.*s cannot be the position: it is %s, not int64 or int32 [1] or "
                    "[%u]",
                    out->position, ETS_TEXT(method->name), shape, out->width);
}

/* The position, and that no other input is left. */
static enum ets_status find_position(const struct ets_method *method,
                                     const struct ets_token_choice *choice,
                                     struct ets_token_method *out, struct ets_error *error)
{
    for (uint32_t i = 0; i < method->input_count; i++) {
        struct ets_evalue value;
        char shape[SHAPE_CHARS];
        if (i == out->tokens || i == out->position || is_fed(method, choice, i)) continue;
        ets_method_input(method, i, &value);
        const uint32_t length = is_row(&value) ? row_length(&value.tensor.tensor) : 0;
        const bool fits = value.tensor.tensor.rank < 2 && (length == 1 || length == out->width);
        if (out->position == ETS_TOKEN_NONE && length > 0 && fits) {
            out->position = i;
            continue;
        }
        describe_value(&value, shape);
        return ets_fail_advising(error, ETS_ADVICE_TOKENS, ETS_UNSUPPORTED, ETS_NO_OFFSET,
                                 "input %u of %.*s, %s, is not known: looked for tokens [1, N] and "
                                 "a position [1] or [N]",
                                 i, ETS_TEXT(method->name), shape);
    }
    return take_position(method, out, error);
}

/* Whether a tensor can be the logits of `width` tokens or of the last one. */
static bool has_logits(const struct ets_evalue *value, uint32_t vocabulary, uint32_t width,
                       bool *gives_all_out)
{
    if (value->kind != ETS_EVALUE_TENSOR || !is_real(&value->tensor.tensor)) return false;
    const struct ets_tensor *tensor = &value->tensor.tensor;
    if (tensor->rank == 0 || tensor->rank > 3) return false;
    const int64_t last = tensor->sizes[tensor->rank - 1];
    if (last < 2 || last > MOST_TOKENS) return false;
    if (vocabulary != ETS_TOKEN_NONE && last != vocabulary) return false;
    int64_t rows = 1;
    for (uint32_t i = 0; i + 1 < tensor->rank; i++) rows *= tensor->sizes[i];
    *gives_all_out = rows == width && (width > 1 || tensor->rank == 3);
    return rows == 1 || rows == width;
}

static enum ets_status find_logits(const struct ets_method *method,
                                   const struct ets_token_choice *choice, uint32_t vocabulary,
                                   struct ets_token_method *out, struct ets_error *error)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < method->output_count; i++) {
        struct ets_evalue value;
        bool gives_all;
        if (choice->logits != ETS_TOKEN_NONE && choice->logits != i) continue;
        ets_method_output(method, i, &value);
        if (!has_logits(&value, vocabulary, out->width, &gives_all)) continue;
        count++;
        out->logits = i;
        out->gives_all = gives_all;
        out->vocabulary = (uint32_t)value.tensor.tensor.sizes[value.tensor.tensor.rank - 1];
    }
    if (count == 1) return ETS_OK;
    if (count > 1) {
        return ets_fail_advising(error, ETS_ADVICE_TOKENS, ETS_AMBIGUOUS, ETS_NO_OFFSET,
                                 "%u outputs of %.*s may be the logits", count,
                                 ETS_TEXT(method->name));
    }
    char size[24] = "V";
    if (vocabulary != ETS_TOKEN_NONE) ets_print_text(size, sizeof size, "%u", vocabulary);
    return ets_fail(error, ETS_UNSUPPORTED, ETS_NO_OFFSET,
                    "no output of %.*s has logits: looked for float32, float16 or bfloat16 [1, %s] "
                    "or [1, N, %s] among its %u output%s",
                    ETS_TEXT(method->name), size, size, method->output_count,
                    method->output_count == 1 ? "" : "s");
}

/* An input or output that the user named must exist. */
static enum ets_status check_choice(const struct ets_method *method,
                                    const struct ets_token_choice *choice, struct ets_error *error)
{
    const struct {
        uint32_t index, count;
        const char *what;
    } named[] = {{choice->tokens, method->input_count, "input"},
                 {choice->position, method->input_count, "input"},
                 {choice->logits, method->output_count, "output"}};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        if (named[i].index == ETS_TOKEN_NONE || named[i].index < named[i].count) continue;
        return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET, "%.*s has no %s %u: it has %u",
                        ETS_TEXT(method->name), named[i].what, named[i].index, named[i].count);
    }
    if (choice->tokens == ETS_TOKEN_NONE || choice->tokens != choice->position) return ETS_OK;
    return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                    "input %u cannot be both the tokens and the position", choice->tokens);
}

enum ets_status ets_token_method_read(const struct ets_method *method,
                                      const struct ets_token_choice *choice, uint32_t vocabulary,
                                      struct ets_token_method *out, struct ets_error *error)
{
    memset(out, 0, sizeof *out);
    out->method = *method;
    out->tokens = choice->tokens;
    out->position = choice->position;
    ets_token_copy_name(method->name, out->name);
    ETS_TRY(check_choice(method, choice, error));
    if (out->tokens == ETS_TOKEN_NONE) ETS_TRY(find_tokens(method, choice, &out->tokens, error));
    ETS_TRY(take_tokens(method, out, error));
    ETS_TRY(find_position(method, choice, out, error));
    return find_logits(method, choice, vocabulary, out, error);
}
