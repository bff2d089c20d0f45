/* The programs that `etscope machine` runs, as the command line carries them. */
#ifndef ETSCOPE_CLI_MACHINE_MACHINE_PROGRAMS_H
#define ETSCOPE_CLI_MACHINE_MACHINE_PROGRAMS_H

#include <stddef.h>
#include <stdint.h>

#include "cost/machine.h"

/* Of tools/make_machine_programs.py. */
enum {
    CLI_MACHINE_SIDE = 512,         /* of the matrices */
    CLI_MACHINE_ELEMENTS = 1 << 26, /* the most of a vector */
    CLI_MACHINE_CALLS = 8,          /* of the chains */
    CLI_MACHINE_CHANNELS = 64,      /* of an image that is read, */
    CLI_MACHINE_IMAGE_SIDE = 16     /* and its height and width */
};

struct cli_program_piece {
    const char *base64;
    uint32_t count; /* how often it stands there */
};

struct cli_packed_program {
    const struct cli_program_piece *pieces;
    size_t piece_count, size; /* of the .pte */
};

extern const struct cli_packed_program cli_machine_programs[ETS_ROOF_PROGRAMS];

/* The .pte, the caller's to free; NULL: no memory. */
uint8_t *cli_unpack_program(const struct cli_packed_program *packed);

#endif
