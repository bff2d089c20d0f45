/*
 * Prints elements of a tensor as NumPy does: in one format, with as few digits as distinguish them.
 */
#include "output/text/element_text.h"
#include "numerics/element.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/load.h"
#include "etscope/numerics.h"

enum { NUMBER_CHARS = 48 };

/* The significant bits of a number of the type, and the exponent of its smallest step. */
struct precision {
    int bits, least;
};

static struct precision precision_of(int scalar_type)
{
    switch (scalar_type) {
    case ETS_SCALAR_DOUBLE:
    case ETS_SCALAR_COMPLEX_DOUBLE: return (struct precision){53, -1074};
    case ETS_SCALAR_HALF:
    case ETS_SCALAR_COMPLEX_HALF: return (struct precision){11, -24};
    case ETS_SCALAR_BFLOAT16: return (struct precision){8, -133};
    case ETS_SCALAR_FLOAT8E5M2:
    case ETS_SCALAR_FLOAT8E5M2FNUZ: return (struct precision){3, -17};
    case ETS_SCALAR_FLOAT8E4M3FN:
    case ETS_SCALAR_FLOAT8E4M3FNUZ: return (struct precision){4, -10};
    default: return (struct precision){24, -149};
    }
}

static bool is_floating(int scalar_type)
{
    switch (scalar_type) {
    case ETS_SCALAR_HALF:
    case ETS_SCALAR_FLOAT:
    case ETS_SCALAR_DOUBLE:
    case ETS_SCALAR_BFLOAT16:
    case ETS_SCALAR_FLOAT8E5M2:
    case ETS_SCALAR_FLOAT8E4M3FN:
    case ETS_SCALAR_FLOAT8E5M2FNUZ:
    case ETS_SCALAR_FLOAT8E4M3FNUZ: return true;
    default: return ets_scalar_component_count(scalar_type) == 2;
    }
}

/* True where `read` is nearer to `value` than to any other number of the type. */
static bool is_nearest(double read, double value, struct precision precision)
{
    int exponent;
    if (read == value) return true;
    if (precision.bits == 53) return false;
    const double fraction = fabs(frexp(value, &exponent));
    int step = exponent - precision.bits;
    if (step < precision.least) step = precision.least;
    else if (fraction == 0.5 && fabs(read) < fabs(value)) step--; /* below a power of two */
    return fabs(read - value) < ldexp(0.5, step);
}

/* The fewest significant digits that tell the number from its neighbours. */
static int digits_of(double value, struct precision precision, int *exponent_out)
{
    char text[NUMBER_CHARS];
    int digits = 1;
    for (; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*e", digits - 1, value);
        if (is_nearest(strtod(text, NULL), value, precision)) break;
    }
    const char *exponent = strchr(text, 'e');
    *exponent_out = exponent == NULL ? 0 : atoi(exponent + 1);
    return digits <= 17 ? digits : 17;
}

/* Without zeros at the end: "1.50" becomes "1.5", "1.00" "1." */
static int trim(char *text)
{
    size_t size = strlen(text);
    if (strchr(text, '.') == NULL) return (int)size;
    while (size > 0 && text[size - 1] == '0') size--;
    text[size] = '\0';
    return (int)size;
}

/* With as many digits as it needs. */
static void print_fixed(const struct ets_element_format *format, double value,
                        char text[NUMBER_CHARS])
{
    int exponent;
    const int digits = digits_of(value, precision_of(format->scalar_type), &exponent);
    int decimals = digits - 1 - exponent;
    if (decimals > format->precision) decimals = format->precision;
    snprintf(text, NUMBER_CHARS, "%#.*f", decimals > 0 ? decimals : 0, value);
    trim(text);
}

static int scientific_digits(const struct ets_element_format *format, double value)
{
    int exponent;
    const int digits = digits_of(value, precision_of(format->scalar_type), &exponent) - 1;
    return digits < format->precision ? digits : format->precision;
}

/* Characters of an exponent, "e+00" or "e+100". */
static int exponent_width(const struct ets_number_format *part)
{
    const bool is_long = part->largest >= 1e100 || (part->least > 0 && part->least < 1e-99);
    return !part->is_scientific ? 0 : is_long ? 5 : 4;
}

/* One number to the width of all; an imaginary part shows its sign. Returns the length. */
static int print_number(const struct ets_element_format *format, int index, double value, char *out)
{
    const struct ets_number_format *part = &format->parts[index];
    char text[NUMBER_CHARS];
    int tail = exponent_width(part), whole = part->whole;
    const char *sign = index == 1 && !signbit(value) ? "+" : "";
    const int odd = part->has_minus || (index == 1 && part->has_odd) ? 4 : part->has_odd ? 3 : 0;
    if (whole + 1 + part->fraction + tail < odd) whole = odd - 1 - part->fraction - tail;
    const int width = whole + 1 + part->fraction + tail;
    if (!isfinite(value)) {
        const char *name = isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
        snprintf(text, sizeof text, "%s%s",
                 index == 1 && isnan(value) ? "+"
                 : value > 0                ? sign
                                            : "",
                 name);
        return snprintf(out, NUMBER_CHARS, "%*s", width, text);
    }
    if (part->is_scientific) {
        snprintf(text, sizeof text, "%s%#.*e", sign, part->fraction, value);
        char *exponent = strchr(text, 'e');
        if (tail == 5 && strlen(exponent) == 4) { /* three digits, as others have them */
            memmove(exponent + 3, exponent + 2, 3);
            exponent[2] = '0';
        }
        return snprintf(out, NUMBER_CHARS, "%*s", width, text);
    }
    snprintf(text, sizeof text, "%s", sign);
    print_fixed(format, value, text + strlen(sign));
    const char *point = strchr(text, '.');
    const int behind = (int)strlen(point + 1);
    return snprintf(out, NUMBER_CHARS, "%*s%s%*s", whole - (int)(point - text), "", text,
                    part->fraction - behind, "");
}

