/* The command `info`: describes files by their kind, and folders. */
#include "cli/core/cli_text.h"
#include "cli/core/document.h"
#include "cli/core/what_to_type.h"
#include "cli/core/write_table.h"
#include "cli/files/trace_file.h"
#include "cli/files/trace_paths.h"
#include "cli/info/info_kinds.h"
#include "etscope/file.h"
#include "host/output.h"

static const struct cli_command_option option_list[] = {
    {"--format", .value = "table|json|jsonl",
     .help =
         "Output format; json: a row for each file. All have path, kind, file_bytes. program: "
         "schema_version, fingerprint, sizes, language_model (what constant methods state: "
         "vocabulary, "
         "max_context_len, max_seq_len, max_cache_len, layers, bos_id, eos_id, use_kv_cache, "
         "eos_ids; null: none), kv_cache (as of memory; null: none is known), methods (name, "
         "inputs, outputs, instruction_count, "
         "instructions, operators, constant_count, constant_bytes, external_count, external_bytes, "
         "delegates, arenas), named_data; bundle: bundle_version, suites (method, cases), program; "
         "data_file: schema_version, segment_count, entries; etdump: schema_version, "
         "size_prefixed, run_count, blocks; etrecord: export_graph_id, representative_inputs, "
         "methods, graphs, entries; npy: scalar_type, sizes, element_count, row_major; "
         "debug_buffer (a file of unknown kind beside the trace with its name): trace. For a "
         "folder, each row has path, kind, file_bytes, model (a number from 0; null: none), "
         "model_name, joined_by (self, fingerprint, operators, name), fit_count, methods, "
         "fingerprint, run_count, event_count, reason"},
    {"--all", .help = "Show long lists in full; JSON always does"},
    {"--operators",
     .help =
         "Of programs only the kernels that they call, with the types of the tensors of each "
         "call and, as a selective build of ExecuTorch writes them (et_kernel_metadata), types "
         "and orders of dimensions. json: path, kind, file_bytes, kernels (name, calls, variants "
         "(dtypes, key, calls))"},
    {NULL},
};

static int explain(struct info_request *request)
{
    char advice[64];
    const enum ets_kind kind = ets_kind_sniff(request->bytes);
    if (request->is_of_kernels) {
        if (kind == ETS_KIND_PROGRAM || kind == ETS_KIND_BUNDLE) return info_kernels(request);
        return cli_complain(CLI_USAGE, "--operators needs programs; %s is %s",
                            cli_path_name(request->path), ets_kind_name(kind));
    }
    if (info_debug_buffer(request)) return CLI_OK;
    switch (kind) {
    case ETS_KIND_ETDUMP: return info_etdump(request);
    case ETS_KIND_PROGRAM: return info_program(request);
    case ETS_KIND_BUNDLE: return info_bundle(request);
    case ETS_KIND_DATA_FILE: return info_data_file(request);
    case ETS_KIND_ETRECORD: return info_etrecord(request);
    case ETS_KIND_NPY: return info_npy(request);
    case ETS_KIND_SUMMARY: return info_summary(request);
    case ETS_KIND_UNKNOWN:
    case ETS_KIND_EMPTY:
    case ETS_KIND_ZIP:
    case ETS_KIND_JSON:
    case ETS_KIND_TEXT: break;
    case ETS_KIND_DEVICE_LOG:
        ets_advise_with(&cli_advice, ETS_ADVICE_RECOVER, advice, sizeof advice);
        return cli_complain(CLI_INPUT, "%s: %s%s", cli_path_name(request->path),
                            ets_kind_name(kind), advice);
    }
    return cli_complain(CLI_INPUT,
                        "%s: %s, %zu bytes; info explains .pte, .bpte, .ptd, ETDump, "
                        "ETRecord and .npy files, and summaries of devices%s",
                        cli_path_name(request->path), ets_kind_name(kind), request->bytes.size,
                        kind == ETS_KIND_UNKNOWN
                            ? "; if it has captured tensors, etscope tensors TRACE "
                              "--debug-buffer FILE lists them"
                            : "");
}

/* The exit code is that of the first failure. */
static int info_file(struct info_request *request, bool begins_document)
{
    struct ets_file *file;
    struct ets_error error;
    if (cli_is_folder(request->path)) {
        if (!request->is_of_kernels) return info_folder(request, begins_document);
        return cli_complain(CLI_USAGE, "--operators needs programs; %s is a folder",
                            cli_path_name(request->path));
    }
    if (cli_trace_open(request->path, &file, &error) != ETS_OK) {
        return cli_fail(request->path, &error);
    }
    request->bytes = ets_file_bytes(file);
    int code = explain(request);
    ets_file_close(file);
    if (request->is_out_of_memory) {
        code = cli_complain(CLI_INTERNAL, "out of memory; the output is incomplete");
    }
    return code;
}

static int cmd_info(const struct cli_arguments *arguments)
{
    struct info_request request = {.all = cli_has(arguments, "--all"),
                                   .is_of_kernels = cli_has(arguments, "--operators")};
    struct ets_error error;
    if (arguments->word_count == 0) {
        return cli_complain(CLI_USAGE, "info needs a file or a folder: etscope info model.pte");
    }
    int code = cli_check_stdin(arguments);
    if (code != CLI_OK) return code;
    struct ets_json_writer *json = NULL;
    struct ets_output *output = NULL;
    const bool is_json = cli_choice(arguments, "--format", 0) > 0;
    const bool is_one_folder = arguments->word_count == 1 && cli_is_folder(arguments->words[0]);
    const bool begins_later =
        is_json && is_one_folder; /* it opens the document itself, with its headline */
    if (is_json && !begins_later) code = cli_document_rows("-", &json);
    else if (!is_json && ets_output_open("-", &output, &error) != ETS_OK)
        code = cli_fail_output("-", &error);
    if (code != CLI_OK) return code;
    ets_facts_init(&request.facts, json, output);
    request.facts.width = cli_output_width();
    for (unsigned i = 0; i < arguments->word_count; i++) {
        request.path = arguments->words[i];
        const int result = info_file(&request, begins_later);
        if (code == CLI_OK) code = result;
    }
    if (is_json) return code;
    if (ets_output_commit(output, &error) != ETS_OK) code = cli_fail_output("-", &error);
    return code;
}

const struct cli_command cli_info_command = {
    .name = "info",
    .task = CLI_TASK_DATA,
    .summary = "describe files, and find those that belong together",
    .arguments = "FILE...",
    .description =
        "Describes .pte, .bpte, .ptd, ETDump, ETRecord and .npy files on one screen each.\n\nFor a "
        "folder, lists the files and which belong together: a program, its ETRecord and the traces "
        "of its runs. A trace belongs to the program whose fingerprint it carries. A trace without "
        "a fingerprint belongs to the only model that it joins, or, if it joins several, to the "
        "one with its name. An ETRecord belongs to the program with its name, or to the only one "
        "with which it explains a trace. Everything else is reported as not decided.",
    .options = option_list,
    .examples =
        "etscope info model.pte\n"
        "etscope info profile.etdp --format json\n"
        "etscope info model.pte --operators\n"
        "etscope info .",
    .guide = "files.md",
    .run = cmd_info,
};
