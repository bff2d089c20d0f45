/* --machine and --threads: the roofs that operators are held against. */
#include "cli/files/machine_option.h"

#include "cost/roof.h"
#include "etscope/file.h"

int cli_machine_read(const char *path, struct ets_arena *arena, struct ets_machine *machine_out)
{
    struct ets_file *file;
    struct ets_error error;
    if (cli_file_open(path, &file, &error) != ETS_OK) return cli_fail(path, &error);
    const enum ets_kind kind = ets_kind_sniff(ets_file_bytes(file));
    if (kind != ETS_KIND_UNKNOWN && kind != ETS_KIND_JSON && kind != ETS_KIND_TEXT) {
        ets_file_close(file);
        return cli_complain(CLI_INPUT, "%s: not a measured machine, but %s", path,
                            ets_kind_name(kind));
    }
    const enum ets_status status =
        ets_machine_read(ets_file_bytes(file), arena, machine_out, &error);
    ets_file_close(file);
    if (status != ETS_OK) {
        const int code = cli_fail(path, &error);
        cli_note("`etscope machine --save FILE` writes a file of a measured machine");
        return code;
    }
    if (machine_out->is_busy) {
        cli_note("%s: was measured on a busy machine: its roofs may be too low", path);
    }
    return CLI_OK;
}

int cli_machine_option(const struct cli_arguments *arguments, struct ets_arena *arena,
                       struct ets_machine *machine_out, uint32_t *threads_out)
{
    const char *path = cli_value(arguments, "--machine");
    *threads_out = 0;
    if (path == NULL) return CLI_OK;
    const int code = cli_machine_read(path, arena, machine_out);
    if (code != CLI_OK) return code;
    const uint32_t most = ets_machine_most_threads(machine_out);
    if (most == 0) return cli_complain(CLI_INPUT, "%s: holds no roof that etscope knows", path);
    *threads_out = (uint32_t)cli_number(arguments, "--threads", most);
    if (!ets_machine_has_threads(machine_out, *threads_out)) {
        return cli_complain(CLI_USAGE, "%s was not measured with %u threads: the most are %u", path,
                            *threads_out, most);
    }
    if (!cli_has(arguments, "--threads") && most > 1) {
        cli_note("operators are compared with the roofs of %u threads; --threads N chooses others",
                 most);
    }
    return CLI_OK;
}

int cli_check_machine_threads(const struct cli_arguments *arguments)
{
    if (!cli_has(arguments, "--threads") || cli_has(arguments, "--machine")) return CLI_OK;
    return cli_complain(CLI_USAGE, "--threads needs --machine FILE");
}
