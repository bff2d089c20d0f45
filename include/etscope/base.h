/*
 * base.h - definitions that every header of etscope uses: statuses, errors, byte ranges, texts,
 * allocators, and which characters of a text are safe to print.
 *
 * Functions that can fail return `enum ets_status`. Their last parameter is an optional `struct
 * ets_error` of the caller's (NULL: the reason is not needed):
 *
 *     struct ets_error error;
 *     struct ets_file *file;
 *     if (ets_file_open("model.etdp", &file, &error) != ETS_OK) {
 *         fprintf(stderr, "%s: %s\n", ets_status_name(error.status), error.message);
 *         return 1;
 *     }
 *
 * Nothing here allocates, prints, exits or keeps state, so it may be called from any thread.
 */
#ifndef ETSCOPE_BASE_H
#define ETSCOPE_BASE_H

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
 * inner: enclose the declarations of headers that give a function the name of a struct. That is
 * valid C, but GCC warns about it in C++ (-Wshadow).
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

#if defined(_WIN32) && defined(__GNUC__) && !defined(__clang__)
#define ETS_PRINTF(format_index, first_argument) \
    __attribute__((format(gnu_printf, format_index, first_argument)))
#elif defined(__GNUC__)
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
 * What would help, when the caller can do something. The library says what is wrong. How to fix it
 * depends on the caller: the command line has an option for it, Python an argument. So an error
 * carries a code, and the code that prints the error fills in its own word for %s:
 *
 * char advice[160]; ets_advice_print(error.advice, "--method", advice, sizeof advice);
 * fprintf(stderr, "%s%s\n", error.message, advice);
 *
 * X(NAME, number, clause to print after the message).
 */
#define ETS_ADVICE_LIST(X)                                                                         \
    X(NONE, 0, "")                                                                                 \
    X(METHOD, 1, " (choose with %s)")                       /* name the method that ran */         \
    X(INPUTS, 2, "; pass those of the run with %s")         /* give its inputs */                  \
    X(CAPTURE, 3, "; %s records them")                      /* record intermediate values */       \
    X(CAPTURE_AGAIN, 4, "; to keep them, record again: %s") /* with etscope's tracer */            \
    X(RECOVER, 5, " (run %s on it)")                        /* rebuild a trace from a capture */   \
    X(SQL_SCHEMA, 6, "; %s lists them")                     /* list the SQL tables */              \
    X(LIBRARY, 7, ": %s")                                   /* load the library */                 \
    X(PYTHON, 8, "; %s takes them from a Python with torch and executorch") /* load them there */  \
    X(PROGRAM, 9, ": use %s to decide")                                     /* give the program */ \
    X(FLOAT_MODEL, 10, ": %s")               /* give the record of the float model */              \
    X(STEADY, 11, "; %s leaves warm-up out") /* show steady runs only */                           \
    X(MODULES, 12, ": %s separates them")    /* group by module */                                 \
    X(OPERATORS, 13, ": %s separates them")  /* show operators grouped by module */                \
    X(REFUSED, 14, "; %s may tell why")      /* examine the program that a backend refuses */      \
    X(TOKENS, 15, "; say it with %s")        /* say which input takes tokens */                    \
    X(CONTEXT, 16, "; state it with %s")     /* how many positions a cache has */                  \
    X(FILLER, 17, ": %s")                    /* name a token to fill up with */                    \
    X(MEASURE, 18, "; %s measures models that take no tokens") /* run it as another model */       \
    X(INSIDE, 19, ": %s tells which")                          /* capture values within calls */

enum ets_advice {
#define ETS_ADVICE_ENUM(name, number, clause) ETS_ADVICE_##name = number,
    ETS_ADVICE_LIST(ETS_ADVICE_ENUM)
#undef ETS_ADVICE_ENUM
        ETS_ADVICE_COUNT
};

/* The value of `offset` when the error has no position in a file. */
#define ETS_NO_OFFSET UINT64_MAX

/* Why a call failed. Not changed on success. */
struct ets_error {
    enum ets_status status; /* what was returned */
    enum ets_advice advice; /* what would help */
    uint64_t offset;        /* byte offset in the input, or ETS_NO_OFFSET */
    char message[256];      /* one line, no newline, always terminated */
    /*
     * The name of the wrong input, if a call takes several (a trace and a record): the name given
     * to ets_etrecord_set_name, borrowed from the record. NULL: the only input.
     */
    const char *file;
};

/* "MALFORMED" for ETS_MALFORMED; "UNKNOWN" for an unknown number. Static storage. */
ETS_API const char *ets_status_name(enum ets_status status);

/* The one-line meaning in the list above. Static storage. */
ETS_API const char *ets_status_meaning(enum ets_status status);

/*
 * Prints the clause of `advice` with `word` for %s, cut to `room` bytes, and returns its length.
 * Prints "" and returns 0 for ETS_ADVICE_NONE, for an unknown number, and if `word` is NULL.
 */
ETS_API size_t ets_advice_print(enum ets_advice advice, const char *word, char *text, size_t room);

/* Bytes and text that readers take and return. Neither owns its memory. */

/* `size` bytes at `data`, owned by somebody else. {NULL, 0}: empty or absent. */
struct ets_bytes {
    const uint8_t *data;
    size_t size;
};

/*
 * `size` bytes of text at `data`, owned by somebody else, not terminated. Text from a file may hold
 * control bytes and may be invalid UTF-8. `data` NULL means absent, which some formats distinguish
 * from empty.
 */
struct ets_text {
    const char *data;
    size_t size;
};

/* A struct ets_text as the two arguments of "%.*s". Longer texts are cut to 4,096 bytes. */
#define ETS_TEXT(text) ((text).size > 4096 ? 4096 : (int)(text).size), (text).data

/*
 * The allocator of host-side objects.
 *
 * Every `ets_..._open` takes an optional allocator. NULL means the C library's. The allocator must
 * outlive all objects opened with it. The parts for devices (trace, format, numerics) never
 * allocate.
 */

struct ets_allocator {
    /* realloc's contract: `pointer` NULL allocates; NULL on failure leaves `pointer` valid. */
    void *(*reallocate)(void *context, void *pointer, size_t bytes);
    /* free's contract: NULL is allowed. */
    void (*release)(void *context, void *pointer);
    void *context; /* passed to both; may be NULL */
};

/*
 * Which characters of a text from a file are safe to print.
 *
 *     for (size_t i = 0; i < text.size;) {
 *         const size_t length = ets_plain_length(text.data + i, text.size - i);
 *         if (length > 0) show(text.data + i, length);
 *         else show_escaped((unsigned char)text.data[i]);
 *         i += length > 0 ? length : 1;
 *     }
 *
 * No state, no allocation; works on devices.
 */

/*
 * The length in bytes of the UTF-8 character at `at` if it can be printed as it is. 0: it must be
 * escaped. These are invalid UTF-8, control characters (U+0000 to U+001F with tab and line feed,
 * U+007F to U+009F), line separators (U+2028, U+2029) and characters that change the direction of
 * text (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+206F).
 */
ETS_API size_t ets_plain_length(const char *at, size_t size);

#ifdef __cplusplus
}
#endif

#endif
