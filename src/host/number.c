/* Prints a double with the fewest digits that read back as the same number. */
#include "host/number.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The next larger decimal of the same length as "d.ddde+XX"; 9.99... is unchanged. */
static void step_up(char *text)
{
    char *at = strchr(text, 'e') - 1;
    while (at > text && (*at == '9' || *at < '0' || *at > '9')) at--;
    if (*at == '9') return;
    ++*at;
    while (*++at != 'e') {
        if (*at == '9') *at = '0';
    }
}

/*
 * Digits and exponent of d.ddd x 10^exponent that read back as `value` (finite, not negative).
 * Fifteen digits are never too many, except for the smallest numbers. Doubles are closer together
 * below a power of two than above it, so a decimal above it may read back although the nearer one
 * below does not.
 */
static int shortest_digits(double value, char digits[24])
{
    char text[48];
    for (int precision = value < DBL_MIN ? 0 : 14; precision <= 16; precision++) {
        snprintf(text, sizeof text, "%.*e", precision, value);
        if (strtod(text, NULL) == value) break;
        step_up(text);
        if (precision < 16 && strtod(text, NULL) == value) break;
    }
    char *exponent = strchr(text, 'e');
    int count = 0;
    for (const char *at = text; at < exponent; at++) {
        if (*at >= '0' && *at <= '9') digits[count++] = *at;
    }
    while (count > 1 && digits[count - 1] == '0') count--;
    digits[count] = '\0';
    return atoi(exponent + 1);
}

static size_t print_fixed(char *out, const char *digits, int exponent)
{
    const int count = (int)strlen(digits);
    size_t size = 0;
    if (exponent < 0) {
        out[size++] = '0';
        out[size++] = '.';
        for (int i = -1; i > exponent; i--) out[size++] = '0';
    }
    for (int i = 0; i < count || i <= exponent; i++) {
        out[size++] = i < count ? digits[i] : '0';
        if (exponent >= 0 && i == exponent) out[size++] = '.';
    }
    if (out[size - 1] == '.') out[size++] = '0';
    return size;
}

static size_t print_scientific(char *out, const char *digits, int exponent)
{
    size_t size = 0;
    out[size++] = digits[0];
    if (digits[1] != '\0') {
        out[size++] = '.';
        memcpy(out + size, digits + 1, strlen(digits + 1));
        size += strlen(digits + 1);
    }
    return size + (size_t)sprintf(out + size, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
}

size_t ets_print_double(char buffer[ETS_NUMBER_CHARS], double value)
{
    if (isnan(value)) return (size_t)sprintf(buffer, "nan");
    size_t size = 0;
    if (signbit(value)) buffer[size++] = '-';
    value = fabs(value);
    if (isinf(value)) return size + (size_t)sprintf(buffer + size, "inf");
    char digits[24];
    const int exponent = shortest_digits(value, digits);
    const bool is_fixed = exponent >= -4 && exponent < 16;
    size += is_fixed ? print_fixed(buffer + size, digits, exponent)
                     : print_scientific(buffer + size, digits, exponent);
    buffer[size] = '\0';
    return size;
}
