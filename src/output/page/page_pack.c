/* Writes base64 (RFC 4648). */
#include "output/page/page_pack.h"

void ets_page_write_base64(struct ets_output *output, const uint8_t *data, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char piece[4096];
    size_t used = 0;
    for (size_t i = 0; i < size; i += 3) {
        const size_t left = size - i;
        const uint32_t group = (uint32_t)data[i] << 16 |
                               (uint32_t)(left > 1 ? data[i + 1] : 0) << 8 |
                               (left > 2 ? data[i + 2] : 0);
        piece[used++] = digits[group >> 18];
        piece[used++] = digits[group >> 12 & 63];
        piece[used++] = left > 1 ? digits[group >> 6 & 63] : '=';
        piece[used++] = left > 2 ? digits[group & 63] : '=';
        if (used < sizeof piece) continue;
        ets_output_write(output, piece, used);
        used = 0;
    }
    ets_output_write(output, piece, used);
}
