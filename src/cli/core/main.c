/* The program etscope: the list of commands, and main. */
#include <locale.h>
#include <string.h>

#include "cli/core/bounds.h"
#include "cli/core/document.h"
#include "cli/core/input_files.h"
#include "cli/core/interrupt.h"

static const struct cli_command commands[] = {
    {"profile", "run a program and show what each operator costs", "MODEL",
     "Runs MODEL (a .pte or .bpte) on the ExecuTorch runtime, records a trace, and prints the "
     "operator table of `inspect`. The default is 10 runs after 1 warm-up run.",
     cli_profile_options,
     "etscope profile model.pte --etrecord model.etrecord\n"
     "etscope profile model.bpte --runs 100 --group-by module",
     cmd_profile},
    {"inspect", "show the operators of a trace with their times and source lines", "TRACE",
     "Reads an ETDump and prints its operator table: how long each operator took, how often it "
     "ran, its share of the run, and the source line that it comes from. Source lines and modules "
     "need the ETRecord of the export. The names of prim ops and of events inside delegates need "
     "the program. If a delegate reports whole microseconds, its times are ranges, or ~520 where "
     "the range is narrow. "
     "Without --etrecord and --program, the files beside the trace are used if they agree with it. "
     "--format upstream prints the TSV table of ExecuTorch's Inspector, byte for byte.",
     cli_inspect_options,
     "etscope inspect profile.etdp --etrecord model.etrecord\n"
     "etscope inspect profile.etdp --etrecord model.etrecord --group-by source --sort time\n"
     "etscope inspect profile.etdp --tree --steady\n"
     "etscope inspect profile.etdp --format jsonl | head -3",
     cmd_inspect},
    {"annotate", "print the model's source with the time and numeric error of each line",
     "TRACE [FILE]",
     "Reads an ETDump and the ETRecord of its program, and prints the functions of the model that "
     "took time, or only FILE. A margin shows for each line its time per run (mid: the mean over "
     "the middle half of the runs), its share of the run, how many operators it ran, and how many "
     "bytes they wrote. The time of a line is that of the operators whose innermost line it is; "
     "--frames all also adds the time of what the line called. If a delegate fused several lines "
     "into one operator, its time counts at the first line, which is marked +N. Source files are "
     "searched where the ETRecord names them, if that is below this folder, and below "
     "--source-root. A file is shown if it has every line that the ETRecord has of it; otherwise a "
     "note says why not, and the lines stored in the ETRecord are shown. With --debug-buffer, "
     "each line also shows the own and the total numeric error of its captured values against the "
     "reference of gap, and the guilty line is marked.",
     cli_annotate_options,
     "etscope annotate profile.etdp --etrecord model.etrecord --program model.pte\n"
     "etscope annotate profile.etdp --etrecord model.etrecord --source-root src zoo.py\n"
     "etscope annotate debug.etdp --etrecord model.etrecord --debug-buffer debug.bin\n"
     "etscope annotate profile.etdp --etrecord model.etrecord --frames all --format json",
     cmd_annotate},
    {"tensors", "list, print, save, compare and draw the tensors that a trace captured",
     "TRACE [TENSOR]",
     "Reads an ETDump and its debug buffer, and prints one line per captured tensor: the operator "
     "that computed it, type, shape, range, mean, standard deviation, the number of NaN and "
     "infinite elements, and a hash, which is the same for equal tensors. Range, mean and "
     "deviation are over the finite elements. TENSOR (the number of an event in the list, or the "
     "name of an operator) and the filters select tensors. With TENSOR or --show, the values "
     "follow as NumPy prints them, with quantiles and a histogram; machine formats have them in "
     "the column values. --save writes NumPy files. Types that NumPy lacks are saved in the way "
     "numpy.h describes: bfloat16 as <V2, quantized types as their stored integers, 8-bit floats "
     "as |V1. Tensors are named by run, event and operator, such as run1-event00014-addmm.out. "
     "--compare finds the array of a tensor in a .npz file by this name. For a file from another "
     "build it uses the order of the tensors of an operator, if both have equally many, or the "
     "operator's name. Arrays named arr_0, arr_1 and so on are taken in the order of the list. "
     "Without tolerances, the verdict is that of torch.testing.assert_close for the type, and the "
     "exit code is 0. --heat-map draws the last two dimensions as one tile per matrix.",
     cli_tensors_options,
     "etscope tensors debug.etdp --debug-buffer debug.bin --etrecord model.etrecord\n"
     "etscope tensors debug.etdp 5 --debug-buffer debug.bin --heat-map tensor.png\n"
     "etscope tensors debug.etdp --debug-buffer debug.bin --name 'addmm*' --save tensors.npz\n"
     "etscope tensors debug.etdp output --debug-buffer debug.bin --compare y.npy --atol 0.5",
     cmd_tensors},
    {"gap", "find the operator that makes the outputs wrong", "TRACE",
     "Evaluates the graph of the ETRecord on its representative inputs with the runtime's own "
     "kernels, and compares each node with the captured value. Each operator has two errors: the "
     "total error, and its own error, which it makes when computed from the inputs that the device "
     "had. The first operator whose own error stands out caused the difference. A delegate's "
     "partition counts as one operator. --alignment shows which captured value belongs to which "
     "node. TRACE is a trace with captured tensors; to make it: etscope run model.pte --etrecord "
     "model.etrecord --inputs etrecord --capture intermediates -o debug.etdp --debug-buffer "
     "debug.bin",
     cli_gap_options,
     "etscope gap debug.etdp --debug-buffer debug.bin --etrecord model.etrecord\n"
     "etscope gap debug.etdp --etrecord model.etrecord --alignment",
     cmd_gap},
    {"report", "write a report for a browser", "FILE...",
     "Writes one HTML file that shows what the FILEs (traces, ETRecords and programs, recognized "
     "by their contents) tell: what was found, operators, source lines, runs. It opens in a "
     "browser "
     "without network, and its first screen is readable without script. --format json writes the "
     "document alone, as docs/report-format.md describes it. The file contains names and source "
     "lines of the model, but no paths of folders. --follow serves the report of a device's stream "
     "to a browser on this machine until the stream ends.",
     cli_report_options,
     "etscope report trace.etdp --etrecord model.etrecord --output report.html\n"
     "etscope report trace.etdp --format json --output report.json\n"
     "etscope report --follow - --program model.pte --output report.html < uart.log",
     cmd_report},
    {"advise", "say what to change in a model, and what that would save", "[TRACE]",
     "Examines TRACE with its program and ETRecord, given or found beside it, and with captured "
     "tensors if --debug-buffer gives them, and lists what to change: operators outside of XNNPACK "
     "and why, partitions "
     "that a kernel splits, layout changes, work that is the same in every run, operators that "
     "XNNPACK computes wrongly, weights that are there twice, and more. Each finding says what to "
     "do, where, what it rests on, what it saves of a run (a range, or at most so much), and how "
     "to check it. The first line adds up what all changes save together. With --program alone, "
     "says what can be said before anything runs. docs/advice.md lists the kinds of findings.",
     cli_advise_options,
     "etscope advise profile.etdp --program model.pte --etrecord model.etrecord\n"
     "etscope advise --program model.pte --format sarif -o advice.sarif\n"
     "etscope advise profile.etdp --fail-on wrong --fail-on 5%",
     cmd_advise},
    {"plot", "write one picture for a document, as SVG or PNG", "PICTURE FILE...",
     "Writes a picture as SVG, readable on light and on dark and when printed, or some also as "
     "PNG. "
     "PICTURE is one of "
     "icicle TRACE (where the time of a run goes, by module or by call), runs TRACE (the time of "
     "each run, with warm-up, outliers and the median), timeline TRACE (when the calls of one run "
     "happened), waterfall BEFORE AFTER (what changed between two traces), roofline TRACE (how far "
     "operators are from what a machine can do), error TRACE (numeric errors along the execution), "
     "memory PROGRAM (planned memory over instructions) and size FILE... (what takes the bytes of "
     "programs).\n\n"
     "The numbers are those of the tables. Times that a coarse clock leaves undecided are hatched. "
     "Titles, shown by browsers under the pointer, tell names, times and shares.",
     cli_plot_options,
     "etscope plot icicle profile.etdp --etrecord model.etrecord -o icicle.svg\n"
     "etscope plot runs profile.etdp --width 640 -o runs.svg\n"
     "etscope plot waterfall before.etdp after.etdp --etrecord model.etrecord -o changes.svg\n"
     "etscope plot memory model.pte --etrecord model.etrecord -o memory.svg",
     cmd_plot},
    {"export", "write files for other tools", "FILE...",
     "Writes what FILEs (traces, ETRecords and programs, recognized by their contents) hold to a "
     "file that another tool opens. Traces: chrome and perfetto show events on a time line, "
     "speedscope, pprof and folded add them up by call, jsonl and csv list them, sqlite has all "
     "tables of `etscope sql`. dot: graphs for Graphviz, with a cluster for each module, and "
     "with a trace the time of each node. model-explorer: graphs for Model Explorer, with what is "
     "inside of delegates as graphs of their own. model-explorer-data: the times of these nodes, "
     "which Model Explorer shows on them. docs/exchange.md tells what each format holds and how "
     "to open it.",
     cli_export_options,
     "etscope export profile.etdp --etrecord model.etrecord --to perfetto -o profile.pftrace\n"
     "etscope export profile.etdp --to speedscope -o profile.speedscope.json\n"
     "etscope export model.pte --etrecord model.etrecord --to dot -o model.dot\n"
     "etscope export model.pte --to model-explorer -o model.json\n"
     "etscope export profile.etdp --program model.pte --to model-explorer-data -o times.json",
     cmd_export},
    {"sql", "query traces, ETRecords and programs with SQL", "QUERY FILE...",
     "Presents the FILEs (traces, ETRecords and programs, recognized by their contents) as tables "
     "of an SQLite database, and prints the result of QUERY. A folder stands for the ETDumps in "
     "it, @LIST for the files that LIST names, one per line. There are tables of runs, events, "
     "operators with their statistics, allocations, captured tensors, nodes, delegates and more, "
     "and views for common questions; --schema lists them. Ids count from 0 and continue from one "
     "trace to the next. Times are in nanoseconds, or in cycles if the clock of a trace has no "
     "unit. percentile(x, p) and median(x) are available as aggregates. Queries can only read. "
     "--to writes everything to an SQLite file; QUERY may then be left out.",
     cli_sql_options,
     "etscope sql 'select name, p50, source from operators where children = 0 "
     "order by p50 desc limit 5' trace.etdp\n"
     "etscope sql 'select * from module_times' trace.etdp --etrecord model.etrecord\n"
     "etscope sql trace.etdp model.etrecord --to trace.db",
     cmd_sql},
    {"diff", "show what changed between two traces or two programs", "BEFORE AFTER",
     "Compares two ETDumps operator by operator: the medians, the change, how certain it is, and "
     "which operators were added, removed or delegated. With ETRecords, operators are matched by "
     "their debug handles, otherwise by name in the order of execution. All runs of one "
     "recording share one state of the machine, so the recording is the unit. One recording a side "
     "compares two recordings, not two programs: differs, unclear. From four recordings a side on, "
     "a permutation test decides: slower, faster, same, undecided; five usually decide operators, "
     "too. Add recordings with --before and --after, or give folders or lists (@LIST). `etscope "
     "profile AFTER.pte --before BEFORE.pte` records both. same: any change is below --min-change. "
     "Where debug handles match too few operators, modules, source lines and names are tried. If "
     "most operators do not match, the programs differ: diff reports that and exits "
     "with 4, unless --allow-mismatch is given.\n\n"
     "Two programs (.pte, .bpte) are compared by content: methods, kernels and backends with their "
     "calls, instructions, delegates, arenas, constants, named data. With ETRecords, given or "
     "beside the programs, instructions are matched by their debug handles. Numbering, offsets in "
     "the file and padding are not differences. diff exits with 1 if the programs differ; --brief "
     "prints only the answer.",
     cli_diff_options,
     "etscope diff before.etdp after.etdp --etrecord model.etrecord\n"
     "etscope diff before/ after/\n"
     "etscope diff portable.etdp xnnpack.etdp --etrecord portable.etrecord --etrecord-b "
     "xnnpack.etrecord --top 10\n"
     "etscope diff before.pte after.pte --brief",
     cmd_diff},
    {"gate", "check a new trace against a base and a budget", "[BASE... NEW]",
     "Compares recordings of two sides, and exits with 1 if the new ones break a rule of the "
     "budget. --before and --after name the recordings: files, folders or lists (@LIST). Without "
     "them, the last trace is compared with all others. "
     "A budget has one rule per line: what, a metric, and a limit. `total p50 <= +5%` limits the "
     "median of Method::execute to 5 % above the base, `operator *conv* max <= 2ms` limits every "
     "operator with a matching name to 2 ms, and `delegated share >= 90%` requires 90 % of the "
     "time in delegates. A limit relative to the base needs four recordings of each side, or "
     "five for operators. It is broken if the change exceeds the limit and the spread between "
     "recordings of one side, and a permutation test confirms it. A rule that the recordings "
     "cannot "
     "decide fails, too, and is reported with the number of recordings that would decide it; with "
     "--undecided pass it passes. Limits such as 2ms are judged with any number.",
     cli_gate_options,
     "etscope gate before.etdp after.etdp --budget budget.txt\n"
     "etscope gate --before base/ --after new/ --budget budget.txt --junit gate.xml",
     cmd_gate},
    {"summary", "summarize several traces of one program", "TRACE...",
     "Pools the runs of several ETDumps of one program: shows quantiles over all runs, and how far "
     "the medians of the files differ. Traces of different programs are shown one after the other. "
     "TRACE may be a folder, for the ETDumps in it, or @LIST, a file with one name per line. The "
     "number of traces is not limited: only one trace is open at a time, and eight bytes are kept "
     "for each run of each operator, twice that at the end. diff and gate accept the same names.",
     cli_summary_options,
     "etscope summary monday.etdp tuesday.etdp\n"
     "etscope summary *.etdp --etrecord portable.etrecord --etrecord xnnpack.etrecord --top 10",
     cmd_summary},
    {"run", "run a program on the ExecuTorch runtime and record its trace", "MODEL",
     "Loads MODEL (a .pte or .bpte), runs it, and writes the files that the options name: the "
     "trace (-o), the captured tensors (--debug-buffer), the outputs (--outputs). Inputs come from "
     ".npy files, from .npz files (whose arrays are inputs in the order of the file), from a "
     "bundled test case, from an ETRecord's representative inputs, or are generated. A file that "
     "is neither .npy nor .npz, or whose name ends in .bin, contains the raw bytes of a tensor, as "
     "executor_runner reads it; the program states type and shape. --output-file writes such "
     "files. The program's kernels and delegates are native code: run only programs and libraries "
     "that you trust.",
     cli_run_options,
     "etscope run model.pte -o profile.etdp --runs 100 --warmup 5\n"
     "etscope run model.bpte --case 0 --capture intermediates -o debug.etdp --debug-buffer "
     "debug.bin\n"
     "etscope run model.pte --input x.npy --outputs result",
     cmd_run},
    {"verify", "run the test cases of a bundled program and check the outputs", "MODEL",
     "Runs every test case of MODEL (a .bpte) on the ExecuTorch runtime, each on a newly loaded "
     "method, and compares every output with the expected output. Prints a line for each: the "
     "verdict, error statistics, and where the error is largest. Exits with 1 if an output is not "
     "as expected. Without options, the tolerance is that of torch.testing.assert_close for the "
     "output's type. --rtol and --atol set it for all outputs, and rules set it for some: in "
     "FIELDS, method=, case=, output= and dtype= select outputs, and rtol= and atol= set the "
     "tolerance; the last matching rule applies. An element is close if |actual - expected| <= "
     "atol + rtol * |expected|. --comparator adds the result of a comparator in your own shared "
     "library (etscope/experimental/comparator_plugin.h).",
     cli_verify_options,
     "etscope verify model.bpte\n"
     "etscope verify model.bpte --rtol 1e-3 --atol 1e-5 --junit verify.xml\n"
     "etscope verify model.bpte --case 0 --tolerance output=1,atol=0.02 --format json",
     cmd_verify},
    {"bundle", "add test cases to a program: write a bundled program (.bpte)", "MODEL",
     "Writes MODEL (a .pte, or the program of a .bpte) together with test cases, in the format "
     "that ExecuTorch's runtime, `run` and `verify` read. Each --case starts a test case and lists "
     "its inputs in the method's order: .npy files, .npz files (whose arrays count in the order of "
     "the file; arr_0, arr_1 and so on by number), and numbers for inputs that are plain numbers. "
     "A following --expect lists its expected outputs; --expect-from-run uses those of this "
     "runtime. Inputs and outputs must fit the program's methods; tensors are stored in the "
     "dimension order that the program declares. Files are not loaded into memory as a whole.",
     cli_bundle_options,
     "etscope bundle model.pte --case x.npy --expect-from-run -o tested.bpte\n"
     "etscope bundle model.pte --method forward --case x.npy --expect y.npy -o tested.bpte\n"
     "etscope bundle model.pte --cases-from model.bpte -o new.bpte",
     cmd_bundle},
    {"recover", "rebuild a trace from a device's serial log or stream", "CAPTURE",
     "Reads a device's stream (a file, or a serial log with other lines in between) and writes the "
     "intact part as an ETDump, beside CAPTURE unless -o names it. Reports how much was lost, and "
     "which operators were running when the stream ended: --program adds their names, --etrecord "
     "their source lines. Frames may be raw bytes, hexadecimal digits (also as printed by xxd and "
     "hexdump -C), base64, or `etsf:` lines. A complete ETDump in CAPTURE, as bytes or in `etsd:` "
     "lines, is written unchanged, and so is a summary in `etsd:` lines.",
     cli_recover_options,
     "etscope recover uart.log\n"
     "etscope recover uart.log -o crash.etdp --program model.pte --etrecord model.etrecord",
     cmd_recover},
    {"import", "make a trace of another runtime's profile", "FILE",
     "Reads the profile that another runtime wrote and writes it as an ETDump, so that every "
     "command reads it and one model is compared across runtimes. FILE is recognized by its "
     "contents: ONNX Runtime's profile, the trace of PyTorch's profiler (export_chrome_trace), "
     "LiteRT's operator profile (CSV or protobuf of benchmark_model, or its profiler's events), "
     "or other Chrome JSON. Commands that take traces also read these files directly. "
     "docs/exchange.md says what becomes what, and what is left out.",
     cli_import_options,
     "etscope import ort.json\n"
     "etscope import litert.csv -o litert.etdp",
     cmd_import},
    {"delegates", "show what was delegated, and the operators left out of delegates",
     "PROGRAM [TRACE]",
     "Lists the instructions of PROGRAM (a .pte or .bpte) in their order: each delegate call with "
     "the operators that its backend runs inside, and the kernels left outside, with the bytes of "
     "their input and output tensors. With a TRACE of the program, also shows how long each took. "
     "Source lines and modules need the ETRecord of the export. The operators inside are known for "
     "XNNPACK, from its payload, and for backends that gave the ETRecord a map; for others the "
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
    {"machine", "measure the maximum speed of this machine", "[FILE]",
     "Runs small programs of known work on the ExecuTorch runtime: a matrix product in float32, "
     "float16 and int8, vectors that are added and copied in each cache and in memory, and "
     "instructions without work. Shows the highest rates, in operations and bytes per second, that "
     "the runtime's own kernels reach here with 1, 2, 4... threads: the roofs that `inspect "
     "--machine FILE` compares operators with. This takes up to a minute; other work on the "
     "machine makes the roofs too low. With FILE, shows a file that --save wrote on this or "
     "another machine.",
     cli_machine_options,
     "etscope machine --save machine.json\n"
     "etscope machine machine.json",
     cmd_machine},
    {"memory", "show the planned memory of a program: which tensors fill it, and when", "PROGRAM",
     "Lists the tensors in the planned memory of PROGRAM (a .pte or .bpte): the offset and size of "
     "each, and the instructions between which it is needed. The first sentence states how much is "
     "planned, at which instruction the most is in use, and how far the plan exceeds the minimum "
     "for these lifetimes. Tensors alive at that peak come first. Sizes of dynamic shapes are "
     "upper bounds. Source lines and modules need the ETRecord of the export.",
     cli_memory_options,
     "etscope memory model.pte --etrecord model.etrecord\n"
     "etscope memory model.pte --sort offset --all",
     cmd_memory},
    {"size", "show what the bytes of a program consist of", "FILE...",
     "Lists where the bytes of programs (.pte, .bpte) and their data files (.ptd) are: constants, "
     "weights of delegates, payloads, the program itself, padding. Every byte counts once, so the "
     "rows add up to the files. Weights inside XNNPACK payloads and named data are listed by the "
     "layer that uses them; for payloads of other backends only size and kind are known. Names and "
     "modules need the ETRecord of the export. Duplicate data is found and its cost shown: data of "
     "equal size is compared if it has at most 16 MiB, or always with --duplicates. No other data "
     "of large files is read. If the output file ends in .svg, it is a picture (treemap).",
     cli_size_options,
     "etscope size model.pte\n"
     "etscope size model.pte weights.ptd --etrecord model.etrecord --group-by module\n"
     "etscope size model.pte -o size.svg",
     cmd_size},
    {"info", "describe files, and find those that belong together", "FILE...",
     "Describes .pte, .bpte, .ptd, ETDump, ETRecord and .npy files on one screen each.\n\nFor a "
     "folder, lists the files and which belong together: a program, its ETRecord and the traces of "
     "its runs. A trace belongs to the program whose fingerprint it carries. A trace without a "
     "fingerprint belongs to the only model that it joins, or, if it joins several, to the one "
     "with its name. An ETRecord belongs to the program with its name, or to the only one with "
     "which it explains a trace. Everything else is reported as not decided.",
     cli_info_options,
     "etscope info model.pte\n"
     "etscope info profile.etdp --format json\n"
     "etscope info .",
     cmd_info},
    {"dump", "write all that a file holds as JSON", "FILE...",
     "Writes every field of a .pte, .bpte, .ptd, ETDump or ETRecord file as JSON for scripts: what "
     "the file's own schema names, under the schema's names, and what the segments, payloads and "
     "entries in it hold. Bytes are a size and a hash, with --data themselves. A file is read and "
     "checked before its row is written, so that a row is whole or not there. docs/json.md has the "
     "members. info is the short answer.",
     cli_dump_options,
     "etscope dump model.pte\n"
     "etscope dump debug.etdp --debug-buffer debug.bin --data -o debug.json",
     cmd_dump},
    {"doctor", "check the installation, and show how to add missing parts", "",
     "Reports the parts of this installation: ETRecord support, the engine and its runtime, "
     "whether the runtime records traces, and its delegate backends and kernels.",
     cli_doctor_options, "etscope doctor", cmd_doctor},
    {"help", "explain a command, or print man pages and shell completions", "[COMMAND]",
     "Shows an overview, or the options of COMMAND.", cli_help_options,
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
        return cli_complain(CLI_USAGE, "unknown option %s; did you mean %s?", word, nearest);
    }
    return cli_complain(CLI_USAGE,
                        "expected a command before %s: etscope COMMAND [options]; `etscope --help` "
                        "lists the commands",
                        word);
}

static bool asks_for_help(int count, char **words)
{
    for (int i = 0; i < count && strcmp(words[i], "--") != 0; i++) {
        if (strcmp(words[i], "--help") == 0 || strcmp(words[i], "-h") == 0) return true;
    }
    return false;
}

/* Reports output that was lost, for example on a full disk. */
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
    cli_interrupt_install();
    cli_inputs_guard();
    cli_bounds_start();
    cli_document_start(&arguments);
    code = cli_document_end(cli_end(command->run(&arguments)));
    cli_inputs_free();
    return finish(code);
}
