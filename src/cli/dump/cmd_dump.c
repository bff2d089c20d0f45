/* The command `dump`: everything that files hold, as JSON for scripts. */
#include "cli/core/cli_text.h"
#include "cli/core/document.h"
#include "cli/core/what_to_type.h"
#include "cli/dump/dump_parts.h"
#include "etscope/file.h"

static const struct cli_command_option option_list[] = {
    {"--bytes", .aliases = {"--data"}},
    {"--debug-buffer", .help = "The debug buffer of the ETDump: adds its captured tensors"},
    {"--format", .value = "json|jsonl",
     .help = "json (default): one document, with a row for each FILE; jsonl: the rows alone, one a "
             "line"},
    {"--partial", .help = "Write the intact part of a damaged ETDump; `damage` lists what is not"},
    {"--output", .help = "Write to FILE instead of standard output"},
    {NULL},
};

static int dump_kind(struct dump_request *request)
{
    char advice[64];
    const enum ets_kind kind = ets_kind_sniff(request->bytes);
    request->kind = cli_kind_word(kind);
    if (kind != ETS_KIND_ETDUMP && cli_has(request->arguments, "--debug-buffer")) {
        return cli_complain(CLI_USAGE, "--debug-buffer belongs to an ETDump; %s is not an ETDump",
                            cli_path_name(request->path));
    }
    switch (kind) {
    case ETS_KIND_PROGRAM: return dump_program(request);
    case ETS_KIND_BUNDLE: return dump_bundle(request);
    case ETS_KIND_DATA_FILE: return dump_data_file(request);
    case ETS_KIND_ETDUMP: return dump_trace(request);
    case ETS_KIND_ETRECORD: return dump_record(request);
    case ETS_KIND_DEVICE_LOG:
        ets_advise_with(&cli_advice, ETS_ADVICE_RECOVER, advice, sizeof advice);
        return cli_complain(CLI_INPUT, "%s: %s%s", cli_path_name(request->path),
                            ets_kind_name(kind), advice);
    default:
        return cli_complain(CLI_INPUT,
                            "%s: %s, %zu bytes; dump reads .pte, .bpte, .ptd, ETDump and ETRecord "
                            "files",
                            cli_path_name(request->path), ets_kind_name(kind), request->bytes.size);
    }
}

static int dump_file(struct dump_request *request)
{
    struct ets_file *file;
    struct ets_error error;
    if (cli_file_open(request->path, &file, &error) != ETS_OK) {
        return cli_fail(request->path, &error);
    }
    request->bytes = ets_file_bytes(file);
    ets_arena_init(&request->arena, NULL, 0);
    ets_content_bytes_init(&request->contents, &request->arena, 2 * (uint64_t)request->bytes.size);
    request->data_budget = DUMP_DATA_FLOOR + DUMP_DATA_TIMES * (uint64_t)request->bytes.size;
    const int code = dump_kind(request);
    ets_arena_reset(&request->arena);
    ets_file_close(file);
    return code;
}

static int cmd_dump(const struct cli_arguments *arguments)
{
    struct dump_request request = {.arguments = arguments,
                                   .with_data = cli_has(arguments, "--bytes")};
    if (arguments->word_count == 0) {
        return cli_complain(CLI_USAGE, "dump needs a file: etscope dump model.pte");
    }
    int code = cli_check_stdin(arguments);
    if (code == CLI_OK) code = cli_check_outputs(arguments);
    /* The first file that cannot be read ends the command, and its document does not end. */
    for (unsigned i = 0; i < arguments->word_count && code == CLI_OK; i++) {
        request.path = arguments->words[i];
        code = dump_file(&request);
    }
    if (code != CLI_OK) cli_document_abandon();
    return code;
}

const struct cli_command cli_dump_command = {
    .name = "dump",
    .task = CLI_TASK_DATA,
    .summary = "write all that a file holds as JSON",
    .arguments = "FILE...",
    .description =
        "Writes every field of a .pte, .bpte, .ptd, ETDump or ETRecord file as JSON for scripts: "
        "what the file's own schema names, under the schema's names, and what the segments, "
        "payloads and entries in it hold. Bytes are a size and a hash, with --bytes themselves. A "
        "file is read and checked before its row is written, so that a row is whole or not there. "
        "docs/json.md has the members. info is the short answer.",
    .options = option_list,
    .examples =
        "etscope dump model.pte\n"
        "etscope dump debug.etdp --debug-buffer debug.bin --bytes -o debug.json",
    .guide = "json.md#dump",
    .run = cmd_dump,
};
