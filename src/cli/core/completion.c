/* Makes shell completion scripts from the table of commands. */
#include <string.h>

#include "cli/core/command.h"
#include "cli/core/option_values.h"

/* Inside single quotes: bash and zsh must leave them for a quote. */
static void put_quoted(FILE *stream, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'') fputs("'\\''", stream);
        else fputc(*text, stream);
    }
}

/* Inside single quotes, in an argument of _arguments or _describe. */
static void put_zsh(FILE *stream, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            fputs("'\\''", stream);
            continue;
        }
        if (strchr("\\[]:", *text) != NULL) fputc('\\', stream);
        fputc(*text, stream);
    }
}

/* Inside single quotes, where fish has two escapes. */
static void put_fish(FILE *stream, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'' || *text == '\\') fputc('\\', stream);
        fputc(*text, stream);
    }
}

static void put_choices(FILE *stream, const struct cli_option *option)
{
    for (const char *at = option->value; *at != '\0'; at++) fputc(*at == '|' ? ' ' : *at, stream);
}

/* Option number `index` of those that are offered; false past the end. */
static bool next_option(const struct cli_command *command, unsigned *index,
                        struct cli_option *option_out)
{
    while (command->options[*index].is_hidden) ++*index;
    return cli_command_option(command, (*index)++, option_out);
}

/* The function of a script that offers an option's values; NULL: none does. */
static const char *asks(const struct cli_command *command, const struct cli_option *option)
{
    const bool is_columns = strcmp(option->name, "--columns") == 0;
    if (is_columns && command->tells_columns) return "_etscope_columns";
    return strcmp(option->name, "--module") == 0 ? "_etscope_modules" : NULL;
}

/*
 * Of the first file on the line, the names of columns and modules. Names come from files, and a
 * shell would expand what it is offered: only plain ones are. A list is completed behind its
 * commas.
 */
static void print_bash_questions(FILE *stream)
{
    fputs(
        "_etscope_file() {\n  local word\n  for word in \"${COMP_WORDS[@]:2}\"; do\n"
        "    case $word in -*) continue ;; esac\n"
        "    if [ -f \"$word\" ]; then printf '%s' \"$word\"; return; fi\n  done\n}\n"
        "_etscope_offer() {\n  local cur=${COMP_WORDS[COMP_CWORD]} begun='' word\n"
        "  case $cur in *,*) begun=${cur%,*}, ;; esac\n"
        "  while IFS= read -r word; do\n"
        "    [[ $word =~ ^[A-Za-z0-9_.]+$ ]] || continue\n"
        "    [[ $begun$word == \"$cur\"* ]] && COMPREPLY+=(\"$begun$word\")\n  done\n}\n"
        "_etscope_columns() {\n  compopt -o nospace 2>/dev/null\n"
        "  _etscope_offer < <(etscope \"${COMP_WORDS[1]}\" \"$(_etscope_file)\" --columns '?' 2>&1 "
        "|\n    sed -n 's/.*he columns are //p' | tr -d ' ' | tr ',' '\\n')\n}\n"
        "_etscope_modules() {\n  local i record=()\n"
        "  for ((i = 2; i < COMP_CWORD; i++)); do\n"
        "    case ${COMP_WORDS[i]} in --etrecord) record=(--etrecord \"${COMP_WORDS[i+1]}\") ;; "
        "esac\n"
        "  done\n"
        "  _etscope_offer < <(etscope inspect \"$(_etscope_file)\" \"${record[@]}\" --group-by "
        "module \\\n    --columns module --format tsv 2>/dev/null | sed 1d)\n}\n",
        stream);
}

/* inspect:--format|inspect:-f) words='table tsv' ;; and no words where files are completed */
static void print_bash_values(FILE *stream, const struct cli_command *command,
                              const struct cli_option *option)
{
    const char *spelling;
    for (unsigned i = 0; (spelling = cli_option_spelling(option, i)) != NULL; i++) {
        fprintf(stream, "%s%s:%s", i == 0 ? "    " : "|", command->name, spelling);
    }
    fputs(") ", stream);
    if (asks(command, option) != NULL) {
        fprintf(stream, "compopt +o default 2>/dev/null; COMPREPLY=(); %s; return ",
                asks(command, option));
    } else if (cli_option_has_choices(option)) {
        fputs("words='", stream);
        put_choices(stream, option);
        fputs("' ", stream);
    } else if (!cli_option_takes_file(option)) {
        fputs("compopt +o default 2>/dev/null ", stream);
    }
    fputs(";;\n", stream);
}

static void put_command_names(FILE *stream, const struct cli_command *const *commands)
{
    for (const struct cli_command *const *each = commands; *each != NULL; each++) {
        fprintf(stream, "%s%s", each == commands ? "" : " ", (*each)->name);
    }
}

