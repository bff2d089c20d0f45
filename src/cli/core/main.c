/* etscope: see what an ExecuTorch program does on a device. */
#include <locale.h>
#include <string.h>

#include "cli/core/document.h"

static const struct cli_command commands[] = {
    {"profile", "run a program and show what each operator costs", "MODEL",
     "Runs MODEL (a .pte or .bpte) on the ExecuTorch runtime, records its trace, and prints the "
     "operator table of `inspect`, in one step. Without --runs it runs 10 times after 1 warm-up "
     "run.",
     cli_profile_options,
     "etscope profile model.pte --etrecord model.etrecord\n"
     "etscope profile model.bpte --runs 100 --group-by module",
     cmd_profile},
    {"inspect", "show a trace, joined to the model's source lines", "TRACE",
     "Reads an ETDump and prints its operator table: what each operator took, how often it ran, "
     "its share of the whole, and the line of the model that it comes from. Source lines and "
     "modules need the ETRecord of the export; operator names of prim ops, and what the events "
     "inside of a delegate stand for, need the program. "
     "Times that a delegate reports in whole microseconds are shown as the bounds they are. "
     "Without --etrecord and --program, those beside the trace are used where they agree with "
     "it. "
     "--format upstream is the TSV table of upstream's Inspector, byte for byte.",
     cli_inspect_options,
     "etscope inspect profile.etdp --etrecord model.etrecord\n"
     "etscope inspect profile.etdp --etrecord model.etrecord --group-by source --sort time\n"
     "etscope inspect profile.etdp --tree --steady\n"
     "etscope inspect profile.etdp --format jsonl | head -3",
     cmd_inspect},
    {"annotate", "print the model's source with what each line costs", "TRACE [FILE]",
     "Reads an ETDump and the ETRecord of its program and prints the functions of the model that "
     "took time, or FILE alone, with a margin: what each line took in a run (mid: the mean "
     "over the middle half of the runs) and of the whole, "
     "how many operators it ran and the bytes that they wrote. A line's time is that of the "
     "operators whose innermost line it is; with --frames all also of what it called. An operator "
     "that a delegate fused from several lines counts at the first, which is marked with +N. Files "
     "are looked for where the record names them and below --source-root; of a file that is not "
     "there, or is no longer what was exported, the record's own lines are shown. With "
     "--debug-buffer "
     "each line also has the numeric error of the values that were captured of it, against the "
     "reference of gap: its own and the total, and the guilty line is marked.",
     cli_annotate_options,
     "etscope annotate profile.etdp --etrecord model.etrecord --program model.pte\n"
     "etscope annotate profile.etdp --etrecord model.etrecord --source-root src zoo.py\n"
     "etscope annotate debug.etdp --etrecord model.etrecord --debug-buffer debug.bin\n"
     "etscope annotate profile.etdp --etrecord model.etrecord --frames all --format json",
     cmd_annotate},
    {"tensors", "list, print, save, compare and draw the tensors that a trace captured",
     "TRACE [TENSOR]",
     "Reads an ETDump and its debug buffer and prints one line for each captured tensor: the "
     "operator that made it, type, shape, range, mean, deviation, how many numbers are NaN or "
     "infinite, and a hash that says whether two tensors are the same. Range, mean and deviation "
     "are over the finite numbers. TENSOR, the number of an event in the list or the name of an "
     "operator, and the filters choose some. With TENSOR or --show their values follow, as NumPy "
     "prints them, with quantiles and a histogram; machine formats have them in the column values. "
     "--save writes NumPy's files. Types that NumPy lacks are written as numpy.h says: bfloat16 as "
     "<V2, quantized types as their stored integers, 8-bit floats as |V1. Tensors are named by "
     "run, "
     "event and operator, run1-event00014-addmm.out. --compare finds the array of a tensor in a "
     ".npz file by this name, those of another build by their order among the operator's, where "
     "there are as many, or by the operator's name; arrays named arr_0, arr_1 and so on are taken "
     "in the order of the list. Without tolerances the verdict is that of "
     "torch.testing.assert_close "
     "for the type, and the command ends with 0. --heat-map draws the last two dimensions, and a "
     "tile for each of their matrices.",
     cli_tensors_options,
     "etscope tensors debug.etdp --debug-buffer debug.bin --etrecord model.etrecord\n"
     "etscope tensors debug.etdp 5 --debug-buffer debug.bin --heat-map tensor.png\n"
     "etscope tensors debug.etdp --debug-buffer debug.bin --name 'addmm*' --save tensors.npz\n"
     "etscope tensors debug.etdp output --debug-buffer debug.bin --compare y.npy --atol 0.5",
     cmd_tensors},
    {"gap", "compare what a device captured with a reference, and name the operator that is off",
     "TRACE",
     "Evaluates the graph of the ETRecord on its representative inputs with the runtime's own "
     "kernels, and compares node by node with what the trace captured. Each operator has two "
     "errors: "
     "the total, and its own, when it is computed from the inputs that the device had; the first "
     "operator whose own error stands out made the difference. A delegate's partition is one "
     "operator. --alignment shows which captured value was taken for which node.",
     cli_gap_options,
     "etscope gap debug.etdp --debug-buffer debug.bin --etrecord model.etrecord\n"
     "etscope gap debug.etdp --etrecord model.etrecord --alignment",
     cmd_gap},
    {"sql", "query traces, ETRecords and programs with SQL", "QUERY FILE...",
     "Makes the tables of an SQLite database of the FILEs, which are traces, ETRecords (.etrecord) "
     "and programs (.pte, .bpte), each known by its contents, and prints what QUERY selects. A "
     "folder stands for the ETDumps in it, @LIST for the files that LIST names, one a line. "
     "Tables are runs, events, operators with their statistics, allocations, captured tensors, "
     "nodes, delegates and others; views answer what is asked most. --schema lists them. Numbers "
     "(id) count from 0; those of several traces go on where the ones before end. Times are in "
     "nanoseconds, or in cycles where the clock of a trace has no unit. percentile(x, p) and "
     "median(x) are there as aggregates. A query can only read. With --to everything is written to "
     "an SQLite file, and QUERY may be left out.",
     cli_sql_options,
     "etscope sql 'select name, p50, source from operators where children = 0 "
     "order by p50 desc limit 5' trace.etdp\n"
     "etscope sql 'select * from module_times' trace.etdp --etrecord model.etrecord\n"
     "etscope sql trace.etdp model.etrecord --to trace.db",
     cmd_sql},
    {"diff", "show what changed between two traces", "BEFORE AFTER",
     "Compares two ETDumps operator by operator: the medians, the change, how sure it is, and what "
     "was added, removed or delegated. With ETRecords operators are matched by their debug "
     "handles, else by name in the order of execution. A verdict rests on a rank test over the "
     "runs, adjusted for the number of operators; it tells whether these recordings differ. The "
     "runs of one share one state of the machine: --before and --after add recordings to a side. "
     "same: any change is below --least-change; unclear: it may be above, more runs would tell; "
     "unknown: too few runs, or a clock too coarse. Where most operators do not match, the "
     "programs "
     "differ: diff says so and ends with 4, unless --allow-mismatch is given.",
     cli_diff_options,
     "etscope diff before.etdp after.etdp --etrecord model.etrecord\n"
     "etscope diff monday.etdp after.etdp --before tuesday.etdp\n"
     "etscope diff portable.etdp xnnpack.etdp --etrecord portable.etrecord --etrecord-b "
     "xnnpack.etrecord --top 10",
     cmd_diff},
    {"gate", "check a new trace against a base and a budget", "BASE... NEW",
     "Compares the last trace with all others, and ends with 1 where it breaks a rule of the "
     "budget. "
     "A budget has one rule a line: what, a metric, and a limit. `total p50 <= +5%` holds the "
     "median "
     "of Method::execute to 5 % over the base, `operator *conv* max <= 2ms` every operator of such "
     "a name to 2 ms, `delegated share >= 90%` the part of the time that delegates take. A limit "
     "over the base is broken where the change is beyond the base's own noise (of its files, or "
     "the "
     "quarters of its one file's runs) and a rank test sees it. What the runs cannot decide fails, "
     "too, and is told with the number of runs that would decide it; --undecided pass lets it "
     "pass.",
     cli_gate_options,
     "etscope gate before.etdp after.etdp --budget budget.txt\n"
     "etscope gate monday.etdp tuesday.etdp after.etdp --budget budget.txt --junit gate.xml",
     cmd_gate},
    {"summary", "summarize several traces of one program", "TRACE...",
     "Puts the runs of several ETDumps of one program together: quantiles over all of them, and "
     "how "
     "far the medians of the files lie apart. Traces of different programs are shown one after the "
     "other. TRACE may be a folder, for the ETDumps in it, or @LIST, a file with a name a line: "
     "any "
     "number of traces goes, as one at a time is open and what stays is eight bytes for each run "
     "of "
     "each operator, twice at the end. Traces of diff and gate are named likewise.",
     cli_summary_options,
     "etscope summary monday.etdp tuesday.etdp\n"
     "etscope summary *.etdp --etrecord portable.etrecord --etrecord xnnpack.etrecord --top 10",
     cmd_summary},
    {"run", "run a program on the ExecuTorch runtime and record its trace", "MODEL",
     "Loads MODEL (a .pte or .bpte), gives it inputs, runs it and writes what was asked for: the "
     "trace (-o), the captured tensors (--debug-buffer), the outputs (--outputs). Inputs come from "
     ".npy files, from .npz files, whose arrays are arguments in the order of the file, from a "
     "bundled test case, from an ETRecord's representative inputs, or are generated. A file that "
     "is "
     "neither, or ends in .bin, is a tensor's bytes, whose type and shape the program tells, as "
     "executor_runner reads it; --output-file writes such files. The program's "
     "kernels and delegates are native code: run only programs and "
     "libraries that you trust.",
     cli_run_options,
     "etscope run model.pte -o profile.etdp --runs 100 --warmup 5\n"
     "etscope run model.bpte --case 0 --capture intermediates -o debug.etdp --debug-buffer "
     "debug.bin\n"
     "etscope run model.pte --input x.npy --outputs result",
     cmd_run},
    {"verify", "run a bundled program's test cases and say whether the outputs are as expected",
     "MODEL",
     "Runs every test case of MODEL (a .bpte) on the ExecuTorch runtime, each on a method that is "
     "loaded anew, and compares every output with the expected one. Prints a line for each: the "
     "verdict, the error statistics and where the error is worst. Ends with 1 where an output is "
     "not as expected. Without options the tolerance is that of torch.testing.assert_close for the "
     "output's type; --rtol and --atol set it for all outputs, and rules for some: FIELDS are "
     "method=, case=, output= and dtype= for which outputs, rtol= and atol= for how much; the last "
     "rule that fits counts. Close is |actual - expected| <= atol + rtol * |expected|. "
     "--comparator "
     "adds what a shared library of your own says of each pair "
     "(etscope/experimental/comparator_plugin.h).",
     cli_verify_options,
     "etscope verify model.bpte\n"
     "etscope verify model.bpte --rtol 1e-3 --atol 1e-5 --junit verify.xml\n"
     "etscope verify model.bpte --case 0 --tolerance output=1,atol=0.02 --format json",
     cmd_verify},
    {"bundle", "put test cases beside a program: a bundled program (.bpte)", "MODEL",
     "Writes MODEL (a .pte, or the program of a .bpte) together with test cases, as ExecuTorch's "
     "runtime, `run` and `verify` read them. Each --case begins a test case and takes its inputs "
     "in the method's order: .npy files, .npz files, whose arrays count in the order of the file "
     "(of arr_0, arr_1 and so on by number), and numbers for what the method takes as plain "
     "numbers. "
     "--expect after it gives its expected outputs, --expect-from-run those that this runtime "
     "gives. Inputs and outputs must be those that the program takes and gives; tensors are "
     "stored in the order of dimensions that the program has. Nothing is loaded into memory as a "
     "whole.",
     cli_bundle_options,
     "etscope bundle model.pte --case x.npy --expect-from-run -o tested.bpte\n"
     "etscope bundle model.pte --method forward --case x.npy --expect y.npy -o tested.bpte\n"
     "etscope bundle model.pte --cases-from model.bpte -o new.bpte",
     cmd_bundle},
    {"recover", "rebuild a trace from a device's serial log or stream", "CAPTURE",
     "Reads what arrived of a stream (a file, or a serial log with other lines between) and writes "
     "what is whole of it as an ETDump, beside CAPTURE unless -o names it. Says how much was lost, "
     "and where the stream broke off which operators were running: with --program by their names, "
     "with --etrecord by their source lines. Frames are found as raw bytes, as hexadecimal digits "
     "(also in the forms of xxd and hexdump -C), as base64 and in `etsf:` lines. A whole ETDump in "
     "CAPTURE, as bytes or in `etsd:` lines, is written as it is.",
     cli_recover_options,
     "etscope recover uart.log\n"
     "etscope recover uart.log -o crash.etdp --program model.pte --etrecord model.etrecord",
     cmd_recover},
    {"delegates", "show what was delegated, and the operators left out of delegates",
     "PROGRAM [TRACE]",
     "Lists the instructions of PROGRAM (a .pte or .bpte) in their order: each delegate call with "
     "the operators that its backend runs inside, and the kernels that were left outside; with the "
     "bytes of the tensors that go in and out of each. With a TRACE of the program also what each "
     "took. Source lines and modules need the ETRecord of the export. Operators inside are known "
     "of XNNPACK, by its payload, and of backends that gave the ETRecord a map; of others the "
     "graph's nodes are listed.",
     cli_delegates_options,
     "etscope delegates model.pte --etrecord model.etrecord\n"
     "etscope delegates model.pte profile.etdp --etrecord model.etrecord",
     cmd_delegates},
    {"cost", "show what a program computes and moves", "PROGRAM",
     "Counts the work of PROGRAM (a .pte or .bpte) from the shapes in it, without running it: "
     "operations (2 for each multiply-add), bytes that must move, and their ratio, for each "
     "instruction and for what XNNPACK runs inside of its calls. The first sentence says how much "
     "a run computes, and in what. Dynamic shapes count at their upper bounds, of two branches the "
     "more expensive one counts, and of a loop one turn. Operators that cannot be counted are "
     "listed with a question mark and are in no sum. Modules and source lines need the ETRecord. "
     "`etscope inspect --cost` shows the same beside the times of a trace.",
     cli_cost_options,
     "etscope cost model.pte\n"
     "etscope cost model.pte --etrecord model.etrecord --group-by module --depth 2",
     cmd_cost},
    {"memory", "show what fills a program's planned memory", "PROGRAM",
     "Lists the tensors that the memory plan of PROGRAM (a .pte or .bpte) places: where each lies, "
     "how large it is, and the instructions between which it is needed. The first sentence says "
     "how much is planned, at which instruction the most is in use, and how far the plan is above "
     "what these lifetimes need at least. Tensors alive at that peak come first. Sizes of dynamic "
     "shapes are upper bounds. Source lines and modules need the ETRecord of the export.",
     cli_memory_options,
     "etscope memory model.pte --etrecord model.etrecord\n"
     "etscope memory model.pte --sort offset --all",
     cmd_memory},
    {"info", "describe a file, or list what belongs together in a folder", "FILE...",
     "Prints what a .pte, .bpte, .ptd, ETDump, ETRecord or .npy file holds, on one screen each.\n\n"
     "Of a folder it lists the files and which belong together: a program, its ETRecord and the "
     "traces of its runs. A trace belongs to the program whose fingerprint it carries; one without "
     "a fingerprint to the only model that it joins, or of several to the one of its name. An "
     "ETRecord belongs to the program of its name, or to the only one with which it explains a "
     "trace. What that does not decide is said to be not decided.",
     cli_info_options,
     "etscope info model.pte\n"
     "etscope info profile.etdp --format json\n"
     "etscope info .",
     cmd_info},
    {"doctor", "check the installation, and say how to add what is missing", "",
     "Reports the parts of this installation: ETRecord support, the engine and its runtime, "
     "whether that runtime records traces, its delegate backends and kernels.",
     cli_doctor_options, "etscope doctor", cmd_doctor},
    {"help", "explain a command, print man pages and shell completion", "[COMMAND]",
     "Without a word the overview, with a command's name its options.", cli_help_options,
     "etscope help inspect\n"
     "etscope help --completion bash > ~/.local/share/bash-completion/completions/etscope",
     cmd_help},
    {NULL, NULL, NULL, NULL, NULL, NULL, NULL},
};

