/* A recursive-descent parser for sympy's infix expressions, with 64-bit fractions. */
#include "record/size_expression.h"

#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

struct fraction {
    int64_t numerator, denominator; /* lowest terms, denominator > 0 */
};

enum { MAX_DEPTH = 64, MAX_ARGUMENTS = 16 };

struct reader {
    const struct ets_size_symbols *symbols;
    const char *at, *end;
    unsigned depth;
    enum ets_status status; /* the first failure; parsing stops there */
};

static const struct fraction ZERO = {0, 1};

static struct fraction fail(struct reader *reader, enum ets_status status)
{
    if (reader->status == ETS_OK) reader->status = status;
    reader->at = reader->end;
    return ZERO;
}

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

static struct fraction make(struct reader *reader, int64_t numerator, int64_t denominator)
{
    if (denominator == 0) return fail(reader, ETS_MALFORMED);
    if (numerator == INT64_MIN || denominator == INT64_MIN) return fail(reader, ETS_LIMIT);
    uint64_t left = magnitude(numerator), right = magnitude(denominator);
    while (right != 0) {
        const uint64_t rest = left % right;
        left = right;
        right = rest;
    }
    const int64_t divisor = denominator < 0 ? -(int64_t)left : (int64_t)left;
    return (struct fraction){numerator / divisor, denominator / divisor};
}

static int64_t multiply(struct reader *reader, int64_t left, int64_t right)
{
    int64_t product;
    if (__builtin_mul_overflow(left, right, &product)) {
        (void)fail(reader, ETS_LIMIT);
        return 0;
    }
    return product;
}

static struct fraction times(struct reader *reader, struct fraction left, struct fraction right)
{
    return make(reader, multiply(reader, left.numerator, right.numerator),
                multiply(reader, left.denominator, right.denominator));
}

static struct fraction divided(struct reader *reader, struct fraction left, struct fraction right)
{
    return make(reader, multiply(reader, left.numerator, right.denominator),
                multiply(reader, left.denominator, right.numerator));
}

static struct fraction plus(struct reader *reader, struct fraction left, struct fraction right)
{
    int64_t sum;
    if (__builtin_add_overflow(multiply(reader, left.numerator, right.denominator),
                               multiply(reader, right.numerator, left.denominator), &sum)) {
        return fail(reader, ETS_LIMIT);
    }
    return make(reader, sum, multiply(reader, left.denominator, right.denominator));
}

static struct fraction negative(struct fraction value)
{
    return (struct fraction){-value.numerator, value.denominator};
}

static struct fraction whole(struct fraction value, bool up)
{
    int64_t quotient = value.numerator / value.denominator;
    const int64_t rest = value.numerator % value.denominator;
    if (up && rest > 0) quotient++;
    if (!up && rest < 0) quotient--;
    return (struct fraction){quotient, 1};
}

static struct fraction modulo(struct reader *reader, struct fraction left, struct fraction right)
{
    const struct fraction quotient = whole(divided(reader, left, right), false);
    return plus(reader, left, negative(times(reader, quotient, right)));
}

static struct fraction power(struct reader *reader, struct fraction base, struct fraction exponent)
{
    if (exponent.denominator != 1 || magnitude(exponent.numerator) > 63) {
        return fail(reader, ETS_LIMIT);
    }
    struct fraction result = {1, 1};
    for (uint64_t i = magnitude(exponent.numerator); i > 0; i--) {
        result = times(reader, result, base);
    }
    return exponent.numerator < 0 ? divided(reader, (struct fraction){1, 1}, result) : result;
}

static struct fraction extreme(const struct fraction *arguments, unsigned count, bool largest,
                               struct reader *reader)
{
    struct fraction result = arguments[0];
    for (unsigned i = 1; i < count; i++) {
        const struct fraction gap = plus(reader, arguments[i], negative(result));
        if (largest ? gap.numerator > 0 : gap.numerator < 0) result = arguments[i];
    }
    return result;
}

