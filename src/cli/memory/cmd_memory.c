/* The command `memory`: what lies in a program's planned memory, and what makes its peak. */
#include <inttypes.h>
#include <string.h>

#include "cli/core/bounds.h"
#include "cli/core/cli_text.h"
#include "cli/core/columns.h"
#include "cli/core/document.h"
#include "cli/core/write_table.h"
#include "cli/session/changed_program.h"
#include "cli/traces/delegation.h"
#include "cli/traces/record_notes.h"
#include "output/picture/memory_picture.h"
#include "output/table/memory_alternatives_table.h"
#include "output/table/memory_steps_table.h"
#include "output/table/memory_table.h"
#include "output/text/kv_facts.h"
#include "output/text/memory_map.h"
#include "rewrite/replanned_program.h"
#include "views/kv_sentence.h"
#include "views/memory_methods.h"

static const struct cli_command_option option_list[] = {
    {"--etrecord"},
    {"--method", .help = "Only this method"},
    {"--no-siblings", .help = "Ignore the ETRecord found beside the program"},
    {"--all",
     .help =
         "Also list tensors outside planned memory: constants, the caller's inputs and outputs"},
    {"--what-if"},
    CLI_CHANGED_PROGRAM_OPTIONS,
    {"--map"},
    {"--steps"},
    {"--at"},
    {"--sort", .value = "peak|size|offset|first|value",
     .help = "Order of the tensors: alive at the peak first (default), largest first, by offset, "
             "by first use, or by number"},
    {"--top", .help = "Only the first N rows of each method"},
    {"--columns", .help = "Only these columns, in this order, such as value,size,operator"},
    {"--format"},
    {"--color"},
    {"--width"},
    {"--output",
     .help =
         "Write the table to FILE instead of standard output; FILE.svg: a picture of one method"},
    {NULL},
};

/* What the command reads. */
struct subject {
    const struct cli_arguments *arguments;
    const char *path;
    struct cli_program program;
    uint32_t first_method, end_method; /* those that the options name */
    struct cli_record record;
    struct ets_delegation *delegation; /* NULL: no record */
    struct ets_memory_methods methods; /* those that were added */
    struct ets_kv_caches caches;       /* of the whole program */
    char headline[1024];               /* of the one that takes most; "": none */
    uint32_t mistakes;                 /* of all methods' plans */
    char bare[1024];                   /* names of methods that use no memory, */
    size_t bare_used;
    uint32_t bare_count;
};

/* The program, and which of its methods the options name. */
static int open_program(struct subject *s)
{
    struct ets_method method;
    struct ets_error error;
    const char *wanted = cli_value(s->arguments, "--method");
    const int code = cli_program_open(s->path, &s->program);
    if (code != CLI_OK) return code;
    s->end_method = s->program.program.method_count;
    if (wanted == NULL) return CLI_OK;
    if (ets_program_find_method(&s->program.program, wanted, &method, &error) != ETS_OK) {
        cli_fail(s->path, &error);
        return CLI_USAGE;
    }
    s->first_method = method.index;
    s->end_method = method.index + 1;
    return CLI_OK;
}

static int open_record(struct subject *s)
{
    struct ets_error error;
    const char *path = cli_value(s->arguments, "--etrecord");
    const int code = cli_record_open(path, &s->record);
    if (code != CLI_OK) return code;
    if (path != NULL && cli_delegation_open(s->arguments, &s->program.program, &s->record,
                                            &s->delegation, &error) != ETS_OK) {
        return cli_fail(path, &error);
    }
    cli_delegation_find_record(s->arguments, s->path, &s->program.program, &s->record,
                               &s->delegation);
    cli_note_missing_graphs(s->record.record, cli_value(s->arguments, "--method"));
    return CLI_OK;
}

/* What is wrong with the plan of a method, or undecided. */
static void print_findings(const struct ets_memory_lines *lines)
{
    enum { MOST = 5 };
    const struct ets_method *method = &lines->plan->method;
    const struct ets_memory_findings *findings = &lines->findings;
    for (uint32_t i = 0; i < findings->count && i < MOST; i++) {
        char text[512];
        ets_memory_finding_print(lines->plan, &findings->items[i], text, sizeof text);
        cli_note("%.*s: %s", ETS_TEXT(method->name), text);
    }
    if (findings->count > MOST) {
        cli_note("%.*s: the same for %" PRIu32 " more", ETS_TEXT(method->name),
                 findings->count - MOST);
    }
}

