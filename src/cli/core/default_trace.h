/* The file that a command writes if no output is named: beside its input. */
#ifndef ETSCOPE_CLI_CORE_DEFAULT_TRACE_H
#define ETSCOPE_CLI_CORE_DEFAULT_TRACE_H

/*
 * `path` with another ending, ".etdp" for a trace, to be freed. Reports a file of that name, which
 * it must not replace, and `option`, which names another. Returns an exit code.
 */
int cli_default_trace(const char *path, const char *ending, const char *option, char **made_out);

#endif