static struct fraction truncated(struct fraction value)
{
    return whole(value, value.numerator < 0);
}

/* Rounds half to even, like Python. */
static struct fraction rounded(struct reader *reader, struct fraction value)
{
    const struct fraction below = whole(value, false);
    const struct fraction rest = plus(reader, value, negative(below));
    const struct fraction past_half = plus(reader, rest, (struct fraction){-1, 2});
    const bool is_up =
        past_half.numerator > 0 || (past_half.numerator == 0 && below.numerator % 2 != 0);
    return is_up ? plus(reader, below, (struct fraction){1, 1}) : below;
}

static struct fraction one_argument(struct reader *reader, struct ets_text name,
                                    struct fraction value)
{
    if (ets_text_is(name, "ToFloat") || ets_text_is(name, "Identity")) return value;
    if (ets_text_is(name, "floor") || ets_text_is(name, "FloorToInt")) return whole(value, false);
    if (ets_text_is(name, "ceiling") || ets_text_is(name, "CeilToInt")) return whole(value, true);
    if (ets_text_is(name, "TruncToInt") || ets_text_is(name, "TruncToFloat")) {
        return truncated(value);
    }
    if (ets_text_is(name, "RoundToInt")) return rounded(reader, value);
    if (ets_text_is(name, "Abs")) return value.numerator < 0 ? negative(value) : value;
    return fail(reader, ETS_MALFORMED);
}

static struct fraction two_arguments(struct reader *reader, struct ets_text name,
                                     struct fraction left, struct fraction right)
{
    if (ets_text_is(name, "FloorDiv")) return whole(divided(reader, left, right), false);
    if (ets_text_is(name, "CeilDiv")) return whole(divided(reader, left, right), true);
    if (ets_text_is(name, "CleanDiv") || ets_text_is(name, "IntTrueDiv") ||
        ets_text_is(name, "FloatTrueDiv")) {
        return divided(reader, left, right);
    }
    if (ets_text_is(name, "Mod") || ets_text_is(name, "PythonMod")) {
        return modulo(reader, left, right);
    }
    if (ets_text_is(name, "PowByNatural")) return power(reader, left, right);
    return fail(reader, ETS_MALFORMED);
}

static struct fraction call(struct reader *reader, struct ets_text name,
                            const struct fraction *arguments, unsigned count)
{
    if (count >= 1 && ets_text_is(name, "Max")) return extreme(arguments, count, true, reader);
    if (count >= 1 && ets_text_is(name, "Min")) return extreme(arguments, count, false, reader);
    if (count == 1) return one_argument(reader, name, arguments[0]);
    if (count == 2) return two_arguments(reader, name, arguments[0], arguments[1]);
    if (count == 3 && ets_text_is(name, "ModularIndexing")) { /* base, divisor, modulus */
        return modulo(reader, whole(divided(reader, arguments[0], arguments[1]), false),
                      arguments[2]);
    }
    return fail(reader, ETS_MALFORMED);
}

static void skip_spaces(struct reader *reader)
{
    while (reader->at < reader->end && *reader->at == ' ') reader->at++;
}

static bool accept(struct reader *reader, const char *token)
{
    const size_t size = strlen(token);
    skip_spaces(reader);
    if ((size_t)(reader->end - reader->at) < size || memcmp(reader->at, token, size) != 0) {
        return false;
    }
    reader->at += size;
    return true;
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static bool is_letter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
}

/* "12", "1.5" */
static struct fraction read_number(struct reader *reader)
{
    int64_t value = 0, scale = 1;
    bool is_behind_point = false;
    for (; reader->at < reader->end; reader->at++) {
        if (*reader->at == '.' && !is_behind_point) {
            is_behind_point = true;
            continue;
        }
        if (!is_digit(*reader->at)) break;
        if (value > (INT64_MAX - 9) / 10 || scale > INT64_MAX / 10) return fail(reader, ETS_LIMIT);
        value = value * 10 + (*reader->at - '0');
        if (is_behind_point) scale *= 10;
    }
    return make(reader, value, scale);
}

