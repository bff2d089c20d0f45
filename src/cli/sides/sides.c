/* Opens the traces of both sides of `diff` and `gate`, and compares them. */
#include "cli/sides/sides.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/cli_text.h"
#include "inspect/stated_nodes.h"
#include "views/device_facts.h"

/* Opens the models of both sides. */
static int open_own_models(const struct cli_side_paths *before, const struct cli_side_paths *after,
                           struct cli_sides *sides)
{
    const int code = cli_model_open(before->record, before->program, &sides->models[0]);
    if (code != CLI_OK) return code;
    return cli_model_open(after->record, after->program, &sides->models[1]);
}

/* Opens the models of both traces; the second uses the first's unless it has its own. */
static int open_models(const struct cli_arguments *arguments, struct cli_sides *sides)
{
    const char *record = cli_value(arguments, "--etrecord");
    const char *program = cli_value(arguments, "--program");
    const char *record_b = cli_value(arguments, "--etrecord-b");
    const char *program_b = cli_value(arguments, "--program-b");
    int code = cli_model_open(record, program, &sides->models[0]);
    if (code == CLI_OK && (record_b != NULL || program_b != NULL)) {
        code = cli_model_open(record_b, program_b, &sides->models[1]);
    }
    return code;
}

static int reopen(const struct cli_arguments *arguments, struct cli_traces *traces,
                  const char *other)
{
    struct cli_traces_request request = traces->request;
    request.without_siblings = other == NULL;
    request.other = other;
    cli_traces_close(traces);
    return cli_traces_open(arguments, &request, traces);
}

/* Whether the side's first trace is another runtime's profile. */
static bool is_foreign(const struct cli_traces *traces)
{
    return ets_inspection_runtime(traces->kept[0].inspection).data != NULL;
}

/*
 * Operators are named by the ETRecord or program if there is one. So if only one side has siblings,
 * the other uses the same ones, or neither uses any.
 */
static int level_siblings(const struct cli_arguments *arguments, struct cli_sides *sides)
{
    struct cli_traces *before = &sides->traces[0], *after = &sides->traces[1];
    int code = CLI_OK;
    if (is_foreign(before) || is_foreign(after)) return CLI_OK; /* types are matched, not names */
    if (before->siblings.first == NULL && after->siblings.first != NULL) {
        const char *other = cli_traces_with_siblings(after);
        const char *tried = cli_traces_with_siblings(before); /* valid until the side is closed */
        if (other != NULL && other != tried) code = reopen(arguments, before, other);
    }
    const bool has_before = before->siblings.first != NULL;
    if (code != CLI_OK || has_before == (after->siblings.first != NULL)) return code;
    cli_note(
        "no ETRecord or program fits the %s trace: those beside the %s trace are not used either",
        has_before ? "second" : "first", has_before ? "first" : "second");
    return reopen(arguments, has_before ? before : after, NULL);
}

static int open_sides(const struct cli_arguments *arguments, const struct cli_side_paths *before,
                      const struct cli_side_paths *after, struct cli_sides *sides)
{
    const bool has_own = after->program != NULL || cli_has(arguments, "--etrecord-b") ||
                         cli_has(arguments, "--program-b");
    struct cli_traces_request request = {.words = before->items,
                                         .word_count = before->count,
                                         .models = &sides->models[0],
                                         .model_count = 1};
    int code = cli_traces_open(arguments, &request, &sides->traces[0]);
    if (code != CLI_OK) return code;
    request.words = after->items;
    request.word_count = after->count;
    request.models = &sides->models[has_own];
    request.other = cli_traces_with_siblings(&sides->traces[0]);
    code = cli_traces_open(arguments, &request, &sides->traces[1]);
    if (code == CLI_MISMATCH && !has_own) {
        cli_note("the second trace may need its own --etrecord-b or --program-b");
    }
    return code == CLI_OK ? level_siblings(arguments, sides) : code;
}

/* Threads that the kernels of all these traces ran on; 0: unknown, or not the same. */
static uint32_t threads_of(const struct cli_traces *traces)
{
    uint32_t threads = 0;
    if (traces->kept_count != traces->paths.count) return 0; /* of the others they are not known */
    for (uint32_t i = 0; i < traces->kept_count; i++) {
        const struct ets_trace_facts *facts = ets_inspection_trace(traces->kept[i].inspection);
        if (facts == NULL || (i > 0 && facts->pool_threads != threads)) return 0;
        threads = facts->pool_threads;
    }
    return threads;
}

static void note_threads(const struct cli_sides *sides)
{
    const uint32_t before = threads_of(&sides->traces[0]), after = threads_of(&sides->traces[1]);
    if (before == 0 || after == 0 || before == after) return;
    cli_note("the first side ran on %u thread%s, the second on %u: the difference may be theirs",
             before, before == 1 ? "" : "s", after);
}

