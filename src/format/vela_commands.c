/* Reads the driver's actions and the command stream of Ethos-U. */
#include "format/vela_commands.h"

#include <string.h>

#include "base/load.h"

enum { WORD = 4, PRODUCT_U85 = 2 };

/* ---- actions of the driver ---- */

enum action { ACTION_CONFIG = 1, ACTION_COMMANDS = 2 };

static void take_config(struct ets_vela_commands *commands, uint32_t config)
{
    commands->product = config >> 28;
    commands->macs_per_cycle = 1u << (config & 0xf);
}

enum ets_status ets_vela_commands_init(struct ets_vela_commands *commands, struct ets_bytes driver,
                                       uint64_t origin, struct ets_error *error)
{
    enum { CONFIG_WORDS = 3 };
    memset(commands, 0, sizeof *commands);
    if (driver.size < WORD ||
        (memcmp(driver.data, "COP1", WORD) != 0 && memcmp(driver.data, "COP2", WORD) != 0)) {
        return ets_fail(error, ETS_WRONG_KIND, origin, "are no commands for the driver: no COP1");
    }
    for (size_t at = WORD; ets_range_fits(at, WORD, driver.size);) {
        const uint32_t word = ets_load_u32(driver.data + at);
        size_t size = WORD;
        if ((word & 0xff) == ACTION_CONFIG) {
            size = CONFIG_WORDS * WORD;
            if (!ets_range_fits(at, size, driver.size)) break;
            take_config(commands, ets_load_u32(driver.data + at + WORD));
        } else if ((word & 0xff) == ACTION_COMMANDS) {
            const uint64_t bytes = WORD * (uint64_t)((word >> 8 & 0xff) << 16 | word >> 16);
            if (!ets_range_fits(at + WORD, bytes, driver.size)) {
                return ets_fail(error, ETS_TRUNCATED, origin + at,
                                "%llu bytes of commands run past the end",
                                (unsigned long long)bytes);
            }
            commands->stream = (struct ets_bytes){driver.data + at + WORD, (size_t)bytes};
            return ETS_OK;
        }
        at += size;
    }
    return ets_fail(error, ETS_MALFORMED, origin + driver.size, "has no commands for the NPU");
}

const char *ets_vela_product(const struct ets_vela_commands *commands)
{
    static const char *const names[] = {"Ethos-U55", "Ethos-U65", "Ethos-U85"};
    return commands->product < sizeof names / sizeof *names ? names[commands->product] : NULL;
}

/* ---- registers ---- */

/* Opcodes of one word, with the value in its upper half. */
enum small {
    IFM_PAD_TOP = 0x100,
    IFM_PAD_BOTTOM = 0x103,
    IFM_DEPTH_M1 = 0x104,
    IFM_PRECISION = 0x105,
    IFM_WIDTH0_M1 = 0x10a,
    IFM_HEIGHT0_M1 = 0x10b,
    IFM_REGION = 0x10f,
    OFM_WIDTH_M1 = 0x111,
    OFM_HEIGHT_M1 = 0x112,
    OFM_DEPTH_M1 = 0x113,
    OFM_PRECISION = 0x114,
    OFM_WIDTH0_M1 = 0x11a,
    OFM_HEIGHT0_M1 = 0x11b,
    OFM_REGION = 0x11f,
    KERNEL_WIDTH_M1 = 0x120,
    KERNEL_HEIGHT_M1 = 0x121,
    KERNEL_STRIDE = 0x122,
    WEIGHT_REGION = 0x128,
    SCALE_REGION = 0x129,
    DMA_SOURCE_REGION = 0x130,
    DMA_TARGET_REGION = 0x131,
    IFM2_BROADCAST = 0x180,
    IFM2_PRECISION = 0x185,
    IFM2_REGION = 0x18f
};
/* Of two words, of which the second is the value. */
enum wide {
    IFM_BASE = 0x000,
    IFM_BASE2 = 0x002,
    IFM_STRIDE_X = 0x004,
    OFM_BASE = 0x010,
    OFM_STRIDE_X = 0x014,
    WEIGHT_BASE = 0x020,
    SCALE_BASE = 0x022,
    DMA_SOURCE = 0x030,
    DMA_TARGET = 0x031,
    DMA_LENGTH = 0x032,
    IFM2_BASE = 0x080,
    IFM2_STRIDE_X = 0x084,
    WEIGHT1_BASE = 0x090 /* of further cores, up to 0x095 */
};