static struct fraction read_sum(struct reader *reader);

static struct ets_text read_name(struct reader *reader)
{
    const char *const start = reader->at;
    while (reader->at < reader->end && (is_letter(*reader->at) || is_digit(*reader->at))) {
        reader->at++;
    }
    return (struct ets_text){start, (size_t)(reader->at - start)};
}

static struct fraction read_named(struct reader *reader)
{
    const struct ets_text name = read_name(reader);
    if (accept(reader, "(")) {
        struct fraction arguments[MAX_ARGUMENTS];
        unsigned count = 0;
        do {
            if (count == MAX_ARGUMENTS) return fail(reader, ETS_LIMIT);
            arguments[count++] = read_sum(reader);
        } while (accept(reader, ","));
        if (!accept(reader, ")")) return fail(reader, ETS_MALFORMED);
        return call(reader, name, arguments, count);
    }
    const struct ets_size_symbols *symbols = reader->symbols;
    const uint32_t number = ets_strings_find(&symbols->names, name);
    if (number >= symbols->capacity || !symbols->is_bound[number]) {
        return fail(reader, ETS_NOT_FOUND);
    }
    return make(reader, symbols->values[number], 1);
}

static struct fraction read_atom(struct reader *reader)
{
    skip_spaces(reader);
    if (reader->at == reader->end) return fail(reader, ETS_MALFORMED);
    if (is_digit(*reader->at)) return read_number(reader);
    if (is_letter(*reader->at)) return read_named(reader);
    if (!accept(reader, "(")) return fail(reader, ETS_MALFORMED);
    const struct fraction value = read_sum(reader);
    return accept(reader, ")") ? value : fail(reader, ETS_MALFORMED);
}

/* A sign binds weaker than a power: -s0**2. */
static struct fraction read_factor(struct reader *reader)
{
    if (++reader->depth > MAX_DEPTH) return fail(reader, ETS_LIMIT);
    struct fraction value;
    if (accept(reader, "-")) {
        value = negative(read_factor(reader));
    } else {
        value = read_atom(reader);
        if (accept(reader, "**")) value = power(reader, value, read_factor(reader));
    }
    reader->depth--;
    return value;
}

static struct fraction read_product(struct reader *reader)
{
    struct fraction value = read_factor(reader);
    while (reader->status == ETS_OK) {
        if (accept(reader, "//")) {
            value = whole(divided(reader, value, read_factor(reader)), false);
        } else if (accept(reader, "*")) {
            value = times(reader, value, read_factor(reader));
        } else if (accept(reader, "/")) {
            value = divided(reader, value, read_factor(reader));
        } else if (accept(reader, "%")) {
            value = modulo(reader, value, read_factor(reader));
        } else {
            break;
        }
    }
    return value;
}

static struct fraction read_sum(struct reader *reader)
{
    if (++reader->depth > MAX_DEPTH) return fail(reader, ETS_LIMIT);
    struct fraction value = read_product(reader);
    while (reader->status == ETS_OK) {
        if (accept(reader, "+")) {
            value = plus(reader, value, read_product(reader));
        } else if (accept(reader, "-")) {
            value = plus(reader, value, negative(read_product(reader)));
        } else {
            break;
        }
    }
    reader->depth--;
    return value;
}

enum ets_status ets_size_evaluate(const struct ets_size_symbols *symbols,
                                  struct ets_text expression, int64_t *value_out)
{
    if (expression.data == NULL) return ETS_MALFORMED;
    struct reader reader = {symbols, expression.data, expression.data + expression.size, 0, ETS_OK};
    const struct fraction value = read_sum(&reader);
    skip_spaces(&reader);
    if (reader.status != ETS_OK) return reader.status;
    if (reader.at != reader.end || value.denominator != 1) return ETS_MALFORMED;
    *value_out = value.numerator;
    return ETS_OK;
}
