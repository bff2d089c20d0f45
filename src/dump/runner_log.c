/* Reads the log of ExecuTorch's runner for Cortex-M and Ethos-U. */
#include "dump/runner_log.h"

#include <string.h>

#include "base/byte_layout.h"
#include "base/crc32.h"
#include "base/extra_keys.h"
#include "base/load.h"
#include "base/origin_entries.h"
#include "base/text.h"
#include "dump/device_log_text.h"
#include "dump/extra_growth.h"
#include "etscope/trace_extra.h"

static const uint8_t *find(struct ets_bytes text, const char *word)
{
    const size_t size = strlen(word);
    for (size_t at = 0; size <= text.size - at && at < text.size;) {
        const uint8_t *found = memchr(text.data + at, word[0], text.size - at);
        if (found == NULL || (size_t)(text.data + text.size - found) < size) return NULL;
        if (memcmp(found, word, size) == 0) return found;
        at = (size_t)(found - text.data) + 1;
    }
    return NULL;
}

static struct ets_bytes from(struct ets_bytes text, size_t at)
{
    return (struct ets_bytes){text.data + at, text.size - at};
}

static bool starts_with(struct ets_bytes text, const char *word)
{
    const size_t size = strlen(word);
    return text.size >= size && memcmp(text.data, word, size) == 0;
}

enum command_kind { CUT_OFF, DEBUG_BUFFER, ETDUMP, ANOTHER_FILE };

struct command {
    enum command_kind kind;
    struct ets_bytes before;  /* from the command before it, or the log's beginning */
    struct ets_bytes content; /* decoded */
};

static enum command_kind kind_of(struct ets_bytes after, struct ets_bytes content)
{
    enum { MAGIC_AT = 8 };
    if (starts_with(after, " >debug_buffer.bin")) return DEBUG_BUFFER;
    if (starts_with(after, " >etdump.bin")) return ETDUMP;
    const bool is_etdump = content.size > MAGIC_AT && starts_with(from(content, MAGIC_AT), "ED00");
    return is_etdump ? ETDUMP : ANOTHER_FILE;
}

/* Decodes the next command of `*text` to `out`, and moves `*text` behind it; false: none. */
static bool next_command(struct ets_bytes *text, uint8_t *out, struct command *command_out)
{
    static const char begin[] = "echo \"", end[] = "\" | base64 -d";
    size_t used;
    const uint8_t *found = text->size > 0 ? find(*text, begin) : NULL;
    if (found == NULL) return false;
    *command_out = (struct command){.before = {text->data, (size_t)(found - text->data)}};
    *text = from(*text, command_out->before.size + sizeof begin - 1);
    const size_t size = ets_decode_base64(*text, out, &used);
    *text = from(*text, used);
    if (!starts_with(*text, end)) return true; /* CUT_OFF */
    *text = from(*text, sizeof end - 1);
    command_out->content = (struct ets_bytes){out, size};
    command_out->kind = kind_of(*text, command_out->content);
    return true;
}

struct ets_runner_files ets_runner_files_decode(struct ets_bytes text, uint8_t *out)
{
    struct ets_runner_files files = {.all = {out, 0}};
    struct command command;
    while (next_command(&text, out + files.all.size, &command)) {
        files.all.size += command.content.size;
        files.debug_buffers += command.kind == DEBUG_BUFFER && command.content.size > 0;
    }
    return files;
}

static bool is_within(struct ets_bytes inner, struct ets_bytes outer)
{
    return inner.size > 0 && inner.data >= outer.data && inner.size <= outer.size &&
           (size_t)(inner.data - outer.data) <= outer.size - inner.size;
}

struct ets_runner_start ets_runner_start_find(struct ets_bytes text, uint8_t *out,
                                              struct ets_bytes dump)
{
    struct ets_runner_start start = {.log = {text.data, 0}};
    struct command command;
    enum command_kind last = ANOTHER_FILE;
    bool has_marks = false; /* the runner prints one in front of its files; logs may leave it out */
    while (next_command(&text, out, &command)) {
        const bool is_marked = find(command.before, "#[RUN THIS]") != NULL;
        has_marks |= is_marked;
        const bool is_new = is_marked || last == ETDUMP || (last == CUT_OFF && !has_marks);
        if (is_new) start.log.data = command.before.data;
        if (is_new || last == CUT_OFF) start.debug_buffer = (struct ets_bytes){NULL, 0};
        out += command.content.size;
        last = command.kind;
        if (last == DEBUG_BUFFER) start.debug_buffer = command.content;
        if (last == DEBUG_BUFFER || !is_within(dump, command.content)) continue;
        start.log.size = (size_t)(text.data - start.log.data);
        return start;
    }
    return (struct ets_runner_start){.log = {NULL, 0}};
}