/* The headline is of the method that takes most, which was added last. */
static void keep_headline(struct subject *s, const struct ets_memory_lines *lines)
{
    if (s->methods.most.data != lines->plan->method.name.data) return;
    ets_memory_headline(lines, s->headline, sizeof s->headline);
}

/* What all methods take stands first, before the one that takes most. */
static void put_headline(const struct subject *s, struct ets_table *table)
{
    char text[256];
    const size_t size = ets_memory_methods_headline(&s->methods, text, sizeof text);
    const struct ets_text heading = ets_table_heading(table);
    if (size > 0) ets_table_add_lead(table, (struct ets_text){text, size});
    if (s->headline[0] != '\0') cli_headline("%s%s%s", text, size > 0 ? ". " : "", s->headline);
    else cli_headline("%s%s%.*s", text, size > 0 ? ". " : "", ETS_TEXT(heading));
}

static void put_cache_facts(struct ets_json_writer *json, const void *caches)
{
    ets_kv_facts_put(json, caches);
}

/* What the KV caches of a language model take: a line behind the headline. */
static int put_caches(struct subject *s, struct ets_table *table)
{
    char room[1024];
    struct ets_text_builder text = {room, sizeof room, 0};
    struct ets_error error;
    if (ets_kv_caches_find(&s->program.program, &s->caches, &error) != ETS_OK) {
        return cli_fail(s->path, &error);
    }
    cli_document_facts(put_cache_facts, &s->caches);
    if (s->caches.method_count == 0) return CLI_OK;
    ets_add_text(&text, "KV caches: ");
    ets_add_kv_caches(&text, &s->caches);
    ets_table_add_lead(table, ets_built_text(&text));
    return CLI_OK;
}

static enum ets_status fail_memory(struct ets_error *error)
{
    *error = (struct ets_error){.status = ETS_NO_MEMORY,
                                .offset = ETS_NO_OFFSET,
                                .message = "no memory for the table of planned memory"};
    return ETS_NO_MEMORY;
}

/* A number that was checked before. */
static uint32_t number_of(const struct subject *s, const char *option)
{
    return (uint32_t)cli_number(s->arguments, option, 0);
}

/*
 * Whether nothing is to be said of a method, as of those that return constants, of which language
 * models have dozens: they stand in one line together.
 */
static bool is_bare(struct subject *s, const struct ets_memory_lines *lines)
{
    char text[256];
    const struct ets_memory_plan *plan = lines->plan;
    if (s->end_method - s->first_method < 2 || lines->count > 0 || plan->planned_bytes > 0 ||
        plan->scratch_bytes > 0 || lines->findings.count > 0 ||
        ets_memory_beside(lines, text, sizeof text) > 0) {
        return false;
    }
    struct ets_text_builder names = {s->bare, sizeof s->bare, s->bare_used};
    if (s->bare_count++ > 0) ets_add_text(&names, ", ");
    ets_add_shown_text(&names, plan->method.name);
    s->bare_used = names.used;
    return true;
}

/* "14 methods have no planned memory: get_dim, get_vocab_size" */
static void put_bare(const struct subject *s, struct ets_table *table)
{
    char text[1100];
    if (s->bare_count == 0) return;
    const int size = snprintf(text, sizeof text, "%" PRIu32 " method%s no planned memory: %s",
                              s->bare_count, s->bare_count == 1 ? " has" : "s have", s->bare);
    ets_table_add_section(table, (struct ets_text){text, (size_t)size});
}

