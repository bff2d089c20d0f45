/* Prints the clause of an advice. */
#include "base/error.h"

size_t ets_advice_print(enum ets_advice advice, const char *word, char *text, size_t room)
{
    static const char *const clauses[] = {
#define ETS_CLAUSE(name, number, clause) clause,
        ETS_ADVICE_LIST(ETS_CLAUSE)
#undef ETS_CLAUSE
    };
    if (room > 0) text[0] = '\0';
    if (advice <= ETS_ADVICE_NONE || advice >= ETS_ADVICE_COUNT || word == NULL) return 0;
    const char *clause = clauses[advice], *mark = clause; /* devices have no strstr */
    while (*mark != '%') mark++;
    return ets_print_text(text, room, "%.*s%s%s", (int)(mark - clause), clause, word, mark + 2);
}
