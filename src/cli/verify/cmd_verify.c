/* The command `verify`: runs the test cases of a bundled program and checks the outputs. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/core/cli_text.h"
#include "cli/core/columns.h"
#include "cli/core/interrupt.h"
#include "cli/core/progress.h"
#include "cli/core/what_to_type.h"
#include "cli/core/write_table.h"
#include "cli/session/kept_methods.h"
#include "cli/session/session.h"
#include "cli/target/target.h"
#include "cli/values/comparator_option.h"
#include "cli/values/tolerances.h"
#include "cli/verify/verify_table.h"
#include "etscope/experimental/comparators.h"
#include "host/text_builder.h"
#include "verify/computing.h"

static const struct cli_command_option option_list[] = {
    {"--method", .is_repeatable = true, .help = "Only test cases of this method; may be repeated"},
    {"--case", .is_repeatable = true,
     .help = "Only this test case, counted from 0; may be repeated"},
    {"--rtol"},
    {"--atol"},
    {"--rms",
     .help = "Tolerance of all outputs, as a fraction of the root mean square of the expected "
             "output; default: by the types the program computes in, or 0 with --rtol or --atol"},
    {"--tolerance",
     .help =
         "A tolerance for some outputs, such as output=1,rtol=1e-3,atol=1e-5; @FILE: one per line"},
    {"--tolerances", .is_hidden = true},
    {"--comparator"},
    {"--junit"},
    {"--columns", .help = "Only these columns, in this order, such as case,verdict,mse"},
    {"--format"},
    {"--color"},
    {"--width"},
    {"--output"},
    {"--in-turn", .help =
                      "Run the cases one after the other in the same loaded methods, which keep "
                      "their buffers, as steps of a generation"},
    CLI_ENGINE_OPTIONS,
    CLI_TARGET_OPTIONS,
    {NULL},
};

struct verifying {
    const struct cli_arguments *arguments;
    struct cli_session session;
    struct cli_kept_methods methods;
    char names[CLI_KEPT_METHODS][256]; /* of suites, for the methods that are kept */
    uint32_t name_count;
    struct cli_tolerances tolerances;
    struct ets_tolerance_rule *rules; /* of the suite: by the types of the method, then */
    size_t rule_count;                /* those of `tolerances` */
    struct cli_comparators comparators;
    struct cli_checked *checked;
    size_t count;
    uint32_t wanted_cases;
    uint32_t case_count, failed_cases; /* that ran; of these with unexpected outputs */
    struct cli_progress progress;
    int code; /* of the first case that could not be run */
};

static int no_memory(void)
{
    return cli_complain(CLI_INTERNAL, "no memory for the verdicts");
}

/* A new row of the table, or NULL. */
static struct cli_checked *add_line(struct verifying *v, const char *method, uint32_t test_case)
{
    struct cli_checked *grown = realloc(v->checked, (v->count + 1) * sizeof *grown);
    if (grown == NULL) return NULL;
    v->checked = grown;
    struct cli_checked *line = &v->checked[v->count++];
    *line = (struct cli_checked){.test_case = test_case, .output = -1};
    snprintf(line->method, sizeof line->method, "%s", method);
    return line;
}

/* Notes why a case could not be checked; the others go on. */
static int add_error(struct verifying *v, const char *method, uint32_t test_case, int code,
                     const struct ets_error *error)
{
    char reason[CLI_REASON_CHARS];
    const char *message = cli_reason(error, reason);
    struct cli_checked *line = add_line(v, method, test_case);
    if (line == NULL) return no_memory();
    line->verdict = "error";
    snprintf(line->message, sizeof line->message, "%.*s", (int)sizeof line->message - 1, message);
    if (v->code == CLI_OK) v->code = code;
    v->failed_cases++;
    return cli_complain(CLI_OK, "%s: %s, case %u: %s", v->session.path, method, test_case, message);
}

