/* The table of options. Each stands here once, in the group in which help shows it. */
#include "cli/core/options.h"

#include <stdint.h>
#include <string.h>

#include "cli/core/command.h"
#include "output/picture/drawing.h"
#include "views/program_changes.h"

/* What a command reads. */
static const struct cli_option inputs[] = {
    {"--etrecord", .aliases = {"--etrecord_path"}, .value = "FILE",
     .help = "The ETRecord of the export; adds source lines and modules"},
    {"--etrecord-b", .value = "FILE", .help = "The ETRecord of the second trace"},
    {"--program", .value = "FILE", .help = "The .pte or .bpte that ran"},
    {"--program-b", .value = "FILE", .help = "The .pte or .bpte of the second trace"},
    {"--before", .value = "FILE", .is_repeatable = true,
     .help = "A recording of the first side: a file, folder or @LIST"},
    {"--after", .value = "FILE", .is_repeatable = true,
     .help = "A recording of the second side: a file, folder or @LIST"},
    {"--before-etrecord", .value = "FILE",
     .help = "The ETRecord of the program before; default: the one beside it"},
    {"--debug-buffer", .aliases = {"--debug_buffer_path"}, .value = "FILE",
     .help = "The captured tensors; default: the .bin file beside the trace"},
    {"--source-root", .value = "FOLDER", .is_repeatable = true,
     .help = "Where the model's source files are; OLD=NEW replaces the start of their paths"},
    {"--input", .letter = "-i", .value = "FILE", .ending = ".npy|.npz|.bin", .is_repeatable = true,
     .help = "Inputs in the method's order: .npy files, .npz files with several arrays, or raw "
             "bytes (.bin)"},
    {"--inputs", .value = "auto|case|etrecord|zeros|ones|random",
     .help = "Where inputs come from without --input; auto: a test case, the ETRecord, random"},
    {"--case", .value = "N", .most = INT32_MAX,
     .help = "The test case of the .bpte, counted from 0"},
    {"--new-case", .value = "INPUT", .ending = ".npy|.npz|#", .is_repeatable = true,
     .help = "A test case: its inputs, as .npy and .npz files and plain numbers"},
    {"--expect", .value = "OUTPUT", .ending = ".npy|.npz|#", .is_repeatable = true,
     .help = "The expected outputs of the preceding --new-case"},
    {"--in-turn", .help = "Keep the methods loaded from case to case, as steps of a generation"},
    {"--cases-from", .value = "FILE", .is_repeatable = true,
     .help = "Copy all test cases of another bundle"},
    {"--data", .value = "FILE", .ending = ".ptd", .is_repeatable = true,
     .help = "A .ptd file with external tensors of the program"},
    {"--target", .value = "MACHINE",
     .help = "Run on another machine: ssh:USER@HOST[:PORT] or adb[:SERIAL]. What it needs is "
             "pushed there"},
    {"--target-runtime", .value = "FOLDER",
     .help = "What runs there: a folder that tools/build_engine.sh wrote, with a runtime of your "
             "own, or a bundle (.tar); default: the bundle for its processor (make bundle)"},
    {"--machine", .value = "FILE",
     .help = "Also how far operators are from what a machine can do (etscope machine --save)"},
    {"--one-thread", .value = "FILE",
     .help = "A trace of the same program with one thread, from `profile --threads 1,N`; adds "
             "whether more threads gain something"},
    {"--budget", .letter = "-b", .value = "FILE",
     .help = "The limits, one rule per line, such as: total p50 <= +5%"},
};