static uint32_t small(const struct ets_vela_commands *c, enum small opcode)
{
    return c->small[opcode - 0x100];
}

static uint32_t region(const struct ets_vela_commands *c, enum small opcode)
{
    return small(c, opcode) & 7;
}

static uint64_t wide(const struct ets_vela_commands *c, unsigned opcode)
{
    return c->wide[opcode];
}

/* ---- operands ---- */

/* Bytes from the first to the last element. Bricks have 16 channels. Strides are of 40 bits, sizes
 * of 16. */
static void measure(const struct ets_vela_commands *c, struct ets_vela_operand *out,
                    uint32_t height, unsigned strides, bool is_brick)
{
    enum { BRICK = 16 };
    const uint64_t x = wide(c, strides), y = wide(c, strides + 1), z = wide(c, strides + 2);
    const uint64_t element = out->element_bits / 8;
    const uint64_t line = is_brick ? (uint64_t)out->width * BRICK * element
                                   : (out->width - 1) * x + out->depth * element;
    const uint64_t bricks = is_brick ? (out->depth + BRICK - 1) / BRICK : 1;
    out->range.bytes = (height - 1) * y + (bricks - 1) * z + line;
    const uint64_t full = is_brick ? bricks * line : (uint64_t)out->width * out->depth * element;
    out->is_dense = out->range.bytes <= height * full;
}

enum { STORAGE_SHIFT = 14, STORAGE_CHAINED = 2, STORAGE_NONE = 3 };

/* How U85 keeps an operand; 0 for all others. */
static uint32_t storage(const struct ets_vela_commands *c, uint32_t precision)
{
    return c->product == PRODUCT_U85 ? precision >> STORAGE_SHIFT : 0;
}

static bool is_brick(uint32_t precision)
{
    return (precision >> 6 & 3) == 1;
}

static void take_input(const struct ets_vela_commands *c, struct ets_vela_operation *out)
{
    const uint32_t precision = small(c, IFM_PRECISION);
    struct ets_vela_operand *in = &out->in;
    *in = (struct ets_vela_operand){.range = {region(c, IFM_REGION), wide(c, IFM_BASE), 0},
                                    .is_chained = storage(c, precision) == STORAGE_CHAINED,
                                    .height = small(c, IFM_HEIGHT0_M1) + 1,
                                    .width = small(c, IFM_WIDTH0_M1) + 1,
                                    .depth = small(c, IFM_DEPTH_M1) + 1,
                                    .element_bits = 8u << (precision >> 2 & 3),
                                    .is_signed = precision & 1};
    if (!in->is_chained) measure(c, in, in->height, IFM_STRIDE_X, is_brick(precision));
}

/* What a rolling buffer holds of the input lies in two pieces. */
static void take_rest(const struct ets_vela_commands *c, struct ets_vela_operation *out)
{
    const uint64_t span =
        (uint64_t)(out->out.height - 1) * out->stride_y + small(c, KERNEL_HEIGHT_M1) + 1;
    const uint64_t pads = (uint64_t)small(c, IFM_PAD_TOP) + small(c, IFM_PAD_BOTTOM);
    struct ets_vela_operand rest = out->in;
    if (out->in.is_chained || span <= pads || span - pads <= out->in.height) return;
    if (wide(c, IFM_BASE2) == 0) return;
    measure(c, &rest, (uint32_t)(span - pads - out->in.height), IFM_STRIDE_X,
            is_brick(small(c, IFM_PRECISION)));
    out->rest = (struct ets_vela_range){out->in.range.region, wide(c, IFM_BASE2), rest.range.bytes};
}