static void describe_shape(const struct cli_checked *line, char *text, size_t capacity)
{
    size_t used = (size_t)snprintf(text, capacity, "[");
    for (uint32_t i = 0; i < line->rank && used < capacity; i++) {
        used += (size_t)snprintf(text + used, capacity - used, "%s%lld", i > 0 ? ", " : "",
                                 (long long)line->sizes[i]);
    }
    if (used < capacity) snprintf(text + used, capacity - used, "]");
}

static void take_type(struct cli_checked *line, const struct ets_value *value)
{
    line->has_output = value->kind != ETS_VALUE_NONE && value->kind != ETS_VALUE_OTHER;
    line->rank = 0;
    line->scalar_type = value->kind == ETS_VALUE_INT    ? ETS_SCALAR_LONG
                        : value->kind == ETS_VALUE_BOOL ? ETS_SCALAR_BOOL
                                                        : ETS_SCALAR_DOUBLE;
    if (value->kind != ETS_VALUE_TENSOR) return;
    line->scalar_type = (int)value->as.tensor.scalar_type;
    line->rank = value->as.tensor.rank;
    memcpy(line->sizes, value->as.tensor.sizes, sizeof line->sizes);
}

/*
 * Adds that an output with single elements out of tolerance is within the tolerance of gap, which
 * judges the whole output.
 */
static void explain_whole(struct cli_checked *line)
{
    const double error = ets_comparison_relative_rms(&line->result.comparison);
    const size_t used = strlen(line->message);
    if (!line->result.has_statistics || !(error <= line->result.tolerance.of_rms)) return;
    snprintf(line->message + used, sizeof line->message - used,
             "; as a whole it is off by %.2g of its root mean square, which is within the "
             "tolerance of gap",
             error);
}

/* Explains the difference in one line. */
static void explain(struct cli_checked *line, const struct ets_value *expected)
{
    const struct ets_closeness *c = &line->result.closeness;
    const struct ets_comparison *most = &line->result.comparison;
    uint64_t worst = c->worst_index;
    struct cli_checked wanted = *line;
    char shape[160], distance[96] = "";
    switch (line->result.verdict) {
    case ETS_RESULT_CLOSE: return;
    case ETS_RESULT_DIFFERENT:
        if (isfinite(c->worst_excess) && line->result.has_statistics) {
            snprintf(distance, sizeof distance,
                     ", off by %.3g times the tolerance; the largest error is %g", c->worst_excess,
                     most->max_error);
        } else if (line->result.has_statistics && isfinite(most->max_error)) {
            worst = most->max_error_index; /* all exceed a tolerance of 0 infinitely */
            snprintf(distance, sizeof distance, ", off by %g", most->max_error);
        }
        snprintf(
            line->message, sizeof line->message,
            "%llu of %llu elements exceed rtol %g, atol %g and rms %g; the worst is element %llu%s",
            (unsigned long long)c->outside_count, (unsigned long long)c->count,
            line->result.tolerance.relative, line->result.tolerance.absolute,
            line->result.tolerance.of_rms, (unsigned long long)worst, distance);
        explain_whole(line);
        return;
    case ETS_RESULT_SHAPE:
        take_type(&wanted, expected);
        describe_shape(&wanted, shape, sizeof shape);
        snprintf(line->message, sizeof line->message, "the expected shape is %s", shape);
        return;
    case ETS_RESULT_DTYPE:
        take_type(&wanted, expected);
        snprintf(line->message, sizeof line->message, "the expected type is %s",
                 ets_scalar_type_name(wanted.scalar_type));
        return;
    default:
        snprintf(line->message, sizeof line->message, "%s",
                 ets_output_result_meaning(line->result.verdict));
    }
}

