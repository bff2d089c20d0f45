/* What is read of a device's /sys, from folders that are made here. */
#define _XOPEN_SOURCE 700
#include "host/device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

/* A folder with a file; folders on the way are made. */
static void put(const char *root, const char *path, const char *text)
{
    char whole[512];
    snprintf(whole, sizeof whole, "%s%s", root, path);
    for (char *slash = whole + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        mkdir(whole, 0700);
        *slash = '/';
    }
    FILE *file = fopen(whole, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void remove_all(const char *root)
{
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    assert_int_equal(system(command), 0);
}

static const char cpu0[] = "/sys/devices/system/cpu/cpu0/cpufreq/";

static void put_clock(const char *root, const char *name, const char *khz)
{
    char path[256];
    snprintf(path, sizeof path, "%s%s", cpu0, name);
    put(root, path, khz);
}

static void device__is_described_with_both_moments(void **state)
{
    (void)state;
    char root[] = "/tmp/etscope-device-XXXXXX", text[ETS_DEVICE_DESCRIPTION];
    struct ets_device device;
    struct ets_device_moment before, after;
    assert_non_null(mkdtemp(root));
    put(root, "/sys/firmware/devicetree/base/model", "A Board\x01 with more\n");
    put_clock(root, "scaling_governor", "schedutil\n");
    put_clock(root, "scaling_max_freq", "2400000\n");
    put_clock(root, "scaling_cur_freq", "1200400\n");
    put(root, "/sys/class/thermal/thermal_zone0/temp", "41250\n");
    put(root, "/sys/class/thermal/thermal_zone1/temp", "-274000\n");
    put(root, "/proc/loadavg", "0.00 0.10 0.20 1/99 1234\n");
    ets_device_read(root, &device);
    assert_string_equal(device.model, "A Board"); /* up to what would break a line */
    assert_string_equal(device.governor, "schedutil");
    ets_device_read_moment(root, &before);
    assert_int_equal(before.limit_mhz, 2400);
    assert_int_equal(before.clock_mhz, 1200);
    assert_int_equal(before.temperature, 41250);
    assert_int_equal(before.battery, 0);
    put_clock(root, "scaling_max_freq", "1800000\n");
    put(root, "/sys/class/thermal/thermal_zone1/temp", "72000\n");
    put(root, "/sys/class/power_supply/battery/capacity", "87\n");
    put(root, "/sys/class/power_supply/battery/status", "Discharging\n");
    put(root, "/proc/loadavg", "2.52 1.10 0.20 4/99 1234\n");
    ets_device_read_moment(root, &after);
    device.processor[0] = device.system[0] = '\0'; /* this machine's own */
    snprintf(device.cores, sizeof device.cores, "1 of 2400 MHz");
    ets_device_describe(&device, &before, &after, text, sizeof text);
    assert_string_equal(text,
                        "model=A Board\ncores=1 of 2400 MHz\ngovernor=schedutil\n"
                        "limit_mhz=2400 1800\nclock_mhz=1200 1200\n"
                        "temperature=41.2 72.0\nbattery=87 Discharging\n"
                        "load=0.00 2.52\nothers=0 3\n");
    remove_all(root);
}

static void device__that_tells_nothing_is_no_error(void **state)
{
    (void)state;
    char text[ETS_DEVICE_DESCRIPTION];
    struct ets_device device;
    struct ets_device_moment moment;
    ets_device_read("/nowhere", &device);
    ets_device_read_moment("/nowhere", &moment);
    assert_string_equal(device.model, "");
    assert_int_equal(moment.limit_mhz + moment.clock_mhz + moment.battery, 0);
    assert_false(moment.has_load);
    assert_true(strtol(device.cores, NULL, 10) >= 1);
    const size_t size = ets_device_describe(&device, &moment, &moment, text, sizeof text);
    assert_true(size > 0 && strstr(text, "limit_mhz") == NULL && strstr(text, "model") == NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(device__is_described_with_both_moments),
        cmocka_unit_test(device__that_tells_nothing_is_no_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
