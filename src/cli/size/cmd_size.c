/* size: what takes the bytes of a program. */
#include <stdlib.h>
#include <string.h>

#include "cli/beside/siblings.h"
#include "cli/core/bounds.h"
#include "cli/core/cli_text.h"
#include "cli/core/columns.h"
#include "cli/core/write_table.h"
#include "cli/files/inputs.h"
#include "cli/session/changed_program.h"
#include "contents/byte_map.h"
#include "etscope/experimental/delegates.h"
#include "host/text_builder.h"
#include "output/picture/treemap_picture.h"
#include "output/table/size_table.h"
#include "rewrite/trimmed_program.h"

enum { MOST_COMPARED = 16 << 20, SHOWN_ITEMS = 10 };

static const struct cli_command_option option_list[] = {
    {"--etrecord", .help = "The ETRecord of the export; adds names and modules"},
    {"--no-siblings", .help = "Ignore the ETRecord found beside the program"},
    {"--group-by", .value = "item|part|module|dtype|layer",
     .help = "A row for each item in the files (default), or sums; layer: of weights by layer and "
             "dtype"},
    {"--top",
     .help = "Only the N largest rows of each part, or sums; 0: all; default 10, by layer and in "
             "machine formats 0"},
    {"--duplicates"},
    CLI_CHANGED_PROGRAM_OPTIONS,
    {"--columns", .help = "Only these columns, in this order, such as part,name,size"},
    {"--format"},
    {"--color"},
    {"--width"},
    {"--output", .help = "Write the table to FILE instead of standard output; FILE.svg: a picture"},
    {NULL},
};

/* What the command reads. */
struct subject {
    const struct cli_arguments *arguments;
    struct ets_file **files; /* [word_count] */
    struct ets_byte_source *sources;
    struct cli_record record;
    struct ets_byte_map *map;
};

static int open_files(struct subject *s)
{
    const unsigned count = s->arguments->word_count;
    s->files = calloc(count, sizeof *s->files);
    s->sources = calloc(count, sizeof *s->sources);
    if (s->files == NULL || s->sources == NULL) {
        return cli_complain(CLI_INTERNAL, "no memory for %u files", count);
    }
    for (unsigned i = 0; i < count; i++) {
        struct ets_error error;
        const char *path = s->arguments->words[i];
        if (cli_file_open(path, &s->files[i], &error) != ETS_OK) return cli_fail(path, &error);
        s->sources[i] = (struct ets_byte_source){path, ets_file_bytes(s->files[i]), s->files[i]};
    }
    return CLI_OK;
}

static enum ets_status open_map(struct subject *s, uint32_t *source_out, struct ets_error *error)
{
    const struct ets_byte_options options = {
        .sources = s->sources,
        .source_count = s->arguments->word_count,
        .record = s->record.record,
        .find_duplicates = true,
        .most_compared = cli_has(s->arguments, "--duplicates") ? 0 : MOST_COMPARED,
    };
    return ets_byte_map_open(&options, NULL, &s->map, source_out, error);
}

/* Whether the record is that of every program here. */
static enum ets_status check_record(const struct subject *s, struct ets_error *error)
{
    for (uint32_t i = 0; i < s->map->file_count; i++) {
        struct ets_delegation *delegation;
        const struct ets_delegation_options options = {.program = &s->map->files[i].program,
                                                       .record = s->record.record};
        if (options.program->method_count == 0) continue;
        const enum ets_status status = ets_delegation_open(&options, &delegation, error);
        if (status != ETS_OK) return status;
        ets_delegation_close(delegation);
    }
    return ETS_OK;
}

/* Opens the map with the record, and keeps it if that is the program's. */
static bool is_record_of(void *context, const struct cli_record *record)
{
    struct subject *s = context;
    (void)record; /* the subject's */
    if (open_map(s, NULL, NULL) == ETS_OK && check_record(s, NULL) == ETS_OK) return true;
    ets_byte_map_close(s->map);
    s->map = NULL;
    return false;
}

static int open_all(struct subject *s)
{
    struct ets_error error;
    uint32_t source;
    const char *record = cli_value(s->arguments, "--etrecord");
    int code = open_files(s);
    if (code == CLI_OK &&
        cli_sibling_record(s->arguments, s->arguments->words[0], is_record_of, s, &s->record)) {
        return CLI_OK;
    }
    if (code == CLI_OK) code = cli_record_open(record, &s->record);
    if (code != CLI_OK) return code;
    if (open_map(s, &source, &error) != ETS_OK) {
        const bool is_records = source == ETS_BYTES_NONE && error.status != ETS_NO_MEMORY;
        return cli_fail(source != ETS_BYTES_NONE ? s->sources[source].path
                        : is_records             ? record
                                                 : NULL,
                        &error);
    }
    if (record != NULL && check_record(s, &error) != ETS_OK) return cli_fail(record, &error);
    return CLI_OK;
}