/* Adds a row for an output and its verdict. */
static int add_output(struct verifying *v, const char *method,
                      const struct ets_bundle_case *test_case, uint32_t index,
                      const struct ets_value *actual, const struct ets_output_verdict *verdict)
{
    struct ets_value expected = {.kind = ETS_VALUE_NONE};
    struct cli_checked *line = add_line(v, method, test_case->index);
    if (line == NULL) return no_memory();
    if (index < test_case->expected_count) ets_bundle_expected(test_case, index, &expected);
    line->output = index;
    line->result = *verdict;
    line->verdict = ets_output_result_name(verdict->verdict);
    line->is_failure = verdict->verdict != ETS_RESULT_CLOSE;
    take_type(line, actual != NULL ? actual : &expected);
    explain(line, &expected);
    if (line->result.has_statistics && actual != NULL && actual->kind == ETS_VALUE_TENSOR) {
        line->has_ulps =
            ets_ulps_of(&expected.as.tensor, &actual->as.tensor, &line->ulps, NULL) == ETS_OK;
        line->has_compared = true;
        cli_comparators_run(&v->comparators, &expected.as.tensor, &actual->as.tensor,
                            &line->compared);
    }
    return CLI_OK;
}

static double seconds_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Sets the inputs and runs once; reports errors in `error`. */
static enum ets_status run_once(const struct verifying *v, struct ets_engine_method *method,
                                const struct ets_engine_method_info *info,
                                const struct ets_bundle_case *test_case, double *seconds_out,
                                struct ets_error *error)
{
    const struct ets_engine *engine = v->session.engine;
    if (test_case->input_count != info->input_count) {
        *error = (struct ets_error){.status = ETS_MISMATCH, .offset = ETS_NO_OFFSET};
        snprintf(error->message, sizeof error->message, "it has %u inputs, the method takes %zu",
                 test_case->input_count, info->input_count);
        return ETS_MISMATCH;
    }
    for (uint32_t i = 0; i < test_case->input_count; i++) {
        struct ets_value value;
        ets_bundle_input(test_case, i, &value);
        const enum ets_status status = engine->method_set_input(method, i, &value, error);
        if (status != ETS_OK) return status == ETS_INVALID_ARGUMENT ? ETS_MISMATCH : status;
    }
    const double start = seconds_now();
    const enum ets_status status = engine->method_execute(method, error);
    *seconds_out = seconds_now() - start;
    return status;
}

static int exit_code_of(enum ets_status status)
{
    switch (status) {
    case ETS_RUNTIME: return CLI_RUNTIME;
    case ETS_NO_MEMORY: return CLI_INTERNAL;
    case ETS_MISMATCH: return CLI_MISMATCH;
    default: return CLI_INPUT;
    }
}

/* The outputs of a case that ran. */
static int check_outputs(struct verifying *v, const struct ets_bundle_suite *suite,
                         const struct ets_bundle_case *test_case, const char *name,
                         const struct ets_value *outputs, uint32_t count, double seconds)
{
    const uint32_t most = count > test_case->expected_count ? count : test_case->expected_count;
    struct ets_output_verdict *verdicts = calloc((size_t)most + 1, sizeof *verdicts);
    struct ets_case_verdict verdict;
    struct ets_error error;
    if (verdicts == NULL) return no_memory();
    const size_t first = v->count;
    const enum ets_status status = ets_verify_case(suite, test_case, outputs, count, v->rules,
                                                   v->rule_count, verdicts, most, &verdict, &error);
    int code = CLI_OK;
    if (status == ETS_NOT_FOUND) {
        struct cli_checked *line = add_line(v, name, test_case->index);
        if (line == NULL) code = no_memory();
        else {
            line->verdict = "unchecked";
            line->is_failure = true;
            snprintf(line->message, sizeof line->message, "the case has no expected outputs");
            v->failed_cases++;
        }
    } else if (status != ETS_OK) {
        code = add_error(v, name, test_case->index, exit_code_of(status), &error);
    } else {
        for (uint32_t i = 0; code == CLI_OK && i < most; i++) {
            code = add_output(v, name, test_case, i, i < count ? &outputs[i] : NULL, &verdicts[i]);
        }
        v->failed_cases += verdict.failed_count > 0;
    }
    for (size_t i = first; i < v->count; i++) v->checked[i].seconds = seconds;
    free(verdicts);
    return code;
}