/* An option before the command. */
static int complain_option(const char *word)
{
    static const char *const names[] = {"--help", "--version", NULL};
    const char *nearest = cli_nearest(word, names);
    if (nearest != NULL) {
        return cli_complain(CLI_USAGE, "there is no option %s; did you mean %s?", word, nearest);
    }
    return cli_complain(CLI_USAGE,
                        "the command comes first: etscope COMMAND %s; `etscope --help` "
                        "lists them",
                        word);
}

static bool asks_for_help(int count, char **words)
{
    for (int i = 0; i < count && strcmp(words[i], "--") != 0; i++) {
        if (strcmp(words[i], "--help") == 0 || strcmp(words[i], "-h") == 0) return true;
    }
    return false;
}

/* What a full disk swallowed of standard output is a failure like any other. */
static int finish(int code)
{
    const bool failed = fflush(stdout) != 0 || ferror(stdout);
    if (!failed || code == CLI_INTERNAL) return code;
    return cli_complain(CLI_INTERNAL, "standard output cannot be written");
}

int main(int count, char **words)
{
    setlocale(LC_CTYPE, "");
    if (count < 2) {
        cli_print_overview(stderr, commands);
        return CLI_USAGE;
    }
    if (strcmp(words[1], "--help") == 0 || strcmp(words[1], "-h") == 0) {
        cli_print_overview(stdout, commands);
        return finish(CLI_OK);
    }
    if (strcmp(words[1], "--version") == 0) {
        puts("etscope " ETS_VERSION);
        return finish(CLI_OK);
    }
    if (words[1][0] == '-') return complain_option(words[1]);
    const struct cli_command *command = cli_find_command(commands, words[1]);
    if (command == NULL) return CLI_USAGE;
    if (asks_for_help(count - 2, words + 2)) {
        cli_print_help(stdout, command);
        return finish(CLI_OK);
    }
    static struct cli_arguments arguments;
    int code = cli_parse(command, count - 2, words + 2, &arguments);
    arguments.commands = commands;
    if (code == CLI_OK) code = cli_check_outputs(&arguments);
    if (code != CLI_OK) return code;
    cli_document_start(&arguments);
    return finish(cli_document_end(command->run(&arguments)));
}