/* The lines of a method, or its instructions. */
static enum ets_status add_lines(struct subject *s, const struct ets_memory_plan *plan,
                                 struct ets_arena *arena, struct ets_table *table,
                                 struct ets_error *error)
{
    char text[1024];
    struct ets_memory_lines lines;
    struct ets_memory_steps steps;
    const struct ets_memory_options options = {
        .delegation = s->delegation,
        .order = (enum ets_memory_order)cli_choice(s->arguments, "--sort", 0),
        .only_at = cli_has(s->arguments, "--at"),
        .at = number_of(s, "--at"),
        .all = cli_has(s->arguments, "--all"),
    };
    const uint32_t top = number_of(s, "--top");
    if (!ets_memory_lines_collect(arena, plan, &options, &lines)) return fail_memory(error);
    keep_headline(s, &lines);
    print_findings(&lines);
    s->mistakes += lines.findings.mistakes;
    if (is_bare(s, &lines)) return ETS_OK;
    if (!cli_has(s->arguments, "--steps")) {
        ets_memory_table_add(table, &lines, top);
        return ETS_OK;
    }
    const size_t size = ets_memory_headline(&lines, text, sizeof text);
    if (!ets_memory_steps_collect(arena, plan, s->delegation, top, &steps)) {
        return fail_memory(error);
    }
    ets_memory_steps_table_add(table, &steps, (struct ets_text){text, size});
    return ETS_OK;
}

static int add_method(struct subject *s, const struct ets_method *method, struct ets_table *table)
{
    struct ets_memory_plan plan;
    struct ets_arena arena;
    struct ets_error error;
    int code = CLI_OK;
    ets_arena_init(&arena, NULL, 0);
    enum ets_status status = ets_memory_plan_init(&plan, method, &arena, &error);
    if (status == ETS_OK) ets_memory_methods_add(&s->methods, &plan);
    if (status == ETS_OK && cli_has(s->arguments, "--what-if")) {
        status = ets_memory_alternatives_table_add(table, &plan, &error);
    } else if (status == ETS_OK && number_of(s, "--at") >= plan.step_count) {
        code =
            cli_complain(CLI_USAGE, "--at %" PRIu32 ": method %.*s has instructions 0 to %" PRIu32,
                         number_of(s, "--at"), ETS_TEXT(method->name), plan.step_count - 1);
    } else if (status == ETS_OK) {
        status = add_lines(s, &plan, &arena, table, &error);
    }
    ets_arena_reset(&arena);
    return status == ETS_OK ? code : cli_fail(s->path, &error);
}

static int add_methods(struct subject *s, struct ets_table *table)
{
    int code = CLI_OK;
    for (uint32_t i = s->first_method; i < s->end_method && code == CLI_OK; i++) {
        struct ets_method method;
        ets_program_method(&s->program.program, i, &method);
        code = add_method(s, &method, table);
    }
    return code;
}

/* Draws a method as a map of letters, or as SVG. */
static int draw_method(const struct subject *s, const struct ets_method *method,
                       struct ets_output *output)
{
    struct ets_memory_plan plan;
    struct ets_memory_lines lines;
    struct ets_arena arena;
    struct ets_error error;
    struct ets_table_style style;
    const struct ets_memory_options options = {.delegation = s->delegation};
    cli_style(s->arguments, "-", &style);
    const struct ets_memory_map_style map = {style.width, style.ascii};
    ets_arena_init(&arena, NULL, 0);
    int code = CLI_OK;
    enum ets_status status = ets_memory_plan_init(&plan, method, &arena, &error);
    if (status != ETS_OK) {
        code = cli_fail(s->path, &error);
    } else if (!ets_memory_lines_collect(&arena, &plan, &options, &lines)) {
        code = cli_complain(CLI_INTERNAL, "no memory for the picture of a memory plan");
    } else {
        status = cli_has(s->arguments, "--map")
                     ? ets_memory_map_write(&lines, &map, NULL, output, &error)
                     : ets_memory_picture_write(&lines, NULL, output, &error);
        if (status != ETS_OK) code = cli_fail(s->path, &error);
    }
    ets_arena_reset(&arena);
    return code;
}