static int get_outputs(struct verifying *v, struct ets_engine_method *method, size_t count,
                       const struct ets_bundle_suite *suite,
                       const struct ets_bundle_case *test_case, const char *name, double seconds)
{
    struct ets_error error;
    struct ets_value *outputs = calloc(count + 1, sizeof *outputs);
    if (outputs == NULL) return no_memory();
    enum ets_status status = ETS_OK;
    for (size_t i = 0; status == ETS_OK && i < count; i++) {
        status = v->session.engine->method_get_output(method, i, &outputs[i], &error);
    }
    const int code =
        status == ETS_OK
            ? check_outputs(v, suite, test_case, name, outputs, (uint32_t)count, seconds)
            : add_error(v, name, test_case->index, exit_code_of(status), &error);
    free(outputs);
    return code;
}

/* Uses a newly loaded method, because earlier runs may have changed buffers, unless that is wanted.
 */
static int verify_case(struct verifying *v, const struct ets_bundle_suite *suite, const char *name,
                       uint32_t index)
{
    const struct ets_engine *engine = v->session.engine;
    struct ets_engine_method *method = NULL;
    struct ets_engine_method_info info;
    struct ets_bundle_case test_case;
    struct ets_error error;
    double seconds = 0;
    ets_bundle_case(suite, index, &test_case);
    v->case_count++;
    enum ets_status status = engine->method_info(v->session.program, name, &info, &error);
    if (status == ETS_NOT_FOUND) status = error.status = ETS_MISMATCH;
    if (status == ETS_OK) {
        status = cli_method_begin(&v->methods, &v->session, name, &method, &error);
    }
    if (status == ETS_OK) status = run_once(v, method, &info, &test_case, &seconds, &error);
    const int code = status == ETS_OK ? get_outputs(v, method, info.output_count, suite, &test_case,
                                                    name, seconds)
                                      : add_error(v, name, index, exit_code_of(status), &error);
    cli_method_end(&v->methods, &v->session, method);
    return code;
}

/* Whether `--case` or `--method` names it, or nothing does. */
static bool is_wanted_case(const struct cli_arguments *arguments, uint32_t index)
{
    const char *value;
    for (unsigned i = 0; (value = cli_value_at(arguments, "--case", i)) != NULL; i++) {
        if (strtoll(value, NULL, 10) == index) return true;
    }
    return !cli_has(arguments, "--case");
}

static bool is_wanted_method(const struct cli_arguments *arguments, struct ets_text name)
{
    const char *value;
    for (unsigned i = 0; (value = cli_value_at(arguments, "--method", i)) != NULL; i++) {
        if (cli_text_is(name, value)) return true;
    }
    return !cli_has(arguments, "--method");
}

enum {
    MOST_TOLD = 1024
}; /* maximum number of traced outputs: a file may have many, and many calls */

/* Adds and notes rules for outputs that are less exact than the rest of the method. */
static void add_output_rules(struct verifying *v, const struct ets_method *method,
                             enum ets_computes computes)
{
    for (uint32_t i = 0; i < method->output_count && i < MOST_TOLD; i++) {
        const enum ets_computes own = ets_output_computes(method, i);
        const struct ets_tolerance_class *class_ = ets_tolerance_of(own);
        if (class_->tolerance.of_rms <= ets_tolerance_of(computes)->tolerance.of_rms) continue;
        struct ets_tolerance_rule *rules = v->rules + v->rule_count;
        const size_t count = ets_computes_rules(own, NULL, rules);
        for (size_t k = 0; k < count; k++) rules[k].output = i;
        v->rule_count += count;
        cli_note(
            "output %u was computed in %s: tolerance rtol %g, atol %g and %g of its root mean "
            "square (%s)",
            i, class_->name, class_->tolerance.relative, class_->tolerance.absolute,
            class_->tolerance.of_rms, class_->source);
    }
}

