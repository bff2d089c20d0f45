/* Tells a trace which device it was recorded on, and how that was before and after. */
#ifndef ETSCOPE_CLI_SESSION_TELL_DEVICE_H
#define ETSCOPE_CLI_SESSION_TELL_DEVICE_H

#include <stdbool.h>

#include "dump/extra_growth.h"
#include "host/device.h"

/* Adds the entry, with how the device is now. False: no memory. */
bool cli_tell_device(struct ets_extra_growth *told, const struct ets_device_moment *before);

#endif