/* Draws what the options name: a map of each method, or a picture of one. */
static int draw(const struct subject *s)
{
    struct ets_output *output;
    struct ets_error error;
    const uint32_t count = s->end_method - s->first_method;
    const char *path = cli_result_path(s->arguments);
    if (count > 1 && !cli_has(s->arguments, "--map")) {
        return cli_complain(CLI_USAGE,
                            "%s has %" PRIu32 " methods: choose the one to draw with --method",
                            s->path, count);
    }
    int code = CLI_OK;
    if (ets_output_open(path, &output, &error) != ETS_OK) return cli_fail_output(path, &error);
    for (uint32_t i = s->first_method; i < s->end_method && code == CLI_OK; i++) {
        struct ets_method method;
        ets_program_method(&s->program.program, i, &method);
        code = draw_method(s, &method, output);
    }
    if (code != CLI_OK) ets_output_discard(output);
    else if (ets_output_commit(output, &error) != ETS_OK) code = cli_fail_output(path, &error);
    return code;
}

static bool is_drawn(const struct cli_arguments *arguments)
{
    return cli_has(arguments, "--map") || cli_is_picture(cli_value(arguments, "--output"));
}

static int show(struct subject *s)
{
    struct ets_table *table;
    struct ets_error error;
    if (cli_table_open(&table, &error) != ETS_OK) return cli_fail(NULL, &error);
    if (cli_has(s->arguments, "--what-if")) ets_memory_alternatives_table_begin(table);
    else if (cli_has(s->arguments, "--steps")) ets_memory_steps_table_begin(table);
    else ets_memory_table_begin(table);
    int code = add_methods(s, table);
    if (code == CLI_OK) put_bare(s, table);
    if (code == CLI_OK) put_headline(s, table);
    if (code == CLI_OK) code = put_caches(s, table);
    if (code == CLI_OK) code = cli_choose_columns(s->arguments, table);
    if (code == CLI_OK) code = cli_write_styled(s->arguments, table);
    ets_table_close(table);
    return code == CLI_OK && s->mistakes > 0 ? CLI_NEGATIVE : code;
}

/* What is wrong with a plan is told, and then nothing is written. */
static int refuse_mistakes(const struct subject *s)
{
    struct ets_error error;
    struct ets_arena arena;
    uint32_t mistakes = 0;
    int code = CLI_OK;
    for (uint32_t i = s->first_method; i < s->end_method && code == CLI_OK; i++) {
        struct ets_method method;
        struct ets_memory_plan plan;
        struct ets_memory_lines lines = {.plan = &plan};
        ets_arena_init(&arena, NULL, 0);
        ets_program_method(&s->program.program, i, &method);
        if (ets_memory_plan_init(&plan, &method, &arena, &error) != ETS_OK) {
            code = cli_fail(s->path, &error);
        } else if (!ets_memory_findings_collect(&arena, &plan, &lines.findings)) {
            code = cli_complain(CLI_INTERNAL, "no memory for the findings of a memory plan");
        } else if (lines.findings.mistakes > 0) {
            print_findings(&lines);
            mistakes += lines.findings.mistakes;
        }
        ets_arena_reset(&arena);
    }
    if (code != CLI_OK || mistakes == 0) return code;
    return cli_complain(CLI_NEGATIVE,
                        "%s: the memory plan has mistakes, so nothing is written: export the "
                        "program again",
                        s->path);
}

/* Why some memory stays as it is, in methods that have such. */
static void tell_kept(const struct ets_replanned *replanned)
{
    for (uint32_t i = 0; i < replanned->method_count; i++) {
        const struct ets_replanned_method *method = &replanned->methods[i];
        if (method->kept == NULL) continue;
        cli_note("%.*s: some memory stays as it is: %s", ETS_TEXT(method->name), method->kept);
    }
}

/* --write: the program with the best plan that was found and verified. */
static int write_smaller(const struct subject *s)
{
    struct ets_error error;
    struct ets_arena arena;
    struct ets_replanned replanned;
    char saved[128];
    struct ets_text_builder text = {saved, sizeof saved, 0};
    const bool is_one = cli_has(s->arguments, "--method");
    int code = refuse_mistakes(s);
    if (code != CLI_OK) return code;
    ets_arena_init(&arena, NULL, 0);
    if (ets_replanned_program(&arena, &s->program.program,
                              is_one ? s->first_method : ETS_REPLAN_ALL_METHODS, &replanned,
                              &error) != ETS_OK) {
        code = cli_fail(s->path, &error);
    } else if (tell_kept(&replanned), replanned.bytes.size == 0) {
        code = cli_complain(CLI_NEGATIVE, "%s: no smaller plan was found, so nothing is written",
                            s->path);
    } else {
        ets_add_bytes(&text, replanned.after);
        ets_add_text(&text, " planned instead of ");
        ets_add_bytes(&text, replanned.before);
        code =
            cli_changed_program_write(s->arguments, s->path, &s->program,
                                      cli_value(s->arguments, "--method"), replanned.bytes, saved);
    }
    ets_arena_reset(&arena);
    return code;
}