static bool takes_command(const struct cli_command *command)
{
    return strcmp(command->arguments, "[COMMAND]") == 0;
}

static void print_bash(FILE *stream, const struct cli_command *const *commands)
{
    struct cli_option option;
    print_bash_questions(stream);
    fputs(
        "_etscope() {\n  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
        "  local words=''\n  case ${COMP_WORDS[1]}:$prev in\n",
        stream);
    for (const struct cli_command *const *each = commands; *each != NULL; each++) {
        const struct cli_command *command = *each;
        for (unsigned i = 0; next_option(command, &i, &option);) {
            if (option.value != NULL) print_bash_values(stream, command, &option);
        }
    }
    fputs("    *)\n      case ${COMP_WORDS[1]} in\n", stream);
    for (const struct cli_command *const *each = commands; *each != NULL; each++) {
        const struct cli_command *command = *each;
        fprintf(stream, "        %s) words='-h --help", command->name);
        for (unsigned i = 0; next_option(command, &i, &option);) {
            const char *spelling;
            for (unsigned k = 0; (spelling = cli_option_spelling(&option, k)) != NULL; k++) {
                fprintf(stream, " %s", spelling);
            }
        }
        if (takes_command(command)) {
            fputc(' ', stream);
            put_command_names(stream, commands);
        }
        fputs("' ;;\n", stream);
    }
    fputs("      esac ;;\n  esac\n  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    words='", stream);
    for (const struct cli_command *const *each = commands; *each != NULL; each++) {
        const struct cli_command *command = *each;
        put_quoted(stream, command->name);
        fputc(' ', stream);
    }
    fputs(
        "--help --version'\n  fi\n"
        "  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n}\n"
        "complete -o default -F _etscope etscope\n",
        stream);
}

/* "(--format -f)": one of these is enough. */
static void put_exclusions(FILE *stream, const struct cli_option *option)
{
    const char *spelling;
    for (unsigned i = 0; (spelling = cli_option_spelling(option, i)) != NULL; i++) {
        fprintf(stream, "%s%s", i == 0 ? "(" : " ", spelling);
    }
    fputc(')', stream);
}

/* '(--format -f)--format[help]:FILE:_files', one for each of the option's names */
static void print_zsh_option(FILE *stream, const struct cli_command *command,
                             const struct cli_option *option)
{
    const char *spelling;
    for (unsigned i = 0; (spelling = cli_option_spelling(option, i)) != NULL; i++) {
        fputs(" \\\n      '", stream);
        if (option->is_repeatable) fputc('*', stream);
        else if (cli_option_spelling(option, 1) != NULL) put_exclusions(stream, option);
        fprintf(stream, "%s[", spelling);
        put_zsh(stream, option->help);
        fputc(']', stream);
        if (option->value != NULL) {
            fputc(':', stream);
            put_zsh(stream, cli_option_has_choices(option) ? "value" : option->value);
            fputc(':', stream);
        }
        if (cli_option_has_choices(option)) {
            fputc('(', stream);
            put_choices(stream, option);
            fputc(')', stream);
        } else if (cli_option_takes_file(option)) {
            fputs("_files", stream);
        } else if (asks(command, option) != NULL) {
            fputs(asks(command, option), stream);
        } else if (option->value != NULL) {
            fputc(' ', stream); /* a message alone, nothing is offered */
        }
        fputc('\'', stream);
    }
}

/* The same as in bash. */
static const char zsh_questions[] =
    "_etscope_file() {\n  local word\n  for word in ${(Q)words[3,-1]}; do\n"
    "    if [[ $word != -* && -f $word ]]; then print -r -- $word; return; fi\n  done\n}\n"
    "_etscope_offer() {\n"
    "  local -a names=(${(f)\"$(grep -E '^[A-Za-z0-9_.]+$')\"})\n"
    "  compset -P '*,'\n  compadd -S '' -- $names\n}\n"
    "_etscope_columns() {\n"
    "  _etscope_offer < <(etscope $words[2] \"$(_etscope_file)\" --columns '?' 2>&1 |\n"
    "    sed -n 's/.*he columns are //p' | tr -d ' ' | tr ',' '\\n')\n}\n"
    "_etscope_modules() {\n  local at=${words[(I)--etrecord]}\n  local -a record\n"
    "  (( at > 0 )) && record=(--etrecord ${(Q)words[at+1]})\n"
    "  _etscope_offer < <(etscope inspect \"$(_etscope_file)\" $record --group-by module \\\n"
    "    --columns module --format tsv 2>/dev/null | sed 1d)\n}\n";

