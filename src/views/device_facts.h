/*
 * What a trace tells of the device that it was recorded on.
 *
 *     struct ets_text value;
 *     for (size_t at = 0; ets_device_fact_next(facts->device, &at, &name, &value);) show(name,
 * value);
 *
 * Texts are borrowed from the trace. A line without "=" is skipped.
 */
#ifndef ETSCOPE_VIEWS_DEVICE_FACTS_H
#define ETSCOPE_VIEWS_DEVICE_FACTS_H

#include <stdbool.h>

#include "etscope/base.h"
#include "host/text_builder.h"

/* The next fact from `*at`, which starts at 0. False: the end. */
bool ets_device_fact_next(struct ets_text device, size_t *at, struct ets_text *name_out,
                          struct ets_text *value_out);
/* The fact of this name; data NULL: the trace does not tell. */
struct ets_text ets_device_fact(struct ets_text device, const char *name);

/* "Pixel 8, Linux 6.1.0 aarch64, cores 8, governor schedutil"; nothing if the trace does not tell.
 */
void ets_add_device(struct ets_text_builder *text, struct ets_text device);

/*
 * "the system lowered the clock from 2400 to 1800 MHz at most while this was recorded (temperature
 * 41.0 to 72.5 degrees Celsius): the later runs are slower by it"; nothing if it did not, or did
 * not tell.
 */
void ets_add_throttling(struct ets_text_builder *text, struct ets_text device);

/*
 * "other programs ran on the device (3 threads when the runs began, load average 3.10 on 2 cores):
 * times may be longer by them"; nothing if the cores were mostly free, or the trace does not tell.
 */
void ets_add_load(struct ets_text_builder *text, struct ets_text device);

/* "the temperature rose from 41.0 to 72.5 degrees Celsius"; nothing below 5 degrees. */
void ets_add_warming(struct ets_text_builder *text, struct ets_text device);

/* "Pixel 8 before and Pixel 9 after"; nothing if both are of one kind, or one does not tell. */
void ets_add_other_device(struct ets_text_builder *text, struct ets_text before,
                          struct ets_text after);

#endif
