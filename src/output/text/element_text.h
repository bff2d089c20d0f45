/* Prints elements of a tensor as words of equal width, in a notation that suits all of them. */
#ifndef ETSCOPE_OUTPUT_TEXT_ELEMENT_TEXT_H
#define ETSCOPE_OUTPUT_TEXT_ELEMENT_TEXT_H

#include <stdbool.h>

#include "etscope/tensor.h"

/* Of two numbers in fixed notation, the longest: complex128 below 1e8. */
enum { ETS_ELEMENT_CHARS = 96 };

/* Floating point: of the numbers, of the real parts or of the imaginary ones. */
struct ets_number_format {
    double largest, least;   /* of the absolute values that are finite, least: and not 0 */
    bool has_odd, has_minus; /* a NaN or an infinity; one with a sign */
    bool is_scientific;
    int whole, fraction; /* characters before and behind the point */
};

struct ets_element_format {
    int scalar_type;
    int precision; /* digits behind the point, at most */
    struct ets_number_format parts[2];
    int width; /* of a word that is no floating point */
};

void ets_element_format_init(struct ets_element_format *format, int scalar_type, int precision);

/* Call these in order: survey every element, ... */
void ets_element_format_survey(struct ets_element_format *format, const void *at);
/* ... then, once the notation is chosen, measure every element, ... */
void ets_element_format_choose(struct ets_element_format *format);
void ets_element_format_measure(struct ets_element_format *format, const void *at);
/* ... then print it. Returns the length. */
int ets_element_format_print(const struct ets_element_format *format, const void *at,
                             char text[ETS_ELEMENT_CHARS]);

#endif
