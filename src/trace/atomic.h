/*
 * The atomic operations that threads need, on words up to the size of a pointer. Compiler builtins
 * are preferred, because they work on plain words in a struct that C++ includes, too. Otherwise (or
 * if ETS_C11_ATOMICS is defined) C11 atomics are used. If the processor has no such operations (or
 * ETS_NO_ATOMICS is defined), the config's critical section replaces them.
 */
#ifndef ETSCOPE_TRACE_ATOMIC_H
#define ETSCOPE_TRACE_ATOMIC_H

#include <stdbool.h>

#include "etscope/trace.h"

#if defined(ETS_NO_ATOMICS)
#define ETS_ATOMICS_NONE
#elif defined(__GNUC__) && !defined(ETS_C11_ATOMICS)
#if __GCC_ATOMIC_INT_LOCK_FREE == 2
#define ETS_ATOMICS_BUILTIN
#else
#define ETS_ATOMICS_NONE
#endif
#elif !defined(__STDC_NO_ATOMICS__)
#include <stdatomic.h>
#else
#define ETS_ATOMICS_NONE
#endif

static inline void ets_section_enter(const struct ets_trace_section *section)
{
    if (section->enter != NULL) section->enter(section->context);
}

static inline void ets_section_leave(const struct ets_trace_section *section)
{
    if (section->enter != NULL && section->leave != NULL) section->leave(section->context);
}

#if defined(ETS_ATOMICS_BUILTIN)

static inline uint32_t ets_load_relaxed(const uint32_t *at)
{
    return __atomic_load_n(at, __ATOMIC_RELAXED);
}

static inline uint32_t ets_load_acquire(const uint32_t *at)
{
    return __atomic_load_n(at, __ATOMIC_ACQUIRE);
}

static inline void ets_store_relaxed(uint32_t *at, uint32_t value)
{
    __atomic_store_n(at, value, __ATOMIC_RELAXED);
}

static inline void ets_store_release(uint32_t *at, uint32_t value)
{
    __atomic_store_n(at, value, __ATOMIC_RELEASE);
}

static inline uint32_t ets_fetch_add(const struct ets_trace_section *section, uint32_t *at,
                                     uint32_t value)
{
    (void)section;
    return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}

static inline bool ets_compare_exchange(const struct ets_trace_section *section, uint32_t *at,
                                        uint32_t *expected, uint32_t value)
{
    (void)section;
    return __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE);
}

static inline size_t ets_load_size(const size_t *at)
{
    return __atomic_load_n(at, __ATOMIC_ACQUIRE);
}

static inline bool ets_exchange_size_if(const struct ets_trace_section *section, size_t *at,
                                        size_t *expected, size_t value)
{
    (void)section;
    return __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE);
}

static inline uint16_t ets_load_acquire_u16(const uint16_t *at)
{
    return __atomic_load_n(at, __ATOMIC_ACQUIRE);
}

static inline void ets_store_release_u16(uint16_t *at, uint16_t value)
{
    __atomic_store_n(at, value, __ATOMIC_RELEASE);
}

static inline const char *ets_load_text(const char *const *at)
{
    return __atomic_load_n(at, __ATOMIC_ACQUIRE);
}

static inline void ets_store_text(const char **at, const char *text)
{
    __atomic_store_n(at, text, __ATOMIC_RELEASE);
}

#elif defined(ETS_ATOMICS_NONE)

static inline uint32_t ets_load_relaxed(const uint32_t *at)
{
    return *(const volatile uint32_t *)at;
}

static inline uint32_t ets_load_acquire(const uint32_t *at)
{
    return *(const volatile uint32_t *)at;
}

static inline void ets_store_relaxed(uint32_t *at, uint32_t value)
{
    *(volatile uint32_t *)at = value;
}

/* A single processor sees its own stores in order; only the compiler must not reorder them. */
static inline void ets_store_release(uint32_t *at, uint32_t value)
{
#if defined(__GNUC__)
    __asm__ volatile("" ::: "memory");
#endif
    *(volatile uint32_t *)at = value;
}