bool ets_runner_counts_cycles(struct ets_bytes text)
{
    /* What it prints itself, and counters that only it has: its clock is the Cortex-M's. */
    static const char *const marks[] = {"source_time_scale cycles", "arm_executor_runner.cpp",
                                        "arm_perf_monitor.cpp", "ethosu_pmu_cycle_cntr"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (find(text, marks[i]) != NULL) return true;
    }
    return false;
}

/* As in arm_perf_monitor.cpp; its headings and the remark that its ratios need an FPGA among them.
 */
static bool is_counter(struct ets_text line)
{
    static const char *const beginnings[] = {
        "NPU Inferences",      "NPU delegations",     "ethos-u ",
        "Operator(s) total",   "Inference runtime",   "NOTE: CPU cycle values",
        "Inference CPU ratio", "Inference NPU ratio", "cpu_wait_for_npu_cntr",
        "ethosu_pmu_",         "Ethos-U PMU Events",  "Ethos-U delegate"};
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++) {
        if (ets_text_starts_with(line, beginnings[i])) return true;
    }
    return false;
}

/* "I [executorch:arm_perf_monitor.cpp:125 StopMeasurements()] text": the text. */
static struct ets_text message_of(struct ets_text line)
{
    static const char mark[] = "[executorch:";
    const struct ets_bytes bytes = {(const uint8_t *)line.data, line.size};
    const uint8_t *found = find(bytes, mark);
    if (found == NULL) return line;
    const struct ets_bytes rest = from(bytes, (size_t)(found - bytes.data));
    const uint8_t *end = find(rest, "] ");
    if (end == NULL) return line;
    return (struct ets_text){(const char *)end + 2, (size_t)(bytes.data + bytes.size - end) - 2};
}

bool ets_runner_next_counter(struct ets_bytes text, size_t *at, struct ets_text *line_out)
{
    while (*at < text.size) {
        const uint8_t *start = text.data + *at;
        const uint8_t *end = memchr(start, '\n', text.size - *at);
        size_t size = end != NULL ? (size_t)(end - start) : text.size - *at;
        *at += size + 1;
        while (size > 0 && (start[size - 1] == '\r' || start[size - 1] == ' ')) size--;
        *line_out = message_of((struct ets_text){(const char *)start, size});
        if (is_counter(*line_out)) return true;
    }
    return false;
}

size_t ets_runner_mark_cycles(struct ets_bytes dump, uint8_t *out)
{
    enum { PREFIX = 4, CLOCK = 32, CYCLES = 16, ENTRIES = CLOCK + CYCLES, FOOTER = 16 };
    if (dump.size < 2 * PREFIX || dump.size > UINT32_MAX - ETS_RUNNER_EXTRA_BYTES) return 0;
    if (memcmp(dump.data + dump.size - 4, "ETSX", 4) == 0) return 0;
    if (ets_load_u32(dump.data) != dump.size - PREFIX) return 0;
    const size_t body = (dump.size + 7) / 8 * 8, size = body + ENTRIES + FOOTER;
    memset(out, 0, size);
    memcpy(out, dump.data, dump.size);
    ets_store_bytes(out, (uint32_t)(size - PREFIX), 4);
    uint8_t *clock = out + body, *cycles = clock + CLOCK, *footer = cycles + CYCLES;
    ets_store_bytes(clock, ETS_TRACE_KEY_CLOCK, 4);
    ets_store_bytes(clock + 4, CLOCK - 8, 4);
    ets_store_bytes(clock + 8, 1, 4);         /* there was one; */
    ets_store_bytes(clock + CLOCK - 4, 1, 4); /* 1 for a tick, in 32 fractional bits */
    ets_store_bytes(cycles, ETS_EXTRA_CYCLES, 4);
    ets_store_bytes(cycles + 4, ETS_ORIGIN_CYCLES_BYTES, 4);
    ets_store_bytes(cycles + 8, 1, 4);
    ets_store_bytes(footer, ENTRIES, 4);
    ets_store_bytes(footer + 4, ets_crc32(0, clock, ENTRIES), 4);
    ets_store_bytes(footer + 8, 1, 4);
    memcpy(footer + 12, "ETSX", 4);
    return size;
}
