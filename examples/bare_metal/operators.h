/* The program that is traced: three operators on a small picture, in integers. */
#ifndef ETSCOPE_EXAMPLES_OPERATORS_H
#define ETSCOPE_EXAMPLES_OPERATORS_H

#include <stdint.h>

enum { PICTURE_SIDE = 12, FEATURE_SIDE = PICTURE_SIDE - 2, CLASSES = 4 };

struct picture {
    int32_t at[PICTURE_SIDE][PICTURE_SIDE];
};

struct features {
    int32_t at[FEATURE_SIDE][FEATURE_SIDE];
};

/* A square whose left edge is in column `number` modulo 8. */
void draw_picture(struct picture *out, uint32_t number);

/* 3x3 convolution that answers to vertical edges. */
void conv(const struct picture *in, struct features *out);
void relu(struct features *features);

/* One score for each quarter of the features' columns, from the left. */
void linear(const struct features *in, int32_t scores_out[CLASSES]);

uint32_t best_class(const int32_t scores[CLASSES]);

#endif
