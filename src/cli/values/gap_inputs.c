/* Opens the inputs of the reference: files, a bundled test case, or the record's own. */
#include "cli/values/gap_inputs.h"

#include <stdlib.h>
#include <string.h>

#include "cli/core/cli_text.h"

static int no_memory(void)
{
    return cli_complain(CLI_INTERNAL, "no memory for the inputs");
}

/* The arrays of a .npy or .npz file. */
static int add_file(const char *path, struct cli_gap_inputs *inputs)
{
    struct cli_arrays *arrays = &inputs->files[inputs->file_count++];
    int code = cli_arrays_open(path, arrays);
    if (code != CLI_OK) return code;
    struct ets_value *values =
        realloc(inputs->values, (inputs->count + arrays->count + 1) * sizeof *values);
    if (values == NULL) return no_memory();
    inputs->values = values;
    for (size_t i = 0; code == CLI_OK && i < arrays->count; i++) {
        values[inputs->count] = (struct ets_value){.kind = ETS_VALUE_TENSOR};
        code = cli_arrays_read(arrays, i, &values[inputs->count++].as.tensor);
    }
    return code;
}

static int from_files(const struct cli_arguments *arguments, struct cli_gap_inputs *inputs)
{
    const unsigned count = cli_value_count(arguments, "--input");
    inputs->files = calloc((size_t)count + 1, sizeof *inputs->files);
    if (inputs->files == NULL) return no_memory();
    int code = CLI_OK;
    for (unsigned i = 0; code == CLI_OK && i < count; i++) {
        code = add_file(cli_value_at(arguments, "--input", i), inputs);
    }
    return code;
}

static int from_case(const struct cli_program *program, const char *method, uint32_t number,
                     struct cli_gap_inputs *inputs)
{
    struct ets_bundle_suite suite;
    struct ets_bundle_case bundled;
    struct ets_error error;
    if (ets_bundle_find_suite(&program->bundle, method, &suite, &error) != ETS_OK) {
        return cli_fail(NULL, &error);
    }
    if (number >= suite.case_count) {
        return cli_complain(CLI_USAGE, "%s has no test case %u: it has %u, counted from 0", method,
                            number, suite.case_count);
    }
    ets_bundle_case(&suite, number, &bundled);
    inputs->values = calloc((size_t)bundled.input_count + 1, sizeof *inputs->values);
    if (inputs->values == NULL) return no_memory();
    for (uint32_t i = 0; i < bundled.input_count; i++) {
        ets_bundle_input(&bundled, i, &inputs->values[inputs->count++]);
    }
    return CLI_OK;
}

int cli_gap_inputs_open(const struct cli_arguments *arguments, const struct cli_program *program,
                        const char *method, int told, bool is_kept,
                        struct cli_gap_inputs *inputs_out)
{
    const bool has_case = cli_has(arguments, "--case");
    const long long asked = cli_number(arguments, "--case", told);
    *inputs_out = (struct cli_gap_inputs){.count = 0};
    if (cli_has(arguments, "--input") && has_case) {
        return cli_complain(CLI_USAGE, "--input and --case exclude each other");
    }
    if (cli_has(arguments, "--input")) return from_files(arguments, inputs_out);
    if (has_case && !program->is_bundle) {
        return cli_complain(CLI_USAGE, "--case needs --program with a bundled program (.bpte)");
    }
    if (has_case && program->is_bundle) {
        return from_case(program, method, (uint32_t)asked, inputs_out);
    }
    if (is_kept) return CLI_OK;
    if (asked >= 0 && program->is_bundle) {
        return from_case(program, method, (uint32_t)asked, inputs_out);
    }
    if (strcmp(method, "forward") == 0) return CLI_OK;
    if (program->is_bundle) {
        cli_note("%s: inputs of test case 0", method);
        return from_case(program, method, 0, inputs_out);
    }
    return cli_complain(CLI_USAGE,
                        "an ETRecord has representative inputs only for the method forward, but "
                        "the trace ran %s: give --input, or --program with a bundled program",
                        method);
}

void cli_gap_inputs_close(struct cli_gap_inputs *inputs)
{
    for (size_t i = 0; i < inputs->file_count; i++) cli_arrays_close(&inputs->files[i]);
    free(inputs->files);
    free(inputs->values);
}