static inline uint32_t ets_fetch_add(const struct ets_trace_section *section, uint32_t *at,
                                     uint32_t value)
{
    ets_section_enter(section);
    const uint32_t before = *at;
    *at = before + value;
    ets_section_leave(section);
    return before;
}

static inline bool ets_compare_exchange(const struct ets_trace_section *section, uint32_t *at,
                                        uint32_t *expected, uint32_t value)
{
    ets_section_enter(section);
    const uint32_t before = *at;
    const bool is_same = before == *expected;
    if (is_same) *at = value;
    ets_section_leave(section);
    *expected = before;
    return is_same;
}

static inline size_t ets_load_size(const size_t *at)
{
    return *(const volatile size_t *)at;
}

static inline bool ets_exchange_size_if(const struct ets_trace_section *section, size_t *at,
                                        size_t *expected, size_t value)
{
    ets_section_enter(section);
    const size_t before = *at;
    const bool is_same = before == *expected;
    if (is_same) *at = value;
    ets_section_leave(section);
    *expected = before;
    return is_same;
}

static inline uint16_t ets_load_acquire_u16(const uint16_t *at)
{
    return *(const volatile uint16_t *)at;
}

static inline void ets_store_release_u16(uint16_t *at, uint16_t value)
{
    *(volatile uint16_t *)at = value;
}

static inline const char *ets_load_text(const char *const *at)
{
    return *(const char *const volatile *)at;
}

static inline void ets_store_text(const char **at, const char *text)
{
#if defined(__GNUC__)
    __asm__ volatile("" ::: "memory");
#endif
    *(const char *volatile *)at = text;
}

#else /* C11's, over words of the same size and alignment */

static inline uint32_t ets_load_relaxed(const uint32_t *at)
{
    return atomic_load_explicit((_Atomic uint32_t *)(uintptr_t)at, memory_order_relaxed);
}

static inline uint32_t ets_load_acquire(const uint32_t *at)
{
    return atomic_load_explicit((_Atomic uint32_t *)(uintptr_t)at, memory_order_acquire);
}

static inline void ets_store_relaxed(uint32_t *at, uint32_t value)
{
    atomic_store_explicit((_Atomic uint32_t *)at, value, memory_order_relaxed);
}

static inline void ets_store_release(uint32_t *at, uint32_t value)
{
    atomic_store_explicit((_Atomic uint32_t *)at, value, memory_order_release);
}

static inline uint32_t ets_fetch_add(const struct ets_trace_section *section, uint32_t *at,
                                     uint32_t value)
{
    (void)section;
    return atomic_fetch_add_explicit((_Atomic uint32_t *)at, value, memory_order_relaxed);
}

static inline bool ets_compare_exchange(const struct ets_trace_section *section, uint32_t *at,
                                        uint32_t *expected, uint32_t value)
{
    (void)section;
    return atomic_compare_exchange_strong_explicit((_Atomic uint32_t *)at, expected, value,
                                                   memory_order_acq_rel, memory_order_acquire);
}

static inline size_t ets_load_size(const size_t *at)
{
    return atomic_load_explicit((_Atomic size_t *)(uintptr_t)at, memory_order_acquire);
}

static inline bool ets_exchange_size_if(const struct ets_trace_section *section, size_t *at,
                                        size_t *expected, size_t value)
{
    (void)section;
    return atomic_compare_exchange_strong_explicit((_Atomic size_t *)at, expected, value,
                                                   memory_order_acq_rel, memory_order_acquire);
}

static inline uint16_t ets_load_acquire_u16(const uint16_t *at)
{
    return atomic_load_explicit((_Atomic uint16_t *)(uintptr_t)at, memory_order_acquire);
}

static inline void ets_store_release_u16(uint16_t *at, uint16_t value)
{
    atomic_store_explicit((_Atomic uint16_t *)at, value, memory_order_release);
}

static inline const char *ets_load_text(const char *const *at)
{
    return atomic_load_explicit((const char *_Atomic *)(uintptr_t)at, memory_order_acquire);
}

static inline void ets_store_text(const char **at, const char *text)
{
    atomic_store_explicit((const char *_Atomic *)at, text, memory_order_release);
}

#endif

#endif