static void take_output(const struct ets_vela_commands *c, struct ets_vela_operation *operation)
{
    const uint32_t precision = small(c, OFM_PRECISION);
    struct ets_vela_operand *out = &operation->out;
    *out = (struct ets_vela_operand){.range = {region(c, OFM_REGION), wide(c, OFM_BASE), 0},
                                     .is_chained = storage(c, precision) == STORAGE_CHAINED,
                                     .height = small(c, OFM_HEIGHT_M1) + 1,
                                     .width = small(c, OFM_WIDTH_M1) + 1,
                                     .depth = small(c, OFM_DEPTH_M1) + 1,
                                     .element_bits = 8u << (precision >> 1 & 3),
                                     .is_signed = precision & 1};
    /* Of transposes the tile has the result's sizes. */
    const uint64_t height = small(c, OFM_HEIGHT0_M1) + 1, width = small(c, OFM_WIDTH0_M1) + 1;
    const uint64_t elements = (uint64_t)out->height * out->width * out->depth;
    if (operation->kind == ETS_VELA_POOL && operation->mode > ETS_VELA_POOL_SUM &&
        elements % (height * width) == 0 && elements / (height * width) <= UINT16_MAX + 1) {
        out->height = (uint32_t)height;
        out->width = (uint32_t)width;
        out->depth = (uint32_t)(elements / (height * width));
    }
    if (!out->is_chained) measure(c, out, out->height, OFM_STRIDE_X, is_brick(precision));
}

/* Dimensions that are broadcast have the size 1; a number in a register is no tensor. */
static void take_second(const struct ets_vela_commands *c, struct ets_vela_operation *out)
{
    enum { HEIGHT = 1, WIDTH = 2, DEPTH = 4, NUMBER = 0x88 };
    const uint32_t precision = small(c, IFM2_PRECISION), broadcast = small(c, IFM2_BROADCAST);
    struct ets_vela_operand *second = &out->second;
    if ((broadcast & NUMBER) != 0 || storage(c, precision) == STORAGE_NONE) return;
    out->has_second = true;
    *second = (struct ets_vela_operand){.range = {region(c, IFM2_REGION), wide(c, IFM2_BASE), 0},
                                        .is_chained = storage(c, precision) == STORAGE_CHAINED,
                                        .height = broadcast & HEIGHT ? 1 : out->out.height,
                                        .width = broadcast & WIDTH ? 1 : out->out.width,
                                        .depth = broadcast & DEPTH ? 1 : out->out.depth,
                                        .element_bits = 8u << (precision >> 2 & 3),
                                        .is_signed = precision & 1};
    if (!second->is_chained) {
        measure(c, second, second->height, IFM2_STRIDE_X, is_brick(precision));
    }
}

static void take_kernel(const struct ets_vela_commands *c, struct ets_vela_operation *out)
{
    const uint32_t stride = small(c, KERNEL_STRIDE);
    out->stride_x = (stride & 1) + (stride >> 6 & 1) * 2 + 1;
    out->stride_y = (stride >> 1 & 1) + (stride >> 9 & 1) * 2 + 1;
    out->dilation_x = (stride >> 3 & 1) + 1;
    out->dilation_y = (stride >> 4 & 1) + 1;
    out->kernel_width = small(c, KERNEL_WIDTH_M1) / out->dilation_x + 1;
    out->kernel_height = small(c, KERNEL_HEIGHT_M1) / out->dilation_y + 1;
}