static void print_zsh(FILE *stream, const struct cli_command *const *commands)
{
    struct cli_option option;
    fprintf(stream, "#compdef etscope\n%s", zsh_questions);
    fputs("_etscope() {\n  if (( CURRENT == 2 )); then\n    local -a commands=(", stream);
    for (const struct cli_command *const *each = commands; *each != NULL; each++) {
        const struct cli_command *command = *each;
        fputs("\n      '", stream);
        put_zsh(stream, command->name);
        fputc(':', stream);
        put_zsh(stream, command->summary);
        fputc('\'', stream);
    }
    fputs(")\n    _describe command commands\n    return\n  fi\n  case $words[2] in\n", stream);
    for (const struct cli_command *const *each = commands; *each != NULL; each++) {
        const struct cli_command *command = *each;
        fprintf(stream, "    %s) _arguments \\\n      '(- *)'{-h,--help}'[Print help]'",
                command->name);
        for (unsigned i = 0; next_option(command, &i, &option);) {
            print_zsh_option(stream, command, &option);
        }
        if (takes_command(command)) {
            fputs(" \\\n      '*:command:(", stream);
            put_command_names(stream, commands);
            fputs(")'", stream);
        } else if (command->arguments[0] != '\0') {
            fputs(" \\\n      '*:file:_files'", stream);
        }
        fputs(" ;;\n", stream);
    }
    fputs("  esac\n}\n_etscope \"$@\"\n", stream);
}

static void print_fish_option(FILE *stream, const struct cli_command *command,
                              const struct cli_option *option)
{
    fprintf(stream, "complete -c etscope -n '__fish_seen_subcommand_from %s' -l %s", command->name,
            option->name + 2);
    const char *spelling;
    for (unsigned i = 1; (spelling = cli_option_spelling(option, i)) != NULL; i++) {
        const bool is_short = spelling[1] != '-';
        fprintf(stream, is_short ? " -s %s" : " -l %s", spelling + (is_short ? 1 : 2));
    }
    if (cli_option_has_choices(option)) {
        fputs(" -x -a '", stream);
        put_choices(stream, option);
        fputs("'", stream);
    } else if (asks(command, option) != NULL) {
        fprintf(stream, " -x -a '(_%s)'", asks(command, option));
    } else if (option->value != NULL) {
        fputs(cli_option_takes_file(option) ? " -r -F" : " -x", stream);
    }
    fputs(" -d '", stream);
    put_fish(stream, option->help);
    fputs("'\n", stream);
}

/* The same as in bash. `string` reads no input that only its function was given. */
static const char fish_questions[] =
    "function __etscope_file\n"
    "    for word in (commandline -opc)[3..-1]\n"
    "        if not string match -q -- '-*' $word; and test -f $word\n"
    "            echo $word\n            return\n        end\n    end\nend\n"
    "function __etscope_offer\n"
    "    set -l begun (string match -r '^.*,' -- (commandline -ct))\n"
    "    cat | string match -r '^[A-Za-z0-9_.]+$' | string replace -r '^' \"$begun\"\nend\n"
    "function __etscope_columns\n"
    "    set -l words (commandline -opc)\n"
    "    etscope $words[2] (__etscope_file) --columns '?' 2>&1 |\n"
    "        string replace -rf '.*he columns are ' '' | string replace -a ' ' '' |\n"
    "        string split ',' | __etscope_offer\nend\n"
    "function __etscope_modules\n"
    "    set -l words (commandline -opc)\n    set -l record\n"
    "    if set -l at (contains -i -- --etrecord $words)\n"
    "        set record --etrecord $words[(math $at + 1)]\n    end\n"
    "    etscope inspect (__etscope_file) $record --group-by module --columns module --format tsv "
    "2>/dev/null |\n        tail -n +2 | __etscope_offer\nend\n";

static void print_fish(FILE *stream, const struct cli_command *const *commands)
{
    struct cli_option option;
    fputs(fish_questions, stream);
    fputs(
        "complete -c etscope -s h -l help -d 'Print help'\n"
        "complete -c etscope -n __fish_use_subcommand -l version -d 'Print the version'\n",
        stream);
    for (const struct cli_command *const *each = commands; *each != NULL; each++) {
        const struct cli_command *command = *each;
        fprintf(stream, "complete -c etscope -n __fish_use_subcommand -f -a %s -d '",
                command->name);
        put_fish(stream, command->summary);
        fputs("'\n", stream);
        for (unsigned i = 0; next_option(command, &i, &option);) {
            print_fish_option(stream, command, &option);
        }
        if (!takes_command(command)) continue;
        fprintf(stream, "complete -c etscope -n '__fish_seen_subcommand_from %s' -f -a '",
                command->name);
        put_command_names(stream, commands);
        fputs("'\n", stream);
    }
}

int cli_print_completion(FILE *stream, const struct cli_command *const *commands, const char *shell)
{
    if (strcmp(shell, "bash") == 0) print_bash(stream, commands);
    else if (strcmp(shell, "zsh") == 0) print_zsh(stream, commands);
    else print_fish(stream, commands);
    return CLI_OK;
}