void ets_element_format_init(struct ets_element_format *format, int scalar_type, int precision)
{
    *format = (struct ets_element_format){.scalar_type = scalar_type, .precision = precision};
}

void ets_element_format_survey(struct ets_element_format *format, const void *at)
{
    if (!is_floating(format->scalar_type)) return;
    for (uint32_t i = 0; i < ets_scalar_component_count(format->scalar_type); i++) {
        struct ets_number_format *part = &format->parts[i];
        const double value = fabs(ets_element_load(at, format->scalar_type, i));
        if (!isfinite(value) || value == 0) continue;
        if (value > part->largest) part->largest = value;
        if (part->least == 0 || value < part->least) part->least = value;
    }
}

void ets_element_format_choose(struct ets_element_format *format)
{
    for (int i = 0; i < 2; i++) {
        struct ets_number_format *part = &format->parts[i];
        part->is_scientific = part->largest >= 1e8 || (part->least > 0 && part->least < 1e-4) ||
                              part->largest > 1000 * part->least;
    }
}

/* An element that is no floating point. */
static int print_plain(int scalar_type, const void *at, char text[ETS_ELEMENT_CHARS])
{
    const uint8_t *bytes = at;
    int used = 0;
    switch (scalar_type) {
    case ETS_SCALAR_BOOL:
        return snprintf(text, ETS_ELEMENT_CHARS, "%s", bytes[0] != 0 ? "True" : "False");
    case ETS_SCALAR_LONG:
        return snprintf(text, ETS_ELEMENT_CHARS, "%" PRId64, (int64_t)ets_load_u64(bytes));
    case ETS_SCALAR_UINT64:
        return snprintf(text, ETS_ELEMENT_CHARS, "%" PRIu64, ets_load_u64(bytes));
    default: break;
    }
    if (ets_scalar_component_count(scalar_type) == 1) {
        return snprintf(text, ETS_ELEMENT_CHARS, "%.0f", ets_element_load(at, scalar_type, 0));
    }
    for (size_t i = ets_scalar_type_bytes(scalar_type); i-- > 0;) {
        used += snprintf(text + used, ETS_ELEMENT_CHARS - (size_t)used, "%02x", bytes[i]);
    }
    return used;
}

static void measure_number(struct ets_element_format *format, int index, double value)
{
    struct ets_number_format *part = &format->parts[index];
    char text[NUMBER_CHARS];
    if (!isfinite(value)) {
        part->has_odd = true;
        part->has_minus = part->has_minus || value < 0;
        return;
    }
    int whole = signbit(value) || index == 1 ? 2 : 1, fraction;
    if (part->is_scientific) {
        fraction = scientific_digits(format, value);
    } else {
        print_fixed(format, value, text);
        const char *point = strchr(text, '.');
        whole = (int)(point - text) + (index == 1 && !signbit(value));
        fraction = (int)strlen(point + 1);
    }
    if (whole > part->whole) part->whole = whole;
    if (fraction > part->fraction) part->fraction = fraction;
}

void ets_element_format_measure(struct ets_element_format *format, const void *at)
{
    char text[ETS_ELEMENT_CHARS];
    if (is_floating(format->scalar_type)) {
        for (uint32_t i = 0; i < ets_scalar_component_count(format->scalar_type); i++) {
            measure_number(format, (int)i, ets_element_load(at, format->scalar_type, i));
        }
        return;
    }
    const int width = print_plain(format->scalar_type, at, text);
    if (width > format->width) format->width = width;
}

/* The j stands right behind the number, before what makes the words equally long. */
static int put_unit(char *text, int size)
{
    int end = size;
    while (end > 0 && text[end - 1] == ' ') end--;
    memmove(text + end + 1, text + end, (size_t)(size - end) + 1);
    text[end] = 'j';
    return size + 1;
}

int ets_element_format_print(const struct ets_element_format *format, const void *at,
                             char text[ETS_ELEMENT_CHARS])
{
    char plain[ETS_ELEMENT_CHARS];
    const int type = format->scalar_type;
    if (!is_floating(type)) {
        print_plain(type, at, plain);
        return snprintf(text, ETS_ELEMENT_CHARS, "%*s", format->width, plain);
    }
    const int size = print_number(format, 0, ets_element_load(at, type, 0), text);
    if (ets_scalar_component_count(type) == 1) return size;
    const int second = print_number(format, 1, ets_element_load(at, type, 1), text + size);
    return size + put_unit(text + size, second);
}