/* What a command does. */
static const struct cli_option work[] = {
    {"--group-by", .letter = "-g", .aliases = {"--by"}, .value = "none|op|module",
     .help = "Add up what belongs together"},
    {"--depth", .value = "N", .least = 1, .most = 64,
     .help = "With --group-by module: show only N levels of modules"},
    {"--parts", .value = "FILE",
     .help = "With --group-by part: further parts, a line each, such as: *.experts.* MoE: experts"},
    {"--tokens", .value = "METHOD=N", .is_repeatable = true,
     .help = "With --group-by method or run: N tokens per run of METHOD; adds tokens per second"},
    {"--text", .value = "TEXT", .help = "The text of the prompt; needs --tokenizer"},
    {"--tokenizer", .value = "FILE",
     .help = "The model's tokenizer.json or tokenizer.model, which pytorch-tokenizers reads in the "
             "Python of --python (default python3), for --text and for the text of new tokens"},
    {"--prompt", .value = "N", .least = 1, .most = 1 << 24,
     .help = "Of a language model's trace that does not tell its tokens: the first run computes N, "
             "those after it one each"},
    {"--new", .value = "N", .most = 1 << 24,
     .help = "Tokens to decode after the prompt, each the most likely one; default 128, or as many "
             "as fit"},
    {"--feed", .value = "METHOD.INPUT=METHOD.OUTPUT", .is_repeatable = true,
     .help = "An input that another method gives: one that runs once before the tokens "
             "(decoder.1=encoder.0), or one that takes tokens, so that the input is handed on from "
             "call to call, from zeros on (decode.2=decode.1)"},
    {"--tree",
     .help =
         "Show the self time of every part of a run, including unaccounted time; adds up exactly"},
    {"--cost", .help = "Also show the work of operators: operations, bytes, and both per second"},
    {"--frames", .value = "own|all",
     .help = "own: count time at the innermost line only; all: also at the lines that called it"},
    {"--memory", .help = "Show what allocates how much memory, instead of operators; recorded by "
                         "`profile` and `run` with --memory"},
    {"--allocations", .value = "total|each",
     .help =
         "Show the trace's allocation events, instead of operators: by allocator, or one by one"},
    {"--calls", .help = "Only the instructions, without the operators inside delegates"},
    {"--threads", .value = "N", .least = 1, .most = 1024,
     .help = "Number of threads of the runtime; default: the runtime decides"},
    {"--runs", .letter = "-r", .value = "N", .least = 1, .most = 100000000,
     .help = "Number of runs"},
    {"--time", .value = "TIME",
     .help = "Run for this long, such as 500ms, 10s or 2min, instead of a number of runs; with "
             "--runs: end at whichever comes first"},
    {"--until-sure", .value = "PERCENT",
     .help = "Stop when the interval of the median is this narrow, such as 2%; exit code 1 if the "
             "limit (default: 1 minute) comes first"},
    {"--recordings", .value = "N", .least = 1, .most = 100,
     .help = "Record the program N times, each time in a new process, and summarize the "
             "recordings; with --before: N times each, default 5"},
    {"--warmup", .value = "N", .most = 100000000,
     .help = "Number of untraced runs before the traced ones"},
    {"--no-warmup",
     .help = "Measure the process's first calls, without a prompt and a new token before them"},
    {"--capture", .value = "none|outputs|intermediates|delegates",
     .help =
         "Tensors to capture: none, the method's outputs, every operator's outputs, or also the "
         "values within calls of XNNPACK"},
    {"--strict",
     .help =
         "With --capture delegates: exit with 1 if outputs or operators differ from those of the "
         "program as it is"},
    {"--list", .help = "List what there is"},
    {"--only", .value = "WHICH,...", .help = "Only these values"},
    {"--fused",
     .help = "Also values between operators that the runtime computes in one: then it computes "
             "them one by one, which can change them"},
    {"--as", .value = "arguments|outputs",
     .help =
         "How values leave the program: as arguments of the delegate's calls, which a tracer "
         "captures (default), or as further outputs of the method, for a runtime without tracer"},
    {"--seed", .value = "N", .most = INT64_MAX, .help = "Seed of random inputs; default 0"},
    {"--range", .value = "LOW:HIGH", .help = "Range of random floating-point inputs; default 0:1"},
    {"--int-range", .value = "LOW:HIGH",
     .help = "Range of random integers, inclusive; default 0:1; bools ignore it"},
    {"--shape", .value = "INPUT=SIZES", .is_repeatable = true,
     .help = "Shape of a generated input, such as 0=1x8 or tokens=1x8; default: that of the "
             "export, with --etrecord, else the upper bound"},
    {"--expect-from-run",
     .help = "Run each case once and expect its outputs, unless --expect gives them"},
    {"--metric", .value = "snr|mse|l1|cosine|max",
     .help = "The metric in the column gap; default snr"},
    {"--fail-below", .value = "DB",
     .help =
         "Exit with 1 if the SNR of a value is below DB decibels, or if nothing could be compared"},
    {"--fail-on", .value = "WHAT", .is_repeatable = true,
     .help = "Exit with 1 if there is such a finding: any, wrong, a kind such as "
             "layout_transposes, or a saving that may reach a share of a run, such as 5%"},
    {"--max-kl", .value = "X",
     .help = "Exit with 1 if the mean KL divergence is above X nats a token"},
    {"--want-kl", .value = "X",
     .help = "With --group-by layer: look for the smallest change of schemes that brings the mean "
             "KL divergence of the model down to X nats a token"},
    {"--min-top1", .value = "PERCENT",
     .help =
         "Exit with 1 if the most likely token is the same for less than PERCENT of the tokens"},
    {"--allow-uncompared",
     .help = "End with 0 although an output of the model was not compared; default: end with 1"},
    {"--undecided", .value = "fail|pass",
     .help = "Verdict of a rule that the runs cannot decide; default fail"},
    {"--rms", .value = "X",
     .help = "Tolerance of all values, as a fraction of the root mean square of the expected ones; "
             "default: by the type that computes them"},
    {"--atol", .value = "X", .help = "Absolute tolerance of all outputs"},
    {"--rtol", .value = "X", .help = "Relative tolerance of all outputs"},
    {"--tolerance", .value = "FIELDS", .is_repeatable = true,
     .help = "A tolerance for some values, such as dtype=bfloat16,rms=0.02; @FILE: one per line"},
    {"--tolerances", .value = "FILE", .is_repeatable = true,
     .help = "A file with one such tolerance per line"},
    {"--comparator", .value = "FILE", .ending = ".so", .is_repeatable = true,
     .help = "A shared library with your own comparator; adds a column"},
    {"--compare", .value = "FILE",
     .help = "Compare the tensors with the arrays of a .npy or .npz file"},
    {"--alignment",
     .help = "Only show which graph value each captured value belongs to; evaluate nothing"},
    {"--values", .help = "In machine formats: add the first 8 elements of both tensors"},
    {"--show", .help = "Print the values of every listed tensor, as NumPy does"},
    {"--context", .value = "N", .most = 1000000,
     .help = "Print N lines around each line with time, instead of whole functions"},
    {"--whole", .help = "Print whole files"},
    {"--steps",
     .help = "List the instructions with the live bytes at each; with --top those with the most"},
    {"--map", .help = "Draw which tensor holds which bytes at which instruction"},
    {"--what-if", .help = "Compare with other plans: a new placement, in-place results, other "
                          "alignments, and without the largest tensors"},
    {"--write", .value = "FILE", .ending = ".pte", .is_output = true,
     .help = "Write the program with what is saved to FILE, after both programs gave the same "
             "outputs where they can run"},
    {"--duplicates", .help = "Compare all data of equal size, even if it is large"},
    {"--follow", .value = "STREAM",
     .help = "Serve the report of a device's stream (a pipe, a serial device, a growing file; -: "
             "standard input) to a browser on this machine, and renew it while the stream goes on"},
    {"--no-source", .help = "Leave out the texts of source lines"},
    {"--no-tensors", .help = "Leave out what captured tensors hold"},
    {"--man", .help = "Print the source of the command's man page, or of etscope's"},
    {"--completion", .value = "bash|zsh|fish", .help = "Print the completion script for a shell"},
};