/* Of the first trace that is at hand; data NULL: none, or it does not tell. */
static struct ets_text device_of(const struct cli_traces *traces)
{
    const struct ets_trace_facts *facts =
        traces->kept_count > 0 ? ets_inspection_trace(traces->kept[0].inspection) : NULL;
    return facts == NULL ? (struct ets_text){NULL, 0} : facts->device;
}

static void note_devices(const struct cli_sides *sides)
{
    char room[512];
    struct ets_text_builder text = {room, sizeof room, 0};
    ets_add_other_device(&text, device_of(&sides->traces[0]), device_of(&sides->traces[1]));
    if (text.used == 0) return;
    cli_note("recorded on different devices, %.*s: the difference may be theirs", (int)text.used,
             room);
}

int cli_sides_open(const struct cli_arguments *arguments, const struct cli_side_paths *before,
                   const struct cli_side_paths *after, const struct ets_difference_options *options,
                   struct cli_sides *sides)
{
    struct ets_error error;
    *sides = (struct cli_sides){.difference = NULL};
    int code = after->program != NULL ? open_own_models(before, after, sides)
                                      : open_models(arguments, sides);
    if (code == CLI_OK) {
        code = open_sides(arguments, before, after, sides);
    }
    if (code != CLI_OK) return code;
    if (cli_traces_check_units(sides->traces[0].paths.items[0], sides->traces[0].kept[0].inspection,
                               sides->traces[1].paths.items[0],
                               sides->traces[1].kept[0].inspection) != CLI_OK) {
        return CLI_MISMATCH;
    }
    note_threads(sides);
    note_devices(sides);
    return ets_difference_open(sides->traces[0].pool, sides->traces[1].pool, options,
                               &sides->difference, &error) == ETS_OK
               ? CLI_OK
               : cli_fail(NULL, &error);
}

void cli_side_list(const struct cli_arguments *arguments, unsigned first, unsigned end,
                   const char *option, struct cli_side_paths *paths_out)
{
    *paths_out = (struct cli_side_paths){.count = 0};
    for (unsigned i = first; i < end; i++) {
        paths_out->items[paths_out->count++] = arguments->words[i];
    }
    for (unsigned i = 0; cli_value_at(arguments, option, i) != NULL; i++) {
        paths_out->items[paths_out->count++] = cli_value_at(arguments, option, i);
    }
}

static const char *program_of(const struct cli_arguments *arguments, const char *option,
                              const struct cli_traces *traces)
{
    const char *given = cli_value(arguments, option);
    if (given != NULL) return given;
    const struct cli_sibling *first = traces->siblings.first;
    return first == NULL ? NULL : first->program_path;
}

void cli_sides_programs(const struct cli_arguments *arguments, const struct cli_sides *sides,
                        struct cli_side_programs *programs_out)
{
    const char *before = program_of(arguments, "--program", &sides->traces[0]);
    const char *after = program_of(arguments, "--program-b", &sides->traces[1]);
    const bool are_two = before != NULL && after != NULL && strcmp(before, after) != 0;
    *programs_out = are_two
                        ? (struct cli_side_programs){cli_path_name(before), cli_path_name(after)}
                        : (struct cli_side_programs){NULL, NULL};
}

void cli_sides_close(struct cli_sides *sides)
{
    ets_difference_close(sides->difference);
    for (int i = 0; i < 2; i++) {
        cli_traces_close(&sides->traces[i]);
        cli_model_close(&sides->models[i]);
    }
}

int cli_sides_check(const struct cli_arguments *arguments, const char *before, const char *after,
                    const struct ets_difference *difference)
{
    struct ets_agreement agreement;
    ets_difference_agreement(difference, &agreement);
    if (cli_has(arguments, "--allow-mismatch")) return CLI_OK;
    if (agreement.captured != 0) {
        return cli_complain(
            CLI_MISMATCH,
            "%s: its runs captured tensors, which takes time, those of %s did not: their times "
            "cannot be compared. Record it without capturing; --allow-mismatch compares them "
            "anyway",
            cli_path_name(agreement.captured == 1 ? before : after),
            cli_path_name(agreement.captured == 1 ? after : before));
    }
    if (!agreement.is_poor) return CLI_OK;
    if (ets_difference_block(difference, 0)->matched_by == ETS_MATCHED_TYPES) {
        return cli_complain(
            CLI_MISMATCH,
            "%s and %s: two runtimes, of which only %u of %u operators match by type and order; "
            "--group-by op adds up those of one type, --group-by module those of one module",
            cli_path_name(before), cli_path_name(after), agreement.matched, agreement.operators);
    }
    return cli_complain(
        CLI_MISMATCH,
        "%s and %s: only %u of %u operators match, by handles, modules, lines or names: these look "
        "like different programs; "
        "--group-by op or --group-by module adds up what can be compared, --allow-mismatch "
        "compares them "
        "anyway",
        cli_path_name(before), cli_path_name(after), agreement.matched, agreement.operators);
}
