/* Names the instruction that runs when the process faults. */
#include "cli/session/crash.h"

#include <string.h>

#include "host/os/os_signals.h"
#include "host/output.h"

/* Read by the handler. */
static const struct ets_engine *engine;
static const struct ets_program *program;
static const char *path;
static bool has_trace;

/* One line, made without the C library's formatting, which a handler may not call. */
struct line {
    char text[512];
    size_t size;
};

static void add_bytes(struct line *line, const char *data, size_t size)
{
    for (size_t i = 0; i < size && line->size < sizeof line->text - 1; i++) {
        const unsigned char byte = (unsigned char)data[i];
        line->text[line->size++] = byte < ' ' || byte > '~' ? '?' : (char)byte;
    }
}

static void add_words(struct line *line, const char *words)
{
    add_bytes(line, words, strlen(words));
}

static void add_number(struct line *line, uint64_t number)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    add_bytes(line, digits + at, sizeof digits - at);
}

/* ", aten::div.out", where the program has the instruction. */
static void add_name(struct line *line, const struct ets_engine_place *place)
{
    struct ets_method method;
    struct ets_chain chain;
    struct ets_instruction instruction;
    if (ets_program_find_method(program, place->method, &method, NULL) != ETS_OK) return;
    if (place->chain < 0 || place->chain >= (int64_t)method.chain_count) return;
    ets_method_chain(&method, (uint32_t)place->chain, &chain);
    if (place->instruction >= (int64_t)chain.instruction_count) return;
    ets_chain_instruction(&chain, (uint32_t)place->instruction, &instruction);
    if (instruction.name.size == 0) return;
    add_words(line, ", ");
    add_bytes(line, instruction.name.data, instruction.name.size);
    if (instruction.overload.size == 0) return;
    add_words(line, ".");
    add_bytes(line, instruction.overload.data, instruction.overload.size);
}

static void add_place(struct line *line)
{
    struct ets_engine_place place = {.method = NULL};
    if (engine != NULL) engine->current_place(&place);
    if (place.method == NULL) return;
    add_words(line, place.is_loading ? " while it loaded " : " while it ran ");
    add_words(line, place.method);
    if (place.instruction < 0) {
        if (!place.is_loading && !has_trace) {
            add_words(line, "; -o TRACE makes it know the instruction");
        }
        return;
    }
    add_words(line, ", in instruction ");
    add_number(line, (uint64_t)place.instruction);
    add_name(line, &place);
}

static void take_fault(const char *what)
{
    struct line line = {.size = 0};
    add_words(&line, "etscope: ");
    add_words(&line, path);
    add_words(&line, ": the process crashed (");
    add_words(&line, what);
    add_words(&line, ")");
    add_place(&line);
    line.text[line.size++] = '\n';
    ets_os_say(line.text, line.size);
    ets_output_remove_temporaries();
}

void cli_crash_watch(const struct ets_engine *watched_engine,
                     const struct ets_program *watched_program, const char *watched_path,
                     bool is_traced)
{
    engine = watched_engine;
    program = watched_program;
    path = watched_path;
    has_trace = is_traced;
    ets_os_watch_faults(take_fault);
}

void cli_crash_forget(void)
{
    ets_os_forget_faults();
    engine = NULL;
}
