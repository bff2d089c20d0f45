/* The entry TOKENS of the extra block; docs/SPEC.md, section 6. */
#ifndef ETSCOPE_BASE_TOKEN_ENTRY_H
#define ETSCOPE_BASE_TOKEN_ENTRY_H

enum {
    ETS_TOKEN_ENTRY_INVOCATION = 0, /* u32 */
    ETS_TOKEN_ENTRY_TOKENS = 4,     /* u32 */
    ETS_TOKEN_ENTRY_POSITION = 8,   /* u64 */
    ETS_TOKEN_ENTRY_STAGE = 16,     /* u32 */
    ETS_TOKEN_ENTRY_METHOD = 20     /* to the end */
};

#endif
