#include "host/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Digits and exponent of d.ddd x 10^exponent that read back as `value` (finite, not negative). */
static int shortest_digits(double value, char digits[24])
{
    char text[48];
    for (int precision = 14; precision <= 16; precision++) {
        snprintf(text, sizeof text, "%.*e", precision, value);
        if (strtod(text, NULL) == value) break;
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