/* What captured values are compared with. */
static const struct cli_option references[] = {
    {"--reference", .value = "NAME",
     .help = "The graph to compare with: aten (the exported program; default), edge, or another "
             "graph of the ETRecord"},
    {"--reference-etrecord", .value = "FILE",
     .help = "The ETRecord of another model as the reference, such as the float original of a "
             "quantized model"},
    {"--reference-data", .value = "FILE", .ending = ".ptd", .is_repeatable = true,
     .help = "A .ptd file with external tensors of the reference"},
    {"--reference-trace", .value = "FILE",
     .help = "Another trace as the reference, to compare two devices; of the same model, or of the "
             "model of --reference-etrecord"},
    {"--reference-debug-buffer", .value = "FILE",
     .help = "The captured tensors of --reference-trace"},
    {"--reference-npy", .value = "FOLDER",
     .help = "Files NODE.npy as the reference, or NODE.N.npy for several outputs. In Python, "
             "PyTorch itself can be the reference: Inspector.numeric_gap(\"torch\")"},
    {"--reference-dtype", .value = "f64|record",
     .help = "Compute the reference in float64 (default), to see what is right, or in the types of "
             "the ETRecord, as the runtime's kernels do"},
};

/* Which of the rows are shown. */
static const struct cli_option filters[] = {
    {"--method", .letter = "-m", .value = "NAME",
     .help = "The method that ran, if the trace fits several"},
    {"--block", .value = "NAME", .help = "Only this block, by name or number"},
    {"--run", .value = "N", .most = UINT32_MAX - 1,
     .help = "Only this run of the trace; runs count from 0"},
    {"--name", .value = "PATTERN",
     .help = "Only operators, events or kernels with this name, such as addmm; * matches anything"},
    {"--module", .value = "PATTERN", .help = "Only this module and its submodules"},
    {"--handle", .value = "N,N", .is_repeatable = true,
     .help = "Only rows with one of these debug handles"},
    {"--source", .value = "FILE:LINE", .help = "Only this source file of the model, or this line"},
    {"--backend", .value = "PATTERN",
     .help = "Only this backend, by its name or the start of its name; portable: kernels"},
    {"--event", .value = "N", .most = UINT32_MAX - 1,
     .help = "Only the tensors of this event, by its number in the table"},
    {"--at", .value = "N", .most = UINT32_MAX - 1,
     .help = "Only the tensors that are alive at instruction N"},
    {"--only-outputs", .help = "Only outputs of the method"},
    {"--only-nonfinite", .aliases = {"--only-broken"},
     .help = "Only tensors with NaN or infinite elements"},
    {"--only-mismatches", .aliases = {"--only-off"},
     .help = "Only values that differ from the reference"},
    {"--min-change", .aliases = {"--least-change"}, .value = "PERCENT",
     .help = "Treat smaller changes as \"same\"; default 1"},
    {"--steady", .help = "Leave out warm-up runs"},
    {"--top", .letter = "-n", .value = "N", .most = 1000000000,
     .help = "Only the first N rows; 0: all"},
    {"--all", .letter = "-a",
     .help = "Show every row: equal rows are otherwise one, such as add.out x18, with the numbers "
             "of each"},
    {"--brief", .help = "For programs: print the answer in one sentence, without the table"},
    {"--part", .value = "N", .least = 1, .most = UINT32_MAX,
     .help = "Which stream, counted from 1, if the device restarted; default: the last"},
};