static void close_all(struct subject *s)
{
    ets_byte_map_close(s->map);
    cli_record_close(&s->record);
    for (unsigned i = 0; s->files != NULL && i < s->arguments->word_count; i++) {
        ets_file_close(s->files[i]);
    }
    free(s->files);
    free(s->sources);
}

static void print_notes(const struct subject *s)
{
    if (s->map->absent_count > 0) {
        cli_note("data files count if they are given, too: etscope size %s weights.ptd",
                 s->arguments->words[0]);
    }
    char size[32];
    struct ets_text_builder text = {size, sizeof size, 0};
    if (s->map->unread_count > 0) {
        ets_add_bytes(&text, s->map->unread_bytes);
        cli_note(
            "%u blocks of data (%s) of equal size were not compared; --duplicates compares them",
            s->map->unread_count, size);
    }
}

/* Layers are those of modules, which a record has, or names of weights. */
static void print_source_of_layers(const struct subject *s)
{
    uint32_t known = 0;
    if (s->record.record != NULL) return;
    for (uint32_t i = 0; i < s->map->item_count; i++) known += s->map->items[i].module.data != NULL;
    if (known > 0) cli_note("layers are read from the names of weights: no ETRecord is given");
    else cli_note("no layer is known: the files have no names of weights; --etrecord adds them");
}

static int show(const struct subject *s, const struct ets_size_table_options *options)
{
    struct ets_table *table;
    struct ets_error error;
    if (cli_table_open(&table, &error) != ETS_OK) return cli_fail(NULL, &error);
    int code = CLI_OK;
    if (ets_size_table_fill(table, s->map, options, &error) != ETS_OK) {
        code = cli_fail(NULL, &error);
    } else if ((code = cli_choose_columns(s->arguments, table)) == CLI_OK) {
        const struct ets_text headline = ets_table_heading(table);
        cli_headline("%.*s", ETS_TEXT(headline));
        code = cli_write_styled(s->arguments, table);
    }
    ets_table_close(table);
    return code;
}

static int draw(const struct subject *s, const char *path)
{
    struct ets_output *output;
    struct ets_error error;
    if (ets_output_open(path, &output, &error) != ETS_OK) return cli_fail_output(path, &error);
    if (ets_treemap_picture_write(s->map, output, &error) != ETS_OK) {
        ets_output_discard(output);
        return cli_fail(NULL, &error);
    }
    if (ets_output_commit(output, &error) != ETS_OK) return cli_fail_output(path, &error);
    return CLI_OK;
}

/* "1 constant shared, 2 constants that nothing reads left out" */
static void add_removed(struct ets_text_builder *text, const struct ets_trimmed *trimmed)
{
    const struct {
        uint32_t count;
        const char *one, *several;
    } removed[] = {
        {trimmed->shared_constants, "equal constant shares", "equal constants share"},
        {trimmed->shared_segments, "equal segment shares", "equal segments share"},
        {trimmed->unread_constants, "constant that nothing reads is gone",
         "constants that nothing reads are gone"},
        {trimmed->unused_segments, "segment that nothing names is gone",
         "segments that nothing names are gone"},
    };
    const char *before = " (";
    for (size_t i = 0; i < sizeof removed / sizeof *removed; i++) {
        if (removed[i].count == 0) continue;
        ets_add_text(text, "%s%u %s%s", before, removed[i].count,
                     removed[i].count == 1 ? removed[i].one : removed[i].several,
                     i < 2 ? " a copy" : "");
        before = ", ";
    }
    if (before[0] == ',') ets_add_text(text, ")");
}

/* --write: the program without what is in it twice or for nothing. */
static int write_smaller(const struct subject *s)
{
    struct ets_error error;
    struct ets_arena arena;
    struct ets_trimmed trimmed;
    struct cli_program model;
    char saved[400];
    struct ets_text_builder text = {saved, sizeof saved, 0};
    const char *path = s->arguments->words[0];
    int code = cli_program_open(path, &model);
    ets_arena_init(&arena, NULL, 0);
    if (code == CLI_OK && ets_trimmed_program(&arena, &model.program, &trimmed, &error) != ETS_OK) {
        code = cli_fail(path, &error);
    } else if (code == CLI_OK && trimmed.bytes.size == 0) {
        code =
            cli_complain(CLI_NEGATIVE, "%s: nothing can be left out, so nothing is written", path);
    } else if (code == CLI_OK) {
        ets_add_text(&text, "%llu bytes instead of %llu", (unsigned long long)trimmed.after,
                     (unsigned long long)trimmed.before);
        add_removed(&text, &trimmed);
        code = cli_changed_program_write(s->arguments, path, &model, NULL, trimmed.bytes, saved);
    }
    ets_arena_reset(&arena);
    cli_program_close(&model);
    return code;
}

