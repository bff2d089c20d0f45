/* Reads properties of the processor: from files on Linux, elsewhere as the system tells them. */
#include "host/processor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/os/os_system.h"

/* The first line of a file; "" if it cannot be read. */
static void read_line(const char *path, char *line, size_t room)
{
    line[0] = '\0';
    FILE *file = fopen(path, "r");
    if (file == NULL) return;
    if (fgets(line, (int)room, file) == NULL) line[0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    fclose(file);
}

/* The value of "key   : value", or NULL. */
static const char *value_of(const char *line, const char *key)
{
    const size_t size = strlen(key);
    if (strncmp(line, key, size) != 0 || strchr(" \t:", line[size]) == NULL) return NULL;
    const char *value = strchr(line, ':');
    return value == NULL ? NULL : value + 1 + strspn(value + 1, " \t");
}

static void keep(char *text, size_t room, const char *value)
{
    if (value != NULL && text[0] == '\0') snprintf(text, room, "%s", value);
}

/* x86 has "model name" and "flags"; 64-bit ARM only "Features", and sometimes "Hardware". */
static void read_cpuinfo(struct ets_processor *processor)
{
    char line[sizeof processor->flags + 64];
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (file == NULL) return;
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        keep(processor->name, sizeof processor->name, value_of(line, "model name"));
        keep(processor->name, sizeof processor->name, value_of(line, "Hardware"));
        keep(processor->flags, sizeof processor->flags, value_of(line, "flags"));
        keep(processor->flags, sizeof processor->flags, value_of(line, "Features"));
    }
    fclose(file);
}

/* The number of cores in a list such as "0-3,8". */
static uint32_t count_listed(const char *list)
{
    uint32_t count = 0;
    while (*list >= '0' && *list <= '9' && count < UINT32_MAX / 2) {
        char *end;
        const unsigned long first = strtoul(list, &end, 10);
        const unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
        if (last >= first && last - first < 1u << 20) count += (uint32_t)(last - first + 1);
        list = *end == ',' ? end + 1 : end;
    }
    return count == 0 ? 1 : count;
}

static void read_cache(struct ets_processor *processor, unsigned index)
{
    enum { PATH = 96, LINE = 256 };
    static const char *const names[] = {"level", "type", "size", "shared_cpu_list"};
    char path[PATH], lines[4][LINE], *unit;
    for (size_t i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%u/%s", index,
                 names[i]);
        read_line(path, lines[i], sizeof lines[i]);
    }
    const unsigned long level = strtoul(lines[0], NULL, 10);
    uint64_t bytes = strtoull(lines[2], &unit, 10);
    if (*unit == 'K') bytes <<= 10;
    if (*unit == 'M') bytes <<= 20;
    if (level < 1 || level > ETS_CACHE_LEVELS || strcmp(lines[1], "Instruction") == 0) return;
    processor->caches[level - 1] = (struct ets_cache){bytes, count_listed(lines[3])};
}

/* Where there are no files. */
static void read_system(struct ets_processor *processor)
{
    struct ets_os_processor told;
    ets_os_read_processor(&told);
    memcpy(processor->name, told.name, sizeof processor->name);
    for (size_t i = 0; i < sizeof told.cache_bytes / sizeof *told.cache_bytes; i++) {
        processor->caches[i] = (struct ets_cache){told.cache_bytes[i], told.cache_bytes[i] > 0};
    }
}

void ets_processor_read(struct ets_processor *processor)
{
    enum { CACHES = 8 };
    *processor = (struct ets_processor){.cores = ets_os_cores()};
    read_system(processor);
    read_cpuinfo(processor);
    for (unsigned i = 0; i < CACHES; i++) read_cache(processor, i);
    read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", processor->governor,
              sizeof processor->governor);
}
