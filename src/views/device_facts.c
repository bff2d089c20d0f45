/* Reads the lines of a device, and words what they mean for times. */
#include "views/device_facts.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

/* Below it, a limit is another: systems round them. */
#define LEAST_LOWERED 0.02
/* Below it, parts of a device warm up and cool down by themselves. Degrees. */
#define LEAST_RISE 5
/* Of the cores, that others took in the minute before: below it, the runs had cores of their own.
 */
#define LEAST_LOAD 0.5

bool ets_device_fact_next(struct ets_text device, size_t *at, struct ets_text *name_out,
                          struct ets_text *value_out)
{
    while (*at < device.size) {
        const char *line = device.data + *at;
        const char *end = memchr(line, '\n', device.size - *at);
        const size_t size = end == NULL ? device.size - *at : (size_t)(end - line);
        const char *equals = memchr(line, '=', size);
        *at += size + 1;
        if (equals == NULL || equals == line) continue;
        *name_out = (struct ets_text){line, (size_t)(equals - line)};
        *value_out = (struct ets_text){equals + 1, size - name_out->size - 1};
        return true;
    }
    return false;
}

struct ets_text ets_device_fact(struct ets_text device, const char *name)
{
    struct ets_text found, value;
    for (size_t at = 0; ets_device_fact_next(device, &at, &found, &value);) {
        if (ets_text_is(found, name)) return value;
    }
    return (struct ets_text){NULL, 0};
}

/* Two numbers with a space between. */
static bool read_pair(struct ets_text value, double pair[2])
{
    size_t at = 0;
    for (int i = 0; i < 2; i++) {
        double scale = 1;
        bool has_point = false, has_digit = false;
        for (pair[i] = 0; at < value.size && value.data[at] != ' '; at++) {
            const char c = value.data[at];
            if (c == '.' && !has_point) {
                has_point = true;
                continue;
            }
            if (c < '0' || c > '9' || pair[i] > 1e9) return false;
            pair[i] = pair[i] * 10 + (c - '0');
            if (has_point) scale *= 10;
            has_digit = true;
        }
        if (!has_digit) return false;
        pair[i] /= scale;
        at++;
    }
    return at > value.size;
}

void ets_add_device(struct ets_text_builder *text, struct ets_text device)
{
    static const char *const names[] = {"model", "processor", "system", "cores", "governor"};
    const char *between = "";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct ets_text value = ets_device_fact(device, names[i]);
        if (value.size == 0) continue;
        ets_add_text(text, "%s%s%.*s", between,
                     i == 3   ? "cores "
                     : i == 4 ? "governor "
                              : "",
                     (int)(value.size < 100 ? value.size : 100), value.data);
        between = ", ";
    }
}

void ets_add_throttling(struct ets_text_builder *text, struct ets_text device)
{
    double limit[2], temperature[2];
    const bool is_lowered = read_pair(ets_device_fact(device, "limit_mhz"), limit) &&
                            limit[1] < (1 - LEAST_LOWERED) * limit[0];
    if (!is_lowered) return;
    ets_add_text(text,
                 "the system lowered the clock from %.0f to %.0f MHz at most while this was "
                 "recorded",
                 limit[0], limit[1]);
    if (read_pair(ets_device_fact(device, "temperature"), temperature)) {
        ets_add_text(text, " (temperature %.1f to %.1f degrees Celsius)", temperature[0],
                     temperature[1]);
    }
    ets_add_text(text, ": the later runs are slower by it");
}

/* "2", "4 of 1800 MHz, 4 of 2400 MHz". */
static double count_cores(struct ets_text cores)
{
    double all = 0, number = 0;
    bool is_count = true;
    for (size_t i = 0; i < cores.size; i++) {
        const char c = cores.data[i];
        if (is_count && c >= '0' && c <= '9') {
            number = number < 1e6 ? number * 10 + (c - '0') : number;
            continue;
        }
        all += number;
        number = 0;
        is_count = c == ',' || (is_count && c == ' ');
    }
    return all + number;
}

void ets_add_load(struct ets_text_builder *text, struct ets_text device)
{
    double load[2], others[2];
    const double cores = count_cores(ets_device_fact(device, "cores"));
    if (!read_pair(ets_device_fact(device, "load"), load) ||
        !read_pair(ets_device_fact(device, "others"), others)) {
        return;
    }
    if (cores < 1 || others[0] < 1 || load[0] < LEAST_LOAD * cores) return;
    ets_add_text(
        text,
        "other programs ran on the device (%.0f thread%s when the runs began, load average "
        "%.2f on %.0f core%s): times may be longer by them",
        others[0], others[0] == 1 ? "" : "s", load[0], cores, cores == 1 ? "" : "s");
}

void ets_add_warming(struct ets_text_builder *text, struct ets_text device)
{
    double temperature[2];
    if (!read_pair(ets_device_fact(device, "temperature"), temperature)) return;
    if (temperature[1] - temperature[0] < LEAST_RISE) return;
    ets_add_text(text, "the temperature rose from %.1f to %.1f degrees Celsius", temperature[0],
                 temperature[1]);
}

void ets_add_other_device(struct ets_text_builder *text, struct ets_text before,
                          struct ets_text after)
{
    static const char *const names[] = {"model", "processor", "cores", "governor"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct ets_text left = ets_device_fact(before, names[i]);
        const struct ets_text right = ets_device_fact(after, names[i]);
        if (left.data == NULL || right.data == NULL || ets_text_equal(left, right)) continue;
        const char *what = i < 2 ? "" : i == 2 ? "cores " : "governor ";
        ets_add_text(text, "%s%.*s before and %s%.*s after", what,
                     (int)(left.size < 100 ? left.size : 100), left.data, what,
                     (int)(right.size < 100 ? right.size : 100), right.data);
        return;
    }
}