/* One program at a time is written; its data files are for the runs. */
static int check_write(const struct cli_arguments *arguments)
{
    if (cli_has(arguments, "--write") && arguments->word_count > 1) {
        return cli_complain(CLI_USAGE,
                            "size --write takes one program: --data FILE names a data file for the "
                            "runs that compare");
    }
    return cli_changed_program_check(arguments);
}

static bool is_for_people(const struct cli_arguments *arguments)
{
    const int format = cli_choice(arguments, "--format", ETS_FORMAT_TABLE);
    return format == ETS_FORMAT_TABLE || format == ETS_FORMAT_MARKDOWN;
}

/* A file that is named twice would count twice. */
static int check_words(const struct cli_arguments *arguments)
{
    if (arguments->word_count == 0) {
        return cli_complain(CLI_USAGE, "size needs a program: etscope size model.pte");
    }
    for (unsigned i = 1; i < arguments->word_count; i++) {
        for (unsigned j = 0; j < i; j++) {
            if (strcmp(arguments->words[i], arguments->words[j]) != 0) continue;
            return cli_complain(CLI_USAGE, "%s is given twice", arguments->words[i]);
        }
    }
    return CLI_OK;
}

static int cmd_size(const struct cli_arguments *arguments)
{
    static const enum ets_size_by by[] = {ETS_SIZE_BY_PART, ETS_SIZE_BY_PART, ETS_SIZE_BY_MODULE,
                                          ETS_SIZE_BY_DTYPE, ETS_SIZE_BY_LAYER};
    static const char *const by_picture[] = {"--group-by", "--top",   "--columns",
                                             "--format",   "--width", NULL};
    int code = check_words(arguments);
    if (code == CLI_OK) code = cli_check_picture(arguments, by_picture);
    if (code != CLI_OK) return code;
    const int choice = cli_choice(arguments, "--group-by", 0);
    const bool for_people = is_for_people(arguments);
    const bool by_layer = by[choice] == ETS_SIZE_BY_LAYER;
    const struct ets_size_table_options options = {
        .groups_only = choice > 0,
        .by = by[choice],
        .top = (uint32_t)cli_number(arguments, "--top", for_people && !by_layer ? SHOWN_ITEMS : 0),
        .for_people = for_people,
    };
    code = cli_check_stdin(arguments);
    if (code == CLI_OK) code = check_write(arguments);
    if (code != CLI_OK) return code;
    struct subject subject = {.arguments = arguments};
    const char *path = cli_value(arguments, "--output");
    code = open_all(&subject);
    if (code == CLI_OK) {
        print_notes(&subject);
        if (by_layer) print_source_of_layers(&subject);
        code = cli_is_picture(path) ? draw(&subject, path) : show(&subject, &options);
    }
    if (code == CLI_OK && cli_has(arguments, "--write")) code = write_smaller(&subject);
    close_all(&subject);
    return code;
}

const struct cli_command cli_size_command = {
    .name = "size",
    .task = CLI_TASK_UNDERSTAND,
    .summary = "show what the bytes of a program consist of",
    .arguments = "FILE...",
    .description =
        "Lists where the bytes of programs (.pte, .bpte) and their data files (.ptd) are: "
        "constants, weights of delegates, payloads, the program itself, padding. Every byte counts "
        "once, so the rows add up to the files. Weights inside payloads of XNNPACK, Vulkan, "
        "Core ML, OpenVINO, MLX, the native backend, TOSA and VGF, and "
        "named data, are listed by the layer that uses them; for payloads of other backends only "
        "size and kind are known. Names and modules need the ETRecord of the export. Duplicate "
        "data is found and its "
        "cost shown: data of equal size is compared if it has at most 16 MiB, or always with "
        "--duplicates. No other data of large files is read. If the output file ends in .svg, it "
        "is a picture (treemap). --write writes the program without what is in it twice or for "
        "nothing, after both programs gave equal outputs where an engine is installed.",
    .options = option_list,
    .examples =
        "etscope size model.pte\n"
        "etscope size model.pte weights.ptd --etrecord model.etrecord --group-by module\n"
        "etscope size model.pte -o size.svg\n"
        "etscope size unused.pte --write smaller.pte",
    .guide = "size.md",
    .tells_columns = true,
    .run = cmd_size,
};
