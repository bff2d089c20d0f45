/* The command `machine`: measures what this machine can do at most, and keeps it for later. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>
#include <time.h>

#include "cli/core/bounds.h"
#include "cli/core/interrupt.h"
#include "cli/core/write_table.h"
#include "cli/files/machine_option.h"
#include "cli/machine/measure.h"
#include "cli/target/target.h"
#include "output/table/machine_table.h"
#include "output/text/machine_text.h"

static const struct cli_command_option option_list[] = {
    {"--save", .is_output = true},
    {"--threads",
     .help = "Measure only with N threads; default: 1, 2, 4... up to the runtime's number"},
    {"--quick"},
    {"--format"},
    {"--color"},
    {"--width"},
    {"--output"},
    {"--engine"},
    CLI_TARGET_OPTIONS,
    {NULL},
};

/* The part of all cores that other programs may take. */
#define MOST_OTHERS 0.1

enum { MOST_THREADS = 1024, DATE_CHARS = 32, ENOUGH_RUNS = 50 };

/* What the measured machine is made of, as long as it is used. */
struct measured {
    struct ets_arena arena;
    struct ets_processor processor;
    struct ets_machine machine;
    char date[DATE_CHARS];
    struct cli_measure_load load;
};

static void describe(struct measured *m, const struct ets_engine *engine)
{
    const time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc) != NULL) {
        strftime(m->date, sizeof m->date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    }
    ets_processor_read(&m->processor);
    m->machine = (struct ets_machine){.cpu = m->processor.name,
                                      .flags = m->processor.flags,
                                      .governor = m->processor.governor,
                                      .runtime = engine->runtime_version,
                                      .date = m->date,
                                      .cores = m->processor.cores};
    memcpy(m->machine.caches, m->processor.caches, sizeof m->machine.caches);
}

static int measure(const struct cli_arguments *arguments, struct measured *m)
{
    const struct cli_measure_options options = {
        .threads = (uint32_t)cli_number(arguments, "--threads", 0),
        .is_quick = cli_has(arguments, "--quick"),
    };
    const char *path = cli_value(arguments, "--engine");
    struct ets_engine_library *library;
    const struct ets_engine *engine;
    struct ets_error error;
    if (ets_engine_open(path, &library, &engine, &error) != ETS_OK) return cli_fail(path, &error);
    describe(m, engine);
    int code = CLI_OK;
    if (m->machine.cores > 0 && options.threads > m->machine.cores) {
        code = cli_complain(CLI_USAGE, "--threads %u: this machine has %u cores", options.threads,
                            m->machine.cores);
    } else if (!engine->tracing_compiled_in) {
        code = cli_complain(CLI_UNAVAILABLE,
                            "this ExecuTorch runtime was built without event tracing: a matrix "
                            "product inside a delegate cannot be timed");
    } else {
        code = cli_measure(engine, &options, &m->arena, &m->machine, &m->load);
    }
    ets_engine_close(library);
    return code;
}

/* Others had the cores, or left no time for as many runs as a roof needs. */
static void mark_busy(struct measured *m)
{
    uint32_t least = ENOUGH_RUNS;
    struct ets_machine *machine = &m->machine;
    const double cores = machine->cores > 0 ? machine->cores : 1;
    for (uint32_t i = 0; i < machine->roof_count; i++) {
        if (machine->roofs[i].runs < least) least = machine->roofs[i].runs;
    }
    const bool has_others = m->load.is_known && m->load.cores > MOST_OTHERS * cores;
    machine->is_busy = has_others || least < ENOUGH_RUNS;
    if (has_others) {
        cli_note(
            "this machine is busy: other programs took %.1f of %.0f cores; measure again when "
            "it is idle",
            m->load.cores, cores);
    } else if (machine->is_busy) {
        cli_note("this machine is busy: only %u runs instead of %d; measure again when it is idle",
                 least, ENOUGH_RUNS);
    }
}

/* Says which times did not come back: of files, too. */
static void note_spread(const struct ets_machine *machine)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < machine->roof_count; i++) {
        count += machine->roofs[i].spread > ETS_ROOF_MOST_SPREAD;
    }
    if (count == 0) return;
    cli_note("%u of %u times did not repeat within %.0f %%: measure again when the machine is idle",
             count, machine->roof_count, 100 * ETS_ROOF_MOST_SPREAD);
}

static int save(const char *path, const struct ets_machine *machine)
{
    struct ets_output *output;
    struct ets_error error;
    if (ets_output_open(path, &output, &error) != ETS_OK) return cli_fail_output(path, &error);
    ets_machine_write(machine, output);
    return ets_output_commit(output, &error) == ETS_OK ? CLI_OK : cli_fail_output(path, &error);
}

static int show(const struct cli_arguments *arguments, const struct ets_machine *machine)
{
    struct ets_table *table;
    struct ets_error error;
    if (cli_table_open(&table, &error) != ETS_OK) return cli_fail(NULL, &error);
    int code = CLI_OK;
    if (ets_machine_table_fill(table, machine, &error) == ETS_OK) {
        const struct ets_text headline = ets_table_heading(table);
        cli_headline("%.*s", ETS_TEXT(headline));
        code = cli_write_styled(arguments, table);
    } else {
        code = cli_fail(NULL, &error);
    }
    ets_table_close(table);
    return code;
}

static int cmd_machine(const struct cli_arguments *arguments)
{
    const char *path = cli_value(arguments, "--save");
    if (cli_has(arguments, "--target")) return cli_target_run(arguments);
    if (arguments->word_count > 1) {
        return cli_complain(CLI_USAGE, "machine takes one file from --save, or none to measure");
    }
    if (arguments->word_count == 1 && path != NULL) {
        return cli_complain(CLI_USAGE, "--save needs new measurements: leave out %s",
                            arguments->words[0]);
    }
    struct measured m = {.date = ""};
    ets_arena_init(&m.arena, NULL, 0);
    int code = arguments->word_count == 1
                   ? cli_machine_read(arguments->words[0], &m.arena, &m.machine)
                   : measure(arguments, &m);
    if (code == CLI_OK && arguments->word_count == 0 && !cli_has(arguments, "--quick")) {
        mark_busy(&m);
    }
    if (code == CLI_OK) note_spread(&m.machine);
    if (code == CLI_OK && path != NULL) code = save(path, &m.machine);
    if (code == CLI_OK) code = show(arguments, &m.machine);
    ets_arena_reset(&m.arena);
    return code == CLI_OK && cli_interrupted() != 0 ? CLI_SIGNAL + cli_interrupted() : code;
}

const struct cli_command cli_machine_command = {
    .name = "machine",
    .task = CLI_TASK_MEASURE,
    .summary = "measure the maximum speed of this machine",
    .arguments = "[FILE]",
    .description =
        "Runs small programs of known work on the ExecuTorch runtime: a matrix product in float32, "
        "float16 and int8, vectors that are added and copied in each cache and in memory, and "
        "instructions without work. Shows the highest rates, in operations and bytes per second, "
        "that the runtime's own kernels reach here with 1, 2, 4... threads: the roofs that "
        "`inspect --machine FILE` compares operators with. This takes up to a minute; other work "
        "on the machine makes the roofs too low. With FILE, shows a file that --save wrote on this "
        "or another machine.",
    .options = option_list,
    .examples =
        "etscope machine --save machine.json\n"
        "etscope machine machine.json",
    .guide = "machine.md",
    .run = cmd_machine,
};
