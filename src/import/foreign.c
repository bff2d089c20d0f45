/* Collects slices, texts and shapes of a profile, and what is left out of it. */
#include "import/foreign.h"

enum ets_status ets_foreign_add(struct ets_foreign *f, const struct ets_slice *slice,
                                struct ets_error *error)
{
    if (f->slice_count >= ETS_FOREIGN_MOST_SLICES) {
        return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET, "the profile has more than %d events",
                        ETS_FOREIGN_MOST_SLICES);
    }
    struct ets_slice *slices =
        ets_arena_grow(&f->arena, f->slices, f->slice_count, &f->slice_room, sizeof *slices);
    if (slices == NULL) return ets_fail_foreign(error);
    f->slices = slices;
    slices[f->slice_count++] = *slice;
    return ETS_OK;
}

enum ets_status ets_foreign_text(struct ets_foreign *f, struct ets_text text, uint32_t *number_out,
                                 struct ets_error *error)
{
    *number_out = ETS_STRING_NONE;
    if (text.data == NULL || text.size == 0) return ETS_OK;
    *number_out = ets_strings_add(&f->texts, text);
    return *number_out == UINT32_MAX ? ets_fail_foreign(error) : ETS_OK;
}

enum ets_status ets_foreign_shape(struct ets_foreign *f, struct ets_slice *slice, int scalar_type,
                                  const int64_t *sizes, uint32_t rank, struct ets_error *error)
{
    int64_t elements = 1;
    for (uint32_t i = 0; i < rank && elements >= 0; i++) {
        const bool is_too_large = sizes[i] < 0 || (sizes[i] > 0 && elements > INT64_MAX / sizes[i]);
        elements = is_too_large ? -1 : elements * sizes[i];
    }
    if (scalar_type < 0 || rank > ETS_TENSOR_MAX_RANK || elements < 0) {
        ets_foreign_leave_out(f, "shapes of tensors that ExecuTorch has no type or rank for");
        return ETS_OK;
    }
    struct ets_foreign_shape *shapes =
        ets_arena_grow(&f->arena, f->shapes, f->shape_count, &f->shape_room, sizeof *shapes);
    if (shapes == NULL) return ets_fail_foreign(error);
    f->shapes = shapes;
    if (slice->tensor_count == 0) slice->first_tensor = f->shape_count;
    slice->tensor_count++;
    shapes[f->shape_count++] =
        (struct ets_foreign_shape){(uint8_t)scalar_type, (uint8_t)rank, f->size_count};
    for (uint32_t i = 0; i < rank; i++) {
        int64_t *all =
            ets_arena_grow(&f->arena, f->sizes, f->size_count, &f->size_room, sizeof *all);
        if (all == NULL) return ets_fail_foreign(error);
        f->sizes = all;
        all[f->size_count++] = sizes[i];
    }
    return ETS_OK;
}

void ets_foreign_leave_out(struct ets_foreign *f, const char *what)
{
    for (uint32_t i = 0; i < f->left_out_count; i++) {
        if (strcmp(f->left_out[i].what, what) != 0) continue;
        f->left_out[i].count++;
        return;
    }
    if (f->left_out_count == ETS_LEFT_OUT_KINDS) return;
    f->left_out[f->left_out_count++] = (struct ets_left_out){what, 1};
}

void ets_foreign_append(struct ets_foreign *f, uint32_t *first, uint32_t *last, uint32_t child)
{
    if (*last == ETS_NO_SLICE) *first = child;
    else f->slices[*last].next_sibling = child;
    *last = child;
}

/* Reads digits at `*at`; those behind the first 19 that count only move the exponent. */
static bool read_digits(struct ets_text number, size_t *at, uint64_t *value, int *dropped)
{
    const size_t start = *at;
    for (; *at < number.size && number.data[*at] >= '0' && number.data[*at] <= '9'; ++*at) {
        if (*value > UINT64_MAX / 10 - 1) ++*dropped;
        else *value = *value * 10 + (unsigned)(number.data[*at] - '0');
    }
    return *at > start;
}

/* The exponent behind "e", at most 9,999 either way. */
static bool read_exponent(struct ets_text number, size_t *at, int *exponent)
{
    if (*at == number.size || (number.data[*at] | 0x20) != 'e') return true;
    ++*at;
    const bool is_negative = *at < number.size && number.data[*at] == '-';
    if (*at < number.size && (number.data[*at] == '-' || number.data[*at] == '+')) ++*at;
    uint64_t value = 0;
    int dropped = 0;
    if (!read_digits(number, at, &value, &dropped) || dropped > 0 || value > 9999) return false;
    *exponent += is_negative ? -(int)value : (int)value;
    return true;
}

bool ets_decimal_ns(struct ets_text number, int digits, int64_t *ns_out)
{
    size_t at = number.size > 0 && number.data[0] == '-' ? 1 : 0;
    uint64_t value = 0;
    int exponent = digits, dropped = 0, fraction_dropped = 0;
    if (!read_digits(number, &at, &value, &dropped)) return false;
    exponent += dropped;
    if (at < number.size && number.data[at] == '.') {
        const size_t start = ++at;
        if (!read_digits(number, &at, &value, &fraction_dropped)) return false;
        exponent -= (int)(at - start < 2000 ? at - start : 2000) - fraction_dropped;
    }
    if (!read_exponent(number, &at, &exponent) || at != number.size) return false;
    for (; exponent > 0 && value != 0; exponent--) {
        if (value > UINT64_MAX / 10) return false;
        value *= 10;
    }
    unsigned last = 0;
    for (; exponent < 0 && value != 0; exponent++) {
        last = (unsigned)(value % 10);
        value /= 10;
    }
    value += last >= 5;
    if (value > (uint64_t)1 << 62) return false;
    *ns_out = number.data[0] == '-' ? -(int64_t)value : (int64_t)value;
    return true;
}

enum ets_status ets_foreign_tokens(struct ets_foreign *f, enum ets_run_stage stage, uint32_t tokens,
                                   uint64_t position, struct ets_error *error)
{
    struct ets_foreign_tokens *list =
        ets_arena_grow(&f->arena, f->tokens, f->token_count, &f->token_room, sizeof *list);
    if (list == NULL) return ets_fail_foreign(error);
    f->tokens = list;
    list[f->token_count++] = (struct ets_foreign_tokens){f->slice_count, stage, tokens, position};
    return ETS_OK;
}

const struct ets_foreign_tokens *ets_foreign_tokens_of(const struct ets_foreign *f, uint32_t slice)
{
    uint32_t low = 0, high = f->token_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (f->tokens[middle].slice == slice) return &f->tokens[middle];
        if (f->tokens[middle].slice < slice) low = middle + 1;
        else high = middle;
    }
    return NULL;
}