/* What is written, and how. */
static const struct cli_option outputs[] = {
    {"--to", .letter = "-t", .value = "FORMAT", .help = "The format to write"},
    {"--format", .letter = "-f", .value = CLI_FORMATS, .help = "Output format"},
    {"--columns", .letter = "-c", .value = "NAMES", .help = "Only these columns, in this order"},
    {"--sort", .letter = "-s", .value = "order|time", .help = "Order of the rows"},
    {"--unit", .value = "ns|us|ms|s",
     .help = "Show all times in this unit; default: the best unit for each column"},
    {"--bounds",
     .help = "Show both bounds of times that are known to a few steps of a clock, instead of ~520"},
    {"--color", .value = "auto|always|never",
     .help = "Colour tables; auto: on a terminal, unless NO_COLOR is set or TERM is dumb"},
    {"--width", .value = "N", .least = 20, .most = 10000,
     .help = "Width of the table in characters; default: the terminal's, or no limit"},
    {"--pixels", .value = "N", .least = ETS_PICTURE_LEAST, .most = ETS_PICTURE_MOST,
     .help = "Width of the picture, 320 to 4000; default 960"},
    {"--output", .letter = "-o", .value = "FILE", .is_output = true,
     .help = "Write the table to FILE instead of standard output"},
    {"--table", .value = "FILE", .is_output = true,
     .help = "Write the table to FILE instead of standard output"},
    {"--database", .value = "FILE", .is_output = true,
     .help = "Write all tables and views to the SQLite database FILE"},
    {"--report", .value = "FILE", .is_output = true,
     .help = "Also write a report for a browser, as `report` does, to FILE"},
    {"--picture", .value = "FILE", .is_output = true,
     .help = "Also draw the errors of each operator, as SVG"},
    {"--heat-map", .value = "FILE", .is_output = true,
     .help = "Also draw one tensor, or with --compare its difference, as a PNG picture"},
    {"--filter", .value = "FILE", .ending = ".py", .is_output = true,
     .help = "Also write Python that quantizes each layer in its scheme with torchao, with the "
             "changes of --want-kl"},
    {"--junit", .value = "FILE", .is_output = true, .help = "Also write the verdicts as JUnit XML"},
    {"--save", .value = "FILE",
     .help = "Write the measurements to FILE, for --machine of other commands"},
    {"--outputs", .value = "PREFIX",
     .help = "Write each output to PREFIX.N.npy, or to PREFIX.METHOD.CASE.N.npy if several methods "
             "or cases run"},
    {"--output-file", .aliases = {"--output_file"}, .value = "PREFIX",
     .help = "Write the bytes of each output to PREFIX-N.bin, as executor_runner does"},
    {"--print-outputs", .aliases = {"--print_output"}, .value = "none|summary|all",
     .help = "Print the outputs of each method's last run as NumPy does, large ones shortened or "
             "in full"},
    {"--c-snippet",
     .help = "With --memory: print C arrays for the memory that an application must provide"},
    {"--schema", .help = "Print the tables and views with their columns"},
    {"--bytes", .help = "Also write bytes themselves, in Base64: constants, payloads, tensors. "
                        "Without it, those of more than 64 bytes are a size and a hash"},
    {"--precision", .value = "N", .most = 17,
     .help = "Maximum digits after the decimal point; default 8"},
    {"--edge-items", .value = "N", .least = 1, .most = 1000000,
     .help = "Values at each end of a dimension of large tensors; default 3"},
    {"--full", .help = "Print all values of large tensors, not only the first and last"},
    {"--max-samples", .value = "N", .most = ETS_PROGRAM_MOST_SAMPLES,
     .help = "Of programs: list the first N elements, up to 64, of each constant that differs; "
             "default 0"},
    {"--operators", .help = "Of programs only the kernels that they call, with types of tensors"},
    {"--verbose", .letter = "-v",
     .help = "Of programs: all rows, and the first 10 elements of each constant that differs"},
};

