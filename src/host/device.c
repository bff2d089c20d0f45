/* Reads what /proc and /sys tell of a device. */
#define _POSIX_C_SOURCE 200809L
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/os/os_system.h"
#include "host/processor.h"
#include "host/text_builder.h"

enum { PATH = 512, MOST_CORES = 1024, MOST_ZONES = 128, MOST_KINDS = 8 };

/* The first line of a file, without what could break a line of the description. */
static void read_text(const char *root, const char *path, char *text, size_t room)
{
    char whole[PATH];
    text[0] = '\0';
    snprintf(whole, sizeof whole, "%.200s%s", root, path);
    FILE *file = fopen(whole, "r");
    if (file == NULL) return;
    if (fgets(text, (int)room, file) == NULL) text[0] = '\0';
    fclose(file);
    size_t size = 0;
    while (text[size] >= ' ' && text[size] != 127) size++;
    while (size > 0 && text[size - 1] == ' ') size--;
    text[size] = '\0';
}

static long read_number(const char *root, const char *path)
{
    char text[32];
    read_text(root, path, text, sizeof text);
    return strtol(text, NULL, 10);
}

/* Of a core, in MHz; 0: not told. */
static uint32_t read_clock(const char *root, unsigned core, const char *name)
{
    char path[PATH];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/cpufreq/%s", core, name);
    const long khz = read_number(root, path);
    return khz > 0 && khz < 100000000 ? (uint32_t)((khz + 500) / 1000) : 0;
}

/* Cores by the most that each can do: "4 of 1800 MHz, 4 of 2400 MHz". */
static void describe_cores(const char *root, uint32_t cores, struct ets_text_builder *text)
{
    uint32_t clocks[MOST_KINDS], counts[MOST_KINDS] = {0}, kinds = 0;
    for (uint32_t core = 0; core < cores && core < MOST_CORES; core++) {
        const uint32_t clock = read_clock(root, core, "cpuinfo_max_freq");
        uint32_t kind = 0;
        while (kind < kinds && clocks[kind] != clock) kind++;
        if (clock == 0 || kind == MOST_KINDS) {
            kinds = 0;
            break;
        }
        if (kind == kinds) clocks[kinds++] = clock;
        counts[kind]++;
    }
    if (kinds == 0) ets_add_text(text, "%u", cores);
    for (uint32_t i = 0; i < kinds; i++) {
        ets_add_text(text, "%s%u of %u MHz", i == 0 ? "" : ", ", counts[i], clocks[i]);
    }
}

void ets_device_read(const char *root, struct ets_device *device_out)
{
    static const char *const models[] = {"/sys/firmware/devicetree/base/model",
                                         "/sys/devices/virtual/dmi/id/product_name", NULL};
    struct ets_device *device = device_out;
    struct ets_processor processor;
    struct ets_text_builder cores = {device->cores, sizeof device->cores, 0};
    memset(device, 0, sizeof *device);
    for (size_t i = 0; models[i] != NULL && device->model[0] == '\0'; i++) {
        read_text(root, models[i], device->model, sizeof device->model);
    }
    ets_processor_read(&processor);
    snprintf(device->processor, sizeof device->processor, "%.120s", processor.name);
    ets_os_name_system(device->system, sizeof device->system);
    describe_cores(root, processor.cores, &cores);
    read_text(root, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", device->governor,
              sizeof device->governor);
}

/* The hottest of all zones that give a temperature which a device can have. */
static int32_t read_temperature(const char *root)
{
    char path[PATH];
    long hottest = 0;
    for (unsigned zone = 0; zone < MOST_ZONES; zone++) {
        snprintf(path, sizeof path, "/sys/class/thermal/thermal_zone%u/temp", zone);
        const long value = read_number(root, path);
        if (value > hottest && value < 150000) hottest = value;
    }
    return (int32_t)hottest;
}

/* "0.52 0.58 0.59 3/412 5678": of the last minute and longer ones; that run, of all; a number. */
static void read_load(const char *root, struct ets_device_moment *moment)
{
    char text[128];
    double load;
    unsigned running;
    read_text(root, "/proc/loadavg", text, sizeof text);
    if (sscanf(text, "%lf %*f %*f %u/", &load, &running) != 2) return;
    if (!(load >= 0 && load < 1e6)) return;
    moment->has_load = true;
    moment->load = (uint32_t)(load * 100 + 0.5);
    moment->others = running > 0 ? running - 1 : 0;
}

void ets_device_read_moment(const char *root, struct ets_device_moment *moment_out)
{
    struct ets_device_moment *moment = moment_out;
    const uint32_t cores = ets_os_cores();
    *moment = (struct ets_device_moment){.limit_mhz = 0};
    for (uint32_t core = 0; core < cores && core < MOST_CORES; core++) {
        const uint32_t limit = read_clock(root, core, "scaling_max_freq");
        const uint32_t clock = read_clock(root, core, "scaling_cur_freq");
        if (limit > moment->limit_mhz) moment->limit_mhz = limit;
        if (clock > moment->clock_mhz) moment->clock_mhz = clock;
    }
    moment->temperature = read_temperature(root);
    read_load(root, moment);
    const long charge = read_number(root, "/sys/class/power_supply/battery/capacity");
    if (charge > 0 && charge <= 100) moment->battery = (uint32_t)charge;
    read_text(root, "/sys/class/power_supply/battery/status", moment->charging,
              sizeof moment->charging);
}

static void add_fact(struct ets_text_builder *text, const char *name, const char *value)
{
    if (value[0] != '\0') ets_add_plain_text(text, "%s=%s\n", name, value);
}

/* A fact before and after, with so many decimals. */
static void add_moments(struct ets_text_builder *text, const char *name, double before,
                        double after, int decimals)
{
    if (!(before > 0 && after > 0)) return;
    ets_add_plain_text(text, "%s=%.*f %.*f\n", name, decimals, before, decimals, after);
}

size_t ets_device_describe(const struct ets_device *device, const struct ets_device_moment *before,
                           const struct ets_device_moment *after, char *text, size_t room)
{
    struct ets_text_builder lines = {text, room, 0};
    add_fact(&lines, "model", device->model);
    add_fact(&lines, "processor", device->processor);
    add_fact(&lines, "system", device->system);
    add_fact(&lines, "cores", device->cores);
    add_fact(&lines, "governor", device->governor);
    add_moments(&lines, "limit_mhz", before->limit_mhz, after->limit_mhz, 0);
    add_moments(&lines, "clock_mhz", before->clock_mhz, after->clock_mhz, 0);
    add_moments(&lines, "temperature", before->temperature / 1000.0, after->temperature / 1000.0,
                1);
    if (after->battery > 0) {
        ets_add_plain_text(&lines, "battery=%u%s%s\n", after->battery,
                           after->charging[0] == '\0' ? "" : " ", after->charging);
    }
    if (before->has_load && after->has_load) {
        ets_add_plain_text(&lines, "load=%.2f %.2f\nothers=%u %u\n", before->load / 100.0,
                           after->load / 100.0, before->others, after->others);
    }
    return lines.used;
}