/* Makes the rules for a method's outputs, and notes the types the method computes in. */
static int make_rules(struct verifying *v, const char *name)
{
    struct ets_method method = {.output_count = 0};
    struct ets_error error;
    const bool has_method =
        ets_program_find_method(&v->session.model.program, name, &method, &error) == ETS_OK;
    const size_t most = ETS_TOLERANCE_RULES * (1 + (size_t)MOST_TOLD) + v->tolerances.count;
    struct ets_tolerance_rule *rules = realloc(v->rules, most * sizeof *rules);
    if (rules == NULL) return no_memory();
    v->rules = rules;
    v->rule_count = 0;
    if (has_method) {
        const enum ets_computes computes = ets_method_computes(&method);
        const struct ets_tolerance_class *class_ = ets_tolerance_of(computes);
        v->rule_count = ets_computes_rules(computes, NULL, rules);
        if (computes != ETS_COMPUTES_EXACT) {
            cli_note(
                "%s computes in %s: tolerance rtol %g, atol %g and %g of the root mean square of "
                "an output (%s)",
                name, class_->name, class_->tolerance.relative, class_->tolerance.absolute,
                class_->tolerance.of_rms, class_->source);
        }
        add_output_rules(v, &method, computes);
    }
    for (size_t i = 0; i < v->tolerances.count; i++) {
        rules[v->rule_count++] = v->tolerances.rules[i];
    }
    return CLI_OK;
}

static int verify_suite(struct verifying *v, const struct ets_bundle_suite *suite)
{
    if (v->methods.keeps && v->name_count + 1 == CLI_KEPT_METHODS) {
        return cli_complain(CLI_USAGE, "more than %d methods cannot run in turn",
                            CLI_KEPT_METHODS - 1);
    }
    char *name = v->names[v->name_count];
    v->name_count += v->methods.keeps;
    snprintf(name, sizeof v->names[0], "%.*s", (int)suite->method_name.size,
             suite->method_name.data);
    int code = make_rules(v, name);
    for (uint32_t i = 0; code == CLI_OK && i < suite->case_count && cli_interrupted() == 0; i++) {
        if (!is_wanted_case(v->arguments, i)) continue;
        code = verify_case(v, suite, name, i);
        cli_progress_count(&v->progress, "case", v->case_count, v->wanted_cases);
    }
    return code;
}

static uint32_t count_wanted(const struct verifying *v)
{
    const struct ets_bundle *bundle = &v->session.model.bundle;
    uint32_t count = 0;
    for (uint32_t s = 0; s < bundle->suite_count; s++) {
        struct ets_bundle_suite suite;
        ets_bundle_suite(bundle, s, &suite);
        if (!is_wanted_method(v->arguments, suite.method_name)) continue;
        for (uint32_t i = 0; i < suite.case_count; i++) count += is_wanted_case(v->arguments, i);
    }
    return count;
}

/* Reports options that name an unknown method or case. */
static int check_choice(const struct verifying *v)
{
    const struct ets_bundle *bundle = &v->session.model.bundle;
    struct ets_bundle_suite suite;
    struct ets_error error;
    const char *value;
    for (unsigned i = 0; (value = cli_value_at(v->arguments, "--method", i)) != NULL; i++) {
        if (ets_bundle_find_suite(bundle, value, &suite, &error) != ETS_OK) {
            return cli_fail(v->session.path, &error); /* USAGE: --method named it */
        }
    }
    for (unsigned i = 0; (value = cli_value_at(v->arguments, "--case", i)) != NULL; i++) {
        uint32_t most = 0;
        for (uint32_t s = 0; s < bundle->suite_count; s++) {
            ets_bundle_suite(bundle, s, &suite);
            if (is_wanted_method(v->arguments, suite.method_name) && suite.case_count > most) {
                most = suite.case_count;
            }
        }
        if (strtoll(value, NULL, 10) < most) continue;
        return cli_complain(CLI_USAGE, "%s has no test case %s: it has %u, counted from 0",
                            v->session.path, value, most);
    }
    return CLI_OK;
}

/* The suites that are wanted, in the order of the file. */
static int verify_suites(struct verifying *v)
{
    const struct ets_bundle *bundle = &v->session.model.bundle;
    int code = CLI_OK;
    for (uint32_t i = 0; code == CLI_OK && i < bundle->suite_count && cli_interrupted() == 0; i++) {
        struct ets_bundle_suite suite;
        ets_bundle_suite(bundle, i, &suite);
        if (is_wanted_method(v->arguments, suite.method_name)) code = verify_suite(v, &suite);
    }
    return code;
}