/* What few need. */
static const struct cli_option advanced[] = {
    {"--no-siblings", .help = "Ignore the files found beside the trace"},
    {"--partial", .help = "Read the intact part of a damaged trace"},
    {"--allow-mismatch", .help = "Continue if the trace and the ETRecord or program disagree"},
    {"--source-time-scale", .aliases = {"--source_time_scale"}, .value = "ns|us|ms|s|cycles",
     .help = "Clock unit of traces that do not state one; default ns"},
    {"--subtract-overhead", .help = "Subtract the measured cost of recording from each event"},
    {"--load-library", .value = "FILE", .is_repeatable = true,
     .help = "A shared library with your own kernels or backends"},
    {"--python", .value = "PYTHON",
     .help = "A Python with torch and executorch; takes its llama operators instead"},
    {"--engine", .value = "FILE", .help = "The engine plug-in; default: search the usual places"},
    {"--tracer", .value = "etscope|upstream|none",
     .help = "The tracer: etscope's (default), ExecuTorch's ETDumpGen, or none"},
    {"--debug-buffer-size", .value = "BYTES",
     .help = "Maximum size of the captured tensors, such as 512M or 4G; default 1G"},
    {"--encoding", .value = "auto|raw|hex|base64",
     .help = "Encoding of the bytes in the capture; default auto: detect it by complete frames"},
    {"--no-browser", .help = "Start no browser: print the address, and wait for one"},
    {"--port", .value = "N", .least = 1, .most = 65535,
     .help = "The port of --follow on 127.0.0.1; default: any free one"},
    {"--max-size", .value = "BYTES",
     .help = "Leave out events of runs, then other parts, until the report has at most BYTES, such "
             "as 10M"},
    {"--quick",
     .help = "Measure few runs of small vectors, to try the command; the results are unreliable"},
};

