/*
 * Schemes in which a weight may be quantized: what its numbers become, and what it then takes.
 *
 *     float *rounded = ...;
 *     if (ets_weight_scheme_fits(&scheme, columns)) {
 *         ets_weight_scheme_round(&scheme, numbers, rows, columns, rounded);
 *     }
 *
 * A matrix has a row for each output; a group is a part of a row. Scales are symmetric, computed
 * in float32 as torchao does (MappingType.SYMMETRIC): the largest magnitude divided by half of the
 * integers' range.
 */
#ifndef ETSCOPE_QUALITY_WEIGHT_SCHEMES_H
#define ETSCOPE_QUALITY_WEIGHT_SCHEMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ets_weight_scheme {
    uint32_t bits;     /* of an element; 0: not known; 16 and more: floating point */
    uint32_t group;    /* elements that share a scale; 0: all of a row */
    bool is_of_tensor; /* one scale for all */
};

/* What is tried, from the smallest to the largest; the last is floating point. */
enum { ETS_WEIGHT_SCHEMES = 6, ETS_WEIGHT_FLOAT = ETS_WEIGHT_SCHEMES - 1 };
extern const struct ets_weight_scheme ets_weight_schemes[ETS_WEIGHT_SCHEMES];

bool ets_weight_scheme_is_float(const struct ets_weight_scheme *scheme);

/* Whether its groups divide rows of `columns` elements. */
bool ets_weight_scheme_fits(const struct ets_weight_scheme *scheme, uint64_t columns);

/*
 * The bytes of a matrix, with scales of groups in bfloat16 and of rows in float32, as XNNPACK has
 * them; with `has_wide_scales` all in float32, as tables of embeddings.
 */
uint64_t ets_weight_scheme_bytes(const struct ets_weight_scheme *scheme, uint64_t rows,
                                 uint64_t columns, bool has_wide_scales);

/* Quantizes [rows][columns] numbers, and dequantizes them into `out`, which may be `numbers`. */
void ets_weight_scheme_round(const struct ets_weight_scheme *scheme, const float *numbers,
                             size_t rows, size_t columns, float *out);

/* "4 bit, groups of 32"; at most `room` characters. */
enum { ETS_WEIGHT_SCHEME_CHARS = 48 };
void ets_weight_scheme_describe(const struct ets_weight_scheme *scheme,
                                char text[ETS_WEIGHT_SCHEME_CHARS]);

#endif