/* In the order of --method, as a prompt comes before what follows it. */
static int verify_in_turn(struct verifying *v)
{
    const char *name;
    int code = CLI_OK;
    if (!cli_has(v->arguments, "--method")) return verify_suites(v);
    for (unsigned i = 0; (name = cli_value_at(v->arguments, "--method", i)) != NULL; i++) {
        struct ets_bundle_suite suite;
        struct ets_error error;
        if (code != CLI_OK || cli_interrupted() != 0) break;
        if (ets_bundle_find_suite(&v->session.model.bundle, name, &suite, &error) != ETS_OK) {
            return cli_fail(v->session.path, &error);
        }
        code = verify_suite(v, &suite);
    }
    return code;
}

static int verify_all(struct verifying *v)
{
    if (!v->session.model.is_bundle) {
        return cli_complain(
            CLI_INPUT,
            "%s is not a bundled program (.bpte): it has no test cases; `etscope bundle` "
            "adds some",
            v->session.path);
    }
    int code = check_choice(v);
    v->wanted_cases = count_wanted(v);
    v->progress = cli_progress_start();
    cli_interrupt_begin();
    if (code == CLI_OK) code = v->methods.keeps ? verify_in_turn(v) : verify_suites(v);
    cli_kept_methods_close(&v->methods, &v->session);
    cli_interrupt_end();
    cli_progress_end(&v->progress);
    if (code != CLI_OK || v->case_count > 0) return code;
    if (cli_interrupted() != 0) {
        return cli_complain(CLI_SIGNAL + cli_interrupted(),
                            "interrupted before the first test case ended");
    }
    return cli_complain(CLI_INPUT, "%s has no test cases", v->session.path);
}

/* Times the tolerance, beyond which no other tolerance would do. */
static const double FAR_OFF = 10;

/* "FAIL 0 of 1 test cases are as expected: forward, case 0, output 0: ...": the first that fails.
 */
static void put_answer(const struct verifying *v, const struct ets_table_style *style,
                       struct ets_table *table)
{
    char text[1024];
    struct ets_text_builder answer = {text, sizeof text, 0};
    const struct cli_checked *first = v->checked;
    ets_add_text(&answer, "%s %u of %u test cases are as expected",
                 v->failed_cases > 0               ? "FAIL"
                 : v->case_count < v->wanted_cases ? "INTERRUPTED"
                                                   : "PASS",
                 v->case_count - v->failed_cases, v->case_count);
    if (v->case_count < v->wanted_cases) {
        ets_add_text(&answer, ", %u more did not run", v->wanted_cases - v->case_count);
    }
    while (first < v->checked + v->count && first->message[0] == '\0') first++;
    if (v->failed_cases > 0 && first < v->checked + v->count) {
        ets_add_plain_text(&answer, ": %s, case %u", first->method, first->test_case);
        if (first->output >= 0) ets_add_text(&answer, ", output %lld", (long long)first->output);
        ets_add_plain_text(&answer, ": %s", first->message);
        if (first->result.verdict == ETS_RESULT_DIFFERENT) {
            const double excess = first->result.closeness.worst_excess;
            ets_add_text(&answer, "%s",
                         excess < FAR_OFF
                             ? "; --tolerance sets another tolerance"
                             : "; why: etscope run MODEL --capture intermediates -o debug.etdp "
                               "--debug-buffer debug.bin, then etscope advise debug.etdp --program "
                               "MODEL --etrecord FILE");
        }
    }
    cli_put_headline(table, &(struct ets_text){text, answer.used}, 1);
    const bool is_shown = style->format == ETS_FORMAT_TABLE ||
                          style->format == ETS_FORMAT_MARKDOWN || style->format == ETS_FORMAT_JSON;
    if (!is_shown) cli_note("%s", text);
}

