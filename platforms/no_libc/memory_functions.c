/*
 * The memory functions that compilers call by themselves, for firmware without a C library. Build
 * this with -fno-builtin, so that the compiler does not turn these loops into calls of themselves.
 */
#include <stddef.h>
#include <stdint.h>

void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);

void *memcpy(void *to, const void *from, size_t size)
{
    uint8_t *target = to;
    const uint8_t *source = from;
    for (size_t i = 0; i < size; i++) target[i] = source[i];
    return to;
}

void *memmove(void *to, const void *from, size_t size)
{
    uint8_t *target = to;
    const uint8_t *source = from;
    if ((uintptr_t)to <= (uintptr_t)from) return memcpy(to, from, size);
    while (size-- > 0) target[size] = source[size];
    return to;
}

void *memset(void *to, int value, size_t size)
{
    uint8_t *target = to;
    for (size_t i = 0; i < size; i++) target[i] = (uint8_t)value;
    return to;
}

#if defined(__arm__)
/* Under the names of Arm's run-time ABI, which has the last two arguments of memset swapped. */
void __aeabi_memcpy(void *to, const void *from, size_t size);
void __aeabi_memset(void *to, size_t size, int value);
void __aeabi_memclr(void *to, size_t size);

void __aeabi_memcpy(void *to, const void *from, size_t size)
{
    memcpy(to, from, size);
}

void __aeabi_memset(void *to, size_t size, int value)
{
    memset(to, value, size);
}

void __aeabi_memclr(void *to, size_t size)
{
    memset(to, 0, size);
}

#define ALIAS(name, of) __asm__(".globl " #name "\n.thumb_set " #name ", " #of "\n")
ALIAS(__aeabi_memcpy4, __aeabi_memcpy);
ALIAS(__aeabi_memcpy8, __aeabi_memcpy);
ALIAS(__aeabi_memset4, __aeabi_memset);
ALIAS(__aeabi_memset8, __aeabi_memset);
ALIAS(__aeabi_memclr4, __aeabi_memclr);
ALIAS(__aeabi_memclr8, __aeabi_memclr);
#endif
