#include "operators.h"

void draw_picture(struct picture *out, uint32_t number)
{
    const int32_t left = (int32_t)(number & 7) + 1;
    for (int32_t y = 0; y < PICTURE_SIDE; y++) {
        for (int32_t x = 0; x < PICTURE_SIDE; x++) {
            out->at[y][x] = x >= left && y >= 3 && y < 9 ? 100 : 0;
        }
    }
}

void conv(const struct picture *in, struct features *out)
{
    static const int32_t kernel[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
    for (int32_t y = 0; y < FEATURE_SIDE; y++) {
        for (int32_t x = 0; x < FEATURE_SIDE; x++) {
            int32_t sum = 0;
            for (int32_t i = 0; i < 9; i++) {
                sum += kernel[i / 3][i % 3] * in->at[y + i / 3][x + i % 3];
            }
            out->at[y][x] = sum;
        }
    }
}

void relu(struct features *features)
{
    for (int32_t y = 0; y < FEATURE_SIDE; y++) {
        for (int32_t x = 0; x < FEATURE_SIDE; x++) {
            if (features->at[y][x] < 0) features->at[y][x] = 0;
        }
    }
}

void linear(const struct features *in, int32_t scores_out[CLASSES])
{
    static const int32_t ends[CLASSES] = {2, 4, 6, FEATURE_SIDE};
    int32_t x = 0;
    for (int32_t i = 0; i < CLASSES; i++) {
        scores_out[i] = 0;
        for (; x < ends[i]; x++) {
            for (int32_t y = 0; y < FEATURE_SIDE; y++) scores_out[i] += in->at[y][x];
        }
    }
}

uint32_t best_class(const int32_t scores[CLASSES])
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < CLASSES; i++) {
        if (scores[i] > scores[best]) best = i;
    }
    return best;
}
