/* The names of what is measured. */
#include "cost/machine.h"

static const struct {
    const char *name;
    enum ets_roof_kind kind;
} programs[ETS_ROOF_PROGRAMS] = {
    [ETS_ROOF_FLOAT32] = {"float32", ETS_ROOF_COMPUTE},
    [ETS_ROOF_FLOAT16] = {"float16", ETS_ROOF_COMPUTE},
    [ETS_ROOF_INT8] = {"int8", ETS_ROOF_COMPUTE},
    [ETS_ROOF_INT8_DYNAMIC] = {"int8_dynamic", ETS_ROOF_COMPUTE},
    [ETS_ROOF_ADD] = {"add", ETS_ROOF_BANDWIDTH},
    [ETS_ROOF_COPY] = {"copy", ETS_ROOF_BANDWIDTH},
    [ETS_ROOF_IN_PLACE] = {"in_place", ETS_ROOF_BANDWIDTH},
    [ETS_ROOF_READ] = {"read", ETS_ROOF_BANDWIDTH},
    [ETS_ROOF_KERNEL] = {"kernel", ETS_ROOF_CALL},
    [ETS_ROOF_DELEGATE] = {"delegate", ETS_ROOF_CALL},
};

static const char *const kinds[ETS_ROOF_KINDS] = {"compute", "bandwidth", "call"};

const char *ets_roof_program_name(enum ets_roof_program program)
{
    return programs[program].name;
}

enum ets_roof_kind ets_roof_kind(enum ets_roof_program program)
{
    return programs[program].kind;
}

const char *ets_roof_kind_name(enum ets_roof_kind kind)
{
    return kinds[kind];
}
