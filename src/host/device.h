/*
 * The device that a program runs on, and how it is at a moment, as far as Linux and Android tell.
 *
 *     struct ets_device device;
 *     struct ets_device_moment before, after;
 *     ets_device_read("", &device);
 *     ets_device_read_moment("", &before);
 *     work();
 *     ets_device_read_moment("", &after);
 *     const size_t size = ets_device_describe(&device, &before, &after, text, sizeof text);
 *
 * `root` is a folder with proc and sys in it, for tests; "" is the device itself. Nothing of it
 * tells one device from another of the same kind: no names, serial numbers or addresses.
 */
#ifndef ETSCOPE_HOST_DEVICE_H
#define ETSCOPE_HOST_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ETS_DEVICE_TEXT = 128, ETS_DEVICE_DESCRIPTION = 1024 };

/* Texts are empty where the system does not tell. */
struct ets_device {
    char model[ETS_DEVICE_TEXT];     /* "Raspberry Pi 5 Model B Rev 1.0" */
    char processor[ETS_DEVICE_TEXT]; /* "AMD EPYC" */
    char system[ETS_DEVICE_TEXT];    /* "Linux 6.1.0 aarch64" */
    char cores[ETS_DEVICE_TEXT];     /* "4 of 1800 MHz, 4 of 2400 MHz", "2" */
    char governor[ETS_DEVICE_TEXT];  /* of the first core: "schedutil" */
};

/* 0: not known. */
struct ets_device_moment {
    uint32_t limit_mhz;  /* what the system allows the fastest core now */
    uint32_t clock_mhz;  /* of the core that is fastest now */
    int32_t temperature; /* of the hottest part, in thousandths of a degree Celsius */
    uint32_t battery;    /* charge, percent */
    char charging[32];   /* "Discharging" */
    bool has_load;       /* the next two are known */
    uint32_t load;       /* hundredths of what ran or waited on average in the last minute */
    uint32_t others;     /* threads that run or wait for a core now, but for the caller's */
};

void ets_device_read(const char *root, struct ets_device *device_out);
void ets_device_read_moment(const char *root, struct ets_device_moment *moment_out);

/*
 * A line "name=value" for each fact that is known: model, processor, system, cores, governor,
 * limit_mhz, clock_mhz, temperature, battery, load, others; those of moments with both values.
 * Returns the size.
 */
size_t ets_device_describe(const struct ets_device *device, const struct ets_device_moment *before,
                           const struct ets_device_moment *after, char *text, size_t room);

#endif
