/* The entry INPUT of the extra block; docs/SPEC.md, section 6. */
#ifndef ETSCOPE_BASE_INPUT_ENTRY_H
#define ETSCOPE_BASE_INPUT_ENTRY_H

enum {
    ETS_INPUT_ENTRY_CASE = 0,    /* i32, -1: none */
    ETS_INPUT_ENTRY_NUMBER = 4,  /* u32, of the input */
    ETS_INPUT_ENTRY_COUNT = 8,   /* u32, inputs of the method */
    ETS_INPUT_ENTRY_NAME = 12,   /* u16, bytes of the method's name */
    ETS_INPUT_ENTRY_TYPE = 14,   /* u8 */
    ETS_INPUT_ENTRY_RANK = 15,   /* u8, or: */
    ETS_INPUT_ENTRY_PLAIN = 255, /* a plain number: LONG, BOOL or DOUBLE */
    ETS_INPUT_ENTRY_SIZES = 16   /* i64 each; then the name, padded to 8, and the elements */
};

#endif