/* What the command line of ExecuTorch's Inspector takes, too. */
static const struct cli_option of_inspector[] = {
    {"--etdump", .aliases = {"--etdump_path"}, .value = "FILE",
     .help = "The trace, instead of the first argument"},
    {"--target-time-scale", .aliases = {"--target_time_scale"}, .value = "ns|us|ms|s|cycles",
     .help = "Time unit of this table and of upstream's (default ms)"},
    {"--tsv-path", .aliases = {"--tsv_path"}, .value = "FILE", .is_output = true,
     .help = "Also write the complete table of ExecuTorch's Inspector to FILE"},
    {"--compare-results", .aliases = {"--compare_results"},
     .help = "Also compare the recorded outputs with the ETRecord's reference outputs"},
};

struct group {
    const char *name;
    const struct cli_option *rows;
    size_t count;
};

#define GROUP(name, rows)                      \
    {                                          \
        name, rows, sizeof rows / sizeof *rows \
    }
static const struct group groups[] = {
    GROUP("input", inputs),
    GROUP("options", work),
    GROUP("reference", references),
    GROUP("filter", filters),
    GROUP("output", outputs),
    GROUP("advanced", advanced),
    GROUP("of ExecuTorch's Inspector", of_inspector),
};
enum { GROUPS = sizeof groups / sizeof *groups };

const char *cli_group_name(unsigned group)
{
    return group < GROUPS ? groups[group].name : NULL;
}

const char *cli_option_spelling(const struct cli_option *option, unsigned index)
{
    if (index == 0) return option->name;
    if (option->letter != NULL && index-- == 1) return option->letter;
    return index <= CLI_MAX_ALIASES ? option->aliases[index - 1] : NULL;
}

static bool is_spelling(const char *spelling, const char *word, size_t length)
{
    return spelling != NULL && strncmp(spelling, word, length) == 0 && spelling[length] == '\0';
}

/* The row with a spelling; NULL: none. */
static const struct cli_option *find(const char *word, size_t length)
{
    for (unsigned group = 0; group < GROUPS; group++) {
        for (size_t i = 0; i < groups[group].count; i++) {
            const struct cli_option *row = &groups[group].rows[i];
            const char *spelling;
            for (unsigned k = 0; (spelling = cli_option_spelling(row, k)) != NULL; k++) {
                if (is_spelling(spelling, word, length)) return row;
            }
        }
    }
    return NULL;
}

bool cli_option_find(const char *name, struct cli_option *row_out)
{
    for (unsigned group = 0; group < GROUPS; group++) {
        for (size_t i = 0; i < groups[group].count; i++) {
            if (strcmp(groups[group].rows[i].name, name) != 0) continue;
            *row_out = groups[group].rows[i];
            row_out->group = group;
            return true;
        }
    }
    return false;
}

bool cli_command_option(const struct cli_command *command, unsigned index,
                        struct cli_option *option_out)
{
    const struct cli_command_option *own = &command->options[index];
    if (own->name == NULL || !cli_option_find(own->name, option_out)) return false;
    if (own->help != NULL) option_out->help = own->help;
    if (own->value != NULL) {
        option_out->value = own->value;
        option_out->least = option_out->most = 0;
    }
    option_out->is_output = option_out->is_output || own->is_output;
    option_out->is_repeatable = option_out->is_repeatable || own->is_repeatable;
    unsigned count = 0;
    while (count < CLI_MAX_ALIASES && option_out->aliases[count] != NULL) count++;
    for (unsigned i = 0; i < 2 && count < CLI_MAX_ALIASES && own->aliases[i] != NULL; i++) {
        option_out->aliases[count++] = own->aliases[i];
    }
    option_out->aliases[count] = NULL;
    return true;
}

int cli_command_find(const struct cli_command *command, const char *spelling, size_t length)
{
    const struct cli_command_option *options = command->options;
    for (int i = 0; options[i].name != NULL; i++) {
        if (is_spelling(options[i].aliases[0], spelling, length) ||
            is_spelling(options[i].aliases[1], spelling, length)) {
            return i;
        }
    }
    const struct cli_option *row = find(spelling, length);
    for (int i = 0; row != NULL && options[i].name != NULL; i++) {
        if (strcmp(options[i].name, row->name) == 0) return i;
    }
    return -1;
}