/* Bases and lengths come in pairs. */
static void take_weights(const struct ets_vela_commands *c, struct ets_vela_operation *out)
{
    static const struct {
        unsigned base;
        enum small region;
    } pairs[ETS_VELA_MOST_RANGES] = {
        {WEIGHT_BASE, WEIGHT_REGION},      {SCALE_BASE, SCALE_REGION},
        {WEIGHT1_BASE, WEIGHT_REGION},     {WEIGHT1_BASE + 2, WEIGHT_REGION},
        {WEIGHT1_BASE + 4, WEIGHT_REGION},
    };
    for (uint32_t i = 0; i < ETS_VELA_MOST_RANGES; i++) {
        const uint64_t bytes = wide(c, pairs[i].base + 1);
        if (bytes == 0) continue;
        out->weights[out->weight_count++] =
            (struct ets_vela_range){region(c, pairs[i].region), wide(c, pairs[i].base), bytes};
    }
}

static void take_copy(const struct ets_vela_commands *c, struct ets_vela_operation *out)
{
    const uint64_t bytes = wide(c, DMA_LENGTH);
    out->in = (struct ets_vela_operand){
        .range = {region(c, DMA_SOURCE_REGION), wide(c, DMA_SOURCE), bytes}, .is_dense = true};
    out->out = (struct ets_vela_operand){
        .range = {region(c, DMA_TARGET_REGION), wide(c, DMA_TARGET), bytes}, .is_dense = true};
}

static void take_operation(const struct ets_vela_commands *c, uint32_t kind, uint32_t mode,
                           struct ets_vela_operation *out)
{
    *out = (struct ets_vela_operation){.kind = kind, .mode = mode};
    if (kind == ETS_VELA_DMA) {
        take_copy(c, out);
        return;
    }
    take_kernel(c, out);
    take_input(c, out);
    take_output(c, out);
    if (kind != ETS_VELA_ELEMENTS) take_rest(c, out);
    if (kind == ETS_VELA_ELEMENTS) take_second(c, out);
    if (kind == ETS_VELA_CONVOLUTION || kind == ETS_VELA_DEPTHWISE) take_weights(c, out);
}

/* ---- commands ---- */

enum { STOP = 0, INTERRUPT = 1, DMA_WAIT = 0x11, KERNEL_WAIT = 0x12, PMU_MASK = 0x13 };
enum { OPCODE = 0x3ff, HAS_VALUE = 0xc000, FIRST_REGISTER = 0x100 };

static bool is_control(uint32_t opcode)
{
    return opcode == INTERRUPT || opcode == DMA_WAIT || opcode == KERNEL_WAIT || opcode == PMU_MASK;
}

bool ets_vela_commands_next(struct ets_vela_commands *c, struct ets_vela_operation *out)
{
    while (ets_range_fits(c->at, WORD, c->stream.size)) {
        const uint32_t word = ets_load_u32(c->stream.data + c->at);
        const uint32_t opcode = word & OPCODE, parameter = word >> 16;
        c->at += WORD;
        if ((word & HAS_VALUE) != 0) {
            if (!ets_range_fits(c->at, WORD, c->stream.size)) break;
            const uint64_t value = ets_load_u32(c->stream.data + c->at);
            c->at += WORD;
            /* the upper bits of addresses and strides */
            if (opcode < 0x100) c->wide[opcode] = (uint64_t)(parameter & 0xff) << 32 | value;
        } else if (opcode >= FIRST_REGISTER) {
            if (opcode < 0x200) c->small[opcode - FIRST_REGISTER] = (uint16_t)parameter;
        } else if (opcode == STOP) {
            break;
        } else if (!is_control(opcode)) {
            take_operation(c, opcode, parameter, out);
            return true;
        }
    }
    c->at = c->stream.size;
    return false;
}

uint64_t ets_vela_depth(const struct ets_vela_operation *operation)
{
    const uint64_t kernel = (uint64_t)operation->kernel_height * operation->kernel_width;
    switch (operation->kind) {
    case ETS_VELA_CONVOLUTION: return kernel * operation->in.depth; /* of 16 bits each */
    case ETS_VELA_DEPTHWISE: return kernel;
    case ETS_VELA_POOL:
        return operation->mode == ETS_VELA_POOL_SUM ? kernel * operation->in.depth : 0;
    default: return 0;
    }
}
