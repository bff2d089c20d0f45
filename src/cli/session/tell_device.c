/* The entry DEVICE of a trace's extra block; docs/SPEC.md, section 6. */
#include "cli/session/tell_device.h"

#include <string.h>

#include "dump/extra_device.h"

bool cli_tell_device(struct ets_extra_growth *told, const struct ets_device_moment *before)
{
    char text[ETS_DEVICE_DESCRIPTION];
    struct ets_device device;
    struct ets_device_moment after;
    ets_device_read("", &device);
    ets_device_read_moment("", &after);
    const size_t size = ets_device_describe(&device, before, &after, text, sizeof text);
    return ets_extra_device_add(told, (struct ets_text){text, size});
}