static int write_results(const struct verifying *v)
{
    const char *path = cli_result_path(v->arguments);
    const char *junit = cli_value(v->arguments, "--junit");
    struct ets_table *table;
    struct ets_table_style style;
    struct ets_error error;
    if (cli_verify_table(v->checked, v->count, &v->comparators, &table, &error) != ETS_OK) {
        return cli_fail(NULL, &error);
    }
    int code = cli_choose_columns(v->arguments, table);
    cli_style(v->arguments, path, &style);
    put_answer(v, &style, table);
    if (code == CLI_OK) code = cli_write_table(v->arguments, table, &style);
    ets_table_close(table);
    if (code == CLI_OK && junit != NULL) {
        code = cli_verify_junit(junit, v->session.path, v->checked, v->count);
    }
    return code;
}

static int check_words(const struct cli_arguments *arguments)
{
    const char *output = cli_value(arguments, "--output"), *junit = cli_value(arguments, "--junit");
    if (junit != NULL && strcmp(junit, output == NULL ? "-" : output) == 0) {
        return cli_complain(CLI_USAGE, "the table and --junit need different files");
    }
    return cli_check_stdin(arguments);
}

/*
 * Notes expected NaN, which are close to NaN: correct for a mask, wrong if the expected outputs
 * come from a broken run.
 */
static void note_nan(const struct verifying *v)
{
    unsigned count = 0;
    for (size_t i = 0; i < v->count; i++) {
        count += v->checked[i].result.has_statistics &&
                 v->checked[i].result.comparison.reference_nan_count > 0;
    }
    if (count == 0) return;
    cli_note("%u expected %s NaN; NaN counts as close to NaN", count,
             count == 1 ? "output has" : "outputs have");
}

static int cmd_verify(const struct cli_arguments *arguments)
{
    static struct verifying v;
    if (cli_has(arguments, "--target")) return cli_target_run(arguments);
    v = (struct verifying){.arguments = arguments,
                           .methods.keeps = cli_has(arguments, "--in-turn")};
    int code = check_words(arguments);
    if (code == CLI_OK) code = cli_tolerances_open(arguments, &v.tolerances);
    if (code == CLI_OK) code = cli_comparators_open(arguments, &v.comparators);
    if (code == CLI_OK) code = cli_session_open(arguments, false, 1, 0, &v.session);
    if (code == CLI_OK) code = verify_all(&v);
    if (code == CLI_OK) code = write_results(&v);
    if (code == CLI_OK) {
        note_nan(&v);
        code = v.code != CLI_OK ? v.code : v.failed_cases > 0 ? CLI_NEGATIVE : CLI_OK;
        if (code == CLI_OK && v.case_count < v.wanted_cases) code = CLI_SIGNAL + cli_interrupted();
    }
    cli_session_close(&v.session);
    cli_comparators_close(&v.comparators);
    cli_tolerances_close(&v.tolerances);
    free(v.checked);
    free(v.rules);
    return code;
}

const struct cli_command cli_verify_command = {
    .name = "verify",
    .task = CLI_TASK_CHECK,
    .summary = "run the test cases of a bundled program and check the outputs",
    .arguments = "MODEL",
    .description =
        "Runs every test case of MODEL (a .bpte) on the ExecuTorch runtime, each on a newly loaded "
        "method unless --in-turn is given, and compares every output with the expected output. "
        "Prints a line for each: the "
        "verdict, error statistics, and where the error is largest. Exits with 1 if an output is "
        "not as expected. Without options, the tolerance is that of torch.testing.assert_close for "
        "the output's type. --rtol and --atol set it for all outputs, and rules set it for some: "
        "in FIELDS, method=, case=, output= and dtype= select outputs, and rtol= and atol= set the "
        "tolerance; the last matching rule applies. An element is close if |actual - expected| <= "
        "atol + rtol * |expected|. --comparator adds the result of a comparator in your own shared "
        "library (etscope/experimental/comparator_plugin.h).",
    .options = option_list,
    .examples =
        "etscope verify model.bpte\n"
        "etscope verify model.bpte --rtol 1e-3 --atol 1e-5 --junit verify.xml\n"
        "etscope verify model.bpte --case 0 --tolerance output=1,atol=0.02 --format json",
    .guide = "verify.md",
    .run = cmd_verify,
};
