/* The option or command for each kind of advice of the library. */
#include "cli/core/what_to_type.h"

#include <stdio.h>
#include <string.h>

const struct ets_advice_words cli_advice = {{
    [ETS_ADVICE_METHOD] = "--method",
    [ETS_ADVICE_INPUTS] = "--input or --case",
    [ETS_ADVICE_CAPTURE] = "`etscope run --capture intermediates`",
    [ETS_ADVICE_CAPTURE_AGAIN] =
        "`etscope run MODEL.pte --capture intermediates -o TRACE --debug-buffer FILE`, or with "
        "etscope::ETDumpTracer",
    [ETS_ADVICE_RECOVER] = "`etscope recover`",
    [ETS_ADVICE_SQL_SCHEMA] = "`etscope sql --schema`",
    [ETS_ADVICE_LIBRARY] = "--load-library",
    [ETS_ADVICE_PYTHON] = "--python PYTHON",
    [ETS_ADVICE_PROGRAM] = "--program",
    [ETS_ADVICE_FLOAT_MODEL] = "--reference-etrecord",
    [ETS_ADVICE_STEADY] = "--steady",
    [ETS_ADVICE_MODULES] = "--group-by module",
    [ETS_ADVICE_REFUSED] = "`etscope advise --program MODEL --etrecord FILE`",
    [ETS_ADVICE_TOKENS] =
        "--map method=NAME,tokens=INPUT,position=INPUT,logits=OUTPUT (or "
        "prefill=NAME,decode=NAME), "
        "or --feed METHOD.INPUT=METHOD.OUTPUT for an input that another method gives",
    [ETS_ADVICE_CONTEXT] = "--map context=N",
    [ETS_ADVICE_FILLER] = "--map filler=TOKEN",
    [ETS_ADVICE_MEASURE] = "`etscope profile`",
    [ETS_ADVICE_INSIDE] = "`etscope run --capture delegates`",
    [ETS_ADVICE_OPERATORS] = "inspect --group-by module",
}};

const char *cli_reason(const struct ets_error *error, char text[CLI_REASON_CHARS])
{
    const size_t used = strlen(error->message);
    memcpy(text, error->message, used + 1);
    ets_advise_with(&cli_advice, error->advice, text + used, CLI_REASON_CHARS - used);
    return text;
}
