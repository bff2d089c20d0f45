/* Names the instruction that runs when the process faults. */
#define _XOPEN_SOURCE 700
#include "cli/session/crash.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "host/output.h"

static const struct crash_signal {
    int number;
    const char *name;
} crash_signals[] = {{SIGSEGV, "SIGSEGV: invalid memory address"},
                     {SIGFPE, "SIGFPE: integer division by zero, for example"},
                     {SIGBUS, "SIGBUS: invalid memory address"},
                     {SIGABRT, "SIGABRT: it ended itself"},
                     {SIGTRAP, "SIGTRAP: it ended itself"},
                     {SIGILL, "SIGILL: instruction that this processor lacks, for example"}};
enum { SIGNAL_COUNT = sizeof crash_signals / sizeof *crash_signals, STACK_BYTES = 1 << 16 };

/* Read by the handler. */
static const struct ets_engine *engine;
static const struct ets_program *program;
static const char *path;
static bool has_trace;
static char stack[STACK_BYTES]; /* a fault may be the end of the thread's own */

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

static void take_fault(int number)
{
    struct line line = {.size = 0};
    const char *what = "";
    for (size_t i = 0; i < SIGNAL_COUNT; i++) {
        if (crash_signals[i].number == number) what = crash_signals[i].name;
    }
    add_words(&line, "etscope: ");
    add_words(&line, path);
    add_words(&line, ": the process crashed (");
    add_words(&line, what);
    add_words(&line, ")");
    add_place(&line);
    line.text[line.size++] = '\n';
    const ssize_t written = write(STDERR_FILENO, line.text, line.size);
    (void)written; /* nobody is left to be told */
    ets_output_remove_temporaries();
    signal(number, SIG_DFL);
    raise(number); /* the caller sees what ended the process */
}

void cli_crash_watch(const struct ets_engine *watched_engine,
                     const struct ets_program *watched_program, const char *watched_path,
                     bool is_traced)
{
    const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    engine = watched_engine;
    program = watched_program;
    path = watched_path;
    has_trace = is_traced;
    sigaltstack(&alternate, NULL);
    for (size_t i = 0; i < SIGNAL_COUNT; i++) {
        struct sigaction action = {.sa_handler = take_fault, .sa_flags = SA_ONSTACK};
        sigemptyset(&action.sa_mask);
        sigaction(crash_signals[i].number, &action, NULL);
    }
}

void cli_crash_forget(void)
{
    for (size_t i = 0; i < SIGNAL_COUNT; i++) signal(crash_signals[i].number, SIG_DFL);
    engine = NULL;
}
