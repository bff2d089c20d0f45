/* Makes a .pte of its pieces. */
#include <stdlib.h>
#include <string.h>

#include "cli/machine/machine_programs.h"
#include "dump/device_log_text.h"

uint8_t *cli_unpack_program(const struct cli_packed_program *packed)
{
    enum { SLACK = 3 }; /* of the decoder, which writes whole groups */
    uint8_t *bytes = malloc(packed->size + SLACK);
    size_t at = 0;
    if (bytes == NULL) return NULL;
    for (size_t i = 0; i < packed->piece_count; i++) {
        size_t used;
        const struct cli_program_piece *piece = &packed->pieces[i];
        const struct ets_bytes text = {(const uint8_t *)piece->base64, strlen(piece->base64)};
        const size_t size = ets_decode_base64(text, bytes + at, &used);
        for (uint32_t c = 1; c < piece->count; c++) memcpy(bytes + at + c * size, bytes + at, size);
        at += size * piece->count;
    }
    return bytes;
}
