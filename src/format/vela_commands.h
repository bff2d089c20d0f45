/*
 * Reads what the driver of Ethos-U is given: the configuration that a stream was compiled for, and
 * the operations of the NPU with the registers that they were started with.
 *
 *     struct ets_vela_commands *commands = room;
 *     ETS_TRY(ets_vela_commands_init(commands, vela.commands, 0, error));
 *     struct ets_vela_operation operation;
 *     while (ets_vela_commands_next(commands, &operation)) use(&operation);
 *
 * Actions of the driver begin with COP1; one of them holds the commands. Registers keep their
 * values from one operation to the next. Source: Arm's register maps of Ethos-U55, U65 and U85.
 */
#ifndef ETSCOPE_FORMAT_VELA_COMMANDS_H
#define ETSCOPE_FORMAT_VELA_COMMANDS_H

#include <stdbool.h>

#include "base/error.h"

enum ets_vela_kind {
    ETS_VELA_CONVOLUTION = 2,
    ETS_VELA_DEPTHWISE = 3,
    ETS_VELA_POOL = 5,
    ETS_VELA_ELEMENTS = 6,
    ETS_VELA_DMA = 16
};
/* Of pools: `mode`. All others move data. */
enum { ETS_VELA_POOL_MAX = 0, ETS_VELA_POOL_AVERAGE = 1, ETS_VELA_POOL_SUM = 2 };

enum { ETS_VELA_WEIGHT_REGION = 0, ETS_VELA_SCRATCH_REGION = 1 };
enum { ETS_VELA_MOST_RANGES = 5 };

/* Bytes in a region. */
struct ets_vela_range {
    uint32_t region;
    uint64_t at, bytes;
};

/* A tensor as an operation reads or writes it. */
struct ets_vela_operand {
    struct ets_vela_range range; /* bytes 0: none, a number, or what the chain before hands over */
    bool is_dense;               /* all of the range is of the tensor */
    bool is_chained;             /* handed over to or by the next operation, without memory */
    uint32_t height, width, depth;
    uint32_t element_bits;
    bool is_signed;
};

struct ets_vela_operation {
    uint32_t kind; /* enum ets_vela_kind; other numbers are of operations not known here */
    uint32_t mode; /* of a pool; of element-wise ones the operator */
    struct ets_vela_operand in, second, out; /* of a DMA ranges only */
    struct ets_vela_range rest; /* of `in`, where it does not lie in one piece; bytes 0: none */
    bool has_second;
    uint32_t kernel_height, kernel_width, stride_y, stride_x, dilation_y, dilation_x;
    struct ets_vela_range weights[ETS_VELA_MOST_RANGES]; /* and scales; of convolutions */
    uint32_t weight_count;
};

struct ets_vela_commands {
    struct ets_bytes stream; /* of commands */
    size_t at;
    uint32_t product;        /* 0: U55, 1: U65, 2: U85 */
    uint32_t macs_per_cycle; /* 0: not stated */
    uint16_t small[0x100];   /* by opcode - 0x100 */
    uint64_t wide[0x100];    /* by opcode */
};

/* `origin` is added to offsets in errors. Statuses: WRONG_KIND, TRUNCATED, MALFORMED. */
enum ets_status ets_vela_commands_init(struct ets_vela_commands *commands, struct ets_bytes driver,
                                       uint64_t origin, struct ets_error *error);
/* false: there are no more. */
bool ets_vela_commands_next(struct ets_vela_commands *commands, struct ets_vela_operation *out);

/* "Ethos-U55"; NULL: not known. */
const char *ets_vela_product(const struct ets_vela_commands *commands);

/* Multiply-adds for each element of the output; 0: it makes none. */
uint64_t ets_vela_depth(const struct ets_vela_operation *operation);

#endif
