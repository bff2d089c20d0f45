/*
 * status.h - what a function of etscope answers when it can fail.
 *
 * Every function that can fail returns `enum ets_status` and takes, as its last
 * parameter, an optional caller-owned `struct ets_error` (NULL where the reason
 * is of no interest):
 *
 *     struct ets_error error;
 *     struct ets_file *file;
 *     if (ets_file_open("model.etdp", &file, &error) != ETS_OK) {
 *         fprintf(stderr, "%s: %s\n", ets_status_name(error.status), error.message);
 *         return 1;
 *     }
 *
 * Nothing here allocates, prints, exits or keeps state: all of it is safe from
 * any thread, and the error belongs to the caller.
 */
#ifndef ETSCOPE_STATUS_H
#define ETSCOPE_STATUS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define ETS_API
#elif defined(__GNUC__)
#define ETS_API __attribute__((visibility("default")))
#else
#define ETS_API
#endif

/*
 * inner: around the declarations of headers in which a function has the name of a struct, as C has
 * it: GCC warns of that in C++ (-Wshadow).
 */
#if !defined(__cplusplus)
#define ETS_DECLARATIONS_BEGIN
#define ETS_DECLARATIONS_END
#elif defined(__GNUC__)
#define ETS_DECLARATIONS_BEGIN                                                               \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"") extern "C" \
    {
#define ETS_DECLARATIONS_END \
    }                        \
    _Pragma("GCC diagnostic pop")
#else
#define ETS_DECLARATIONS_BEGIN extern "C" {
#define ETS_DECLARATIONS_END }
#endif

#if defined(__GNUC__)
#define ETS_PRINTF(format_index, first_argument) \
    __attribute__((format(printf, format_index, first_argument)))
#else
#define ETS_PRINTF(format_index, first_argument)
#endif

/* The one list of statuses: X(NAME, number, one-line meaning). */
#define ETS_STATUS_LIST(X)                                                               \
    X(OK, 0, "success")                                                                  \
    X(INVALID_ARGUMENT, 1, "an argument is outside what the function accepts")           \
    X(NOT_FOUND, 2, "the named file, entry, method or row does not exist")               \
    X(IO, 3, "the operating system refused to read or write")                            \
    X(NO_MEMORY, 4, "the allocator returned no memory")                                  \
    X(NO_SPACE, 5, "the caller's buffer is too small")                                   \
    X(WRONG_KIND, 6, "the file is of another kind than expected")                        \
    X(TRUNCATED, 7, "the file ends before something that it announces")                  \
    X(MALFORMED, 8, "the file contradicts its own format")                               \
    X(UNSUPPORTED, 9, "the file is valid but uses something this version does not know") \
    X(LIMIT, 10, "a count, size or depth is over the ceiling that protects the reader")  \
    X(MISMATCH, 11, "the files are each valid but do not belong together")               \
    X(AMBIGUOUS, 12, "several answers fit and none is chosen by guessing")               \
    X(UNAVAILABLE, 13, "a component that this needs is not built in or not installed")   \
    X(RUNTIME, 14, "the ExecuTorch runtime reported an error")

enum ets_status {
#define ETS_STATUS_ENUM(name, number, meaning) ETS_##name = number,
    ETS_STATUS_LIST(ETS_STATUS_ENUM)
#undef ETS_STATUS_ENUM
};

/*
 * What would help, where a caller can do something. The library says what is wrong; how to mend it
 * depends on who calls: the command line has an option for it, Python an argument. So an error has
 * a code, and whoever prints it adds the clause with its own word for %s:
 *
 *     char advice[160];
 *     ets_advice_print(error.advice, "--method", advice, sizeof advice);
 *     fprintf(stderr, "%s%s\n", error.message, advice);
 *
 * X(NAME, number, clause behind the message).
 */
#define ETS_ADVICE_LIST(X)                                                                         \
    X(NONE, 0, "")                                                                                 \
    X(METHOD, 1, " (%s decides)")                           /* name the method that ran */         \
    X(INPUTS, 2, "; %s give those of the run")              /* give its inputs */                  \
    X(CAPTURE, 3, "; %s records them")                      /* record intermediate values */       \
    X(CAPTURE_AGAIN, 4, "; to have them, record again: %s") /* with etscope's tracer */            \
    X(RECOVER, 5, " (run %s on it)")                        /* make a trace of a capture */        \
    X(SQL_SCHEMA, 6, "; %s lists them")                     /* look at the tables of SQL */        \
    X(LIBRARY, 7, ": %s")                                   /* load the library */                 \
    X(PYTHON, 8, ": %s loads it from the one that both are installed in") /* load from a Python */ \
    X(PROGRAM, 9, ": %s decides")                                         /* give the program */   \
    X(FLOAT_MODEL, 10, ": %s")                /* give the record before quantization */            \
    X(STEADY, 11, "; %s leaves warm-up out")  /* look at steady runs alone */                      \
    X(MODULES, 12, ": %s tells them apart")   /* group by module */                                \
    X(OPERATORS, 13, ": %s tells them apart") /* show operators grouped by module */

enum ets_advice {
#define ETS_ADVICE_ENUM(name, number, clause) ETS_ADVICE_##name = number,
    ETS_ADVICE_LIST(ETS_ADVICE_ENUM)
#undef ETS_ADVICE_ENUM
        ETS_ADVICE_COUNT
};

/* `offset` where the reason has no place in a file. */
#define ETS_NO_OFFSET UINT64_MAX

/* Why a call failed. Left untouched on success. */
struct ets_error {
    enum ets_status status; /* what was returned */
    enum ets_advice advice; /* what would help */
    uint64_t offset;        /* byte offset in the input, or ETS_NO_OFFSET */
    char message[256];      /* one line, no newline, always terminated */
    const char *file; /* the input concerned where a call takes several (a trace and a record):
                         its name, as ets_etrecord_set_name has it, borrowed from the record;
                         NULL: the one that was passed */
};

/* "MALFORMED" for ETS_MALFORMED; "UNKNOWN" for a number that is none. Static storage. */
ETS_API const char *ets_status_name(enum ets_status status);

/* The one-line meaning in the list above. Static storage. */
ETS_API const char *ets_status_meaning(enum ets_status status);

/*
 * Prints the clause of `advice` in the list above with `word` for %s, cut to `room`, and returns
 * its length: "" and 0 for ETS_ADVICE_NONE, for a number that is none, and where `word` is NULL.
 */
ETS_API size_t ets_advice_print(enum ets_advice advice, const char *word, char *text, size_t room);

#ifdef __cplusplus
}
#endif

#endif