/* What is shown: one of these, or the table of tensors. */
static int check_shown(const struct cli_arguments *arguments)
{
    static const char *const shown[] = {"--steps", "--at", "--what-if", "--map"};
    const char *first = NULL;
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        if (!cli_has(arguments, shown[i])) continue;
        if (first != NULL) {
            return cli_complain(CLI_USAGE, "%s and %s show different things: give one of them",
                                first, shown[i]);
        }
        first = shown[i];
    }
    return CLI_OK;
}

/* Options that a picture or map, which shows a whole plan, does not follow. */
static int check_drawn(const struct cli_arguments *arguments)
{
    static const char *const by_map[] = {"--all", "--sort", "--top", "--columns", "--format", NULL};
    static const char *const by_picture[] = {"--what-if", "--map",   "--steps", "--at",
                                             "--all",     "--sort",  "--top",   "--columns",
                                             "--format",  "--width", NULL};
    const char *option = cli_first_given(arguments, by_map);
    if (cli_has(arguments, "--map") && option != NULL) {
        return cli_complain(CLI_USAGE,
                            "%s does not change the text of --map: leave one of them out", option);
    }
    return cli_check_picture(arguments, by_picture);
}

static int cmd_memory(const struct cli_arguments *arguments)
{
    if (arguments->word_count > 1) {
        return cli_complain(CLI_USAGE, "memory takes one program, not %u", arguments->word_count);
    }
    if (arguments->word_count == 0) {
        return cli_complain(CLI_USAGE, "memory needs a program: etscope memory model.pte");
    }
    int code = check_shown(arguments);
    if (code == CLI_OK) code = check_drawn(arguments);
    if (code == CLI_OK) code = cli_check_stdin(arguments);
    if (code == CLI_OK) code = cli_changed_program_check(arguments);
    if (code != CLI_OK) return code;
    struct subject subject = {.arguments = arguments, .path = arguments->words[0]};
    code = open_program(&subject);
    if (code == CLI_OK) code = open_record(&subject);
    if (code == CLI_OK) code = is_drawn(arguments) ? draw(&subject) : show(&subject);
    if (cli_has(arguments, "--write") && (code == CLI_OK || code == CLI_NEGATIVE)) {
        code = write_smaller(&subject);
    }
    ets_delegation_close(subject.delegation);
    cli_record_close(&subject.record);
    cli_program_close(&subject.program);
    return code;
}

const struct cli_command cli_memory_command = {
    .name = "memory",
    .task = CLI_TASK_UNDERSTAND,
    .summary = "show the planned memory of a program: which tensors fill it, and when",
    .arguments = "PROGRAM",
    .description =
        "Lists the tensors in the planned memory of PROGRAM (a .pte or .bpte): the offset and size "
        "of each, and the instructions between which it is needed. The first sentence states how "
        "much is planned, at which instruction the most is in use, and how far the plan exceeds "
        "the minimum for these lifetimes. Tensors alive at that peak come first. Sizes of dynamic "
        "shapes are upper bounds. Source lines and modules need the ETRecord of the export. "
        "--write writes a program with the smallest plan that was found and verified; tensors "
        "move, "
        "nothing else changes. Both programs run on the same inputs where an engine is installed, "
        "and the file is written only if their outputs are equal.",
    .options = option_list,
    .examples =
        "etscope memory model.pte --etrecord model.etrecord\n"
        "etscope memory model.pte --sort offset --all\n"
        "etscope memory gpt.pte --what-if --write smaller.pte",
    .guide = "memory.md",
    .tells_columns = true,
    .run = cmd_memory,
};
