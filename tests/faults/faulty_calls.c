/*
 * Makes one call of a process fail, or ends the process there. For tests of whole commands:
 *
 *     LD_PRELOAD=libfaulty_calls.so FAULTY_CALL=write FAULTY_AT=3 FAULTY_WITH=28 etscope ...
 *
 * FAULTY_CALL  allocate, read, write, map, open, rename, sync or truncate
 * FAULTY_AT    which call of this kind fails, from 1; 0: none
 * FAULTY_WITH  the errno that it fails with, or "kill"; a "+" behind it: so do all that follow
 * FAULTY_SUMS  a file of 64-bit counters, one for each kind; they are increased
 *
 * Allocations are those of C; of C++, only what calls malloc itself. The other kinds are system
 * calls, so that those of the C library's streams are seen: a seccomp filter hands them to a signal
 * handler. Not counted are writes to standard error, and what ExecuTorch's libraries and the loader
 * of libraries do themselves, which some failures end the process. No process can be started.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum kind { ALLOCATE, READ, WRITE, MAP, OPEN, RENAME, SYNC, TRUNCATE, KIND_COUNT };

static const char *const kind_names[KIND_COUNT] = {"allocate", "read",   "write", "map",
                                                   "open",     "rename", "sync",  "truncate"};

static const struct trapped {
    unsigned number;
    enum kind kind;
} trapped[] = {
    {SYS_read, READ},        {SYS_pread64, READ}, {SYS_readv, READ},     {SYS_write, WRITE},
    {SYS_pwrite64, WRITE},   {SYS_writev, WRITE}, {SYS_mmap, MAP},       {SYS_open, OPEN},
    {SYS_openat, OPEN},      {SYS_creat, OPEN},   {SYS_rename, RENAME},  {SYS_renameat, RENAME},
    {SYS_renameat2, RENAME}, {SYS_fsync, SYNC},   {SYS_fdatasync, SYNC}, {SYS_ftruncate, TRUNCATE}};
enum { TRAPPED_COUNT = sizeof trapped / sizeof *trapped };

/* What the handler's own calls have where the kernel does not look: the filter lets them pass. */
#define PASS UINT32_C(0x7e57ca11)
enum { OFFSET_OF_NUMBER = offsetof(struct seccomp_data, nr) };

static _Atomic uint64_t own_sums[KIND_COUNT];
static _Atomic uint64_t *sums = own_sums;
static enum kind faulty = KIND_COUNT;
static uint64_t faulty_at;
static int faulty_with;
static bool is_on, is_kill, is_lasting;
static volatile bool has_runtime; /* ExecuTorch's libraries were opened */

/*
 * Whether ExecuTorch's libraries make the call, also through others, or the loader itself, which
 * ends the process where it has no memory.
 */
static bool is_of_runtime(void)
{
    bool is_first = true;
    enum { DEPTH = 64 };
    void *frames[DEPTH];
    const int count = backtrace(frames, DEPTH);
    for (int i = 0; i < count; i++) {
        struct dl_find_object found;
        if (_dl_find_object(frames[i], &found) != 0) continue;
        const char *name = found.dlfo_link_map->l_name;
        if (strstr(name, "/libexecutorch") != NULL) return true;
        if (strstr(name, "libfaulty_calls") != NULL) continue;
        if (is_first && strstr(name, "/ld-linux") != NULL) return true;
        is_first = false;
    }
    return false;
}

/* Whether this call fails. Ends the process where that is asked for. */
static bool fails(enum kind kind)
{
    /* initial-exec: a thread's first access allocates nothing, even in a library loaded late. */
    static _Thread_local bool is_inside __attribute__((tls_model("initial-exec")));
    if (!is_on || is_inside) return false;
    is_inside = true; /* the unwinder may allocate */
    const bool is_left_out = has_runtime && is_of_runtime();
    is_inside = false;
    if (is_left_out) return false;
    const uint64_t number = atomic_fetch_add(&sums[kind], 1) + 1;
    if (kind != faulty || faulty_at == 0) return false;
    if (number < faulty_at || (number > faulty_at && !is_lasting)) return false;
    if (is_kill) syscall(SYS_kill, getpid(), SIGKILL);
    errno = faulty_with;
    return true;
}

/* glibc's own, behind the names that are replaced here. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *held, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size)
{
    return fails(ALLOCATE) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails(ALLOCATE) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *held, size_t size)
{
    return fails(ALLOCATE) ? NULL : __libc_realloc(held, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails(ALLOCATE) ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **held, size_t alignment, size_t size)
{
    void *made = fails(ALLOCATE) ? NULL : __libc_memalign(alignment, size);
    if (made == NULL) return ENOMEM;
    *held = made;
    return 0;
}

/* C++'s `new`, whose failures the runtime and its backends do not survive. */
void *_Znwm(size_t size);
void *_Znam(size_t size);
void *_Znwm(size_t size)
{
    void *made = __libc_malloc(size > 0 ? size : 1);
    if (made == NULL) abort();
    return made;
}

void *_Znam(size_t size)
{
    return _Znwm(size);
}

/* A child of posix_spawn has no handler, in which its trapped calls would end. */
int posix_spawn(pid_t *id, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const words[], char *const environment[])
{
    (void)id, (void)path, (void)actions, (void)attributes, (void)words, (void)environment;
    return EAGAIN;
}

int posix_spawnp(pid_t *id, const char *path, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const words[],
                 char *const environment[])
{
    return posix_spawn(id, path, actions, attributes, words, environment);
}

static enum kind kind_of(unsigned number)
{
    for (unsigned i = 0; i < TRAPPED_COUNT; i++) {
        if (trapped[i].number == number) return trapped[i].kind;
    }
    return KIND_COUNT;
}

/* mmap uses all six arguments, but only the lower half of its descriptor. */
static long pass(long number, const greg_t *registers)
{
    register long r10 __asm__("r10") = registers[REG_R10];
    register long r8 __asm__("r8") = registers[REG_R8];
    register long r9 __asm__("r9") = registers[REG_R9];
    long result;
    if (number == SYS_mmap) r8 = (long)((uint64_t)PASS << 32 | (uint32_t)r8);
    else r9 = (long)PASS;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(registers[REG_RDI]), "S"(registers[REG_RSI]),
                       "d"(registers[REG_RDX]), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

static void handle(int signal_number, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    const int before = errno;
    const enum kind kind = kind_of((unsigned)info->si_syscall);
    const bool is_message = kind == WRITE && registers[REG_RDI] == STDERR_FILENO;
    (void)signal_number;
    if (info->si_syscall == SYS_openat &&
        strstr((const char *)registers[REG_RSI], "/libexecutorch") != NULL) {
        has_runtime = true;
    }
    registers[REG_RAX] =
        !is_message && fails(kind) ? -faulty_with : pass(info->si_syscall, registers);
    errno = before;
}

/* For each trapped call: unless its mark is there, to the handler. */
static int install_filter(void)
{
    enum { LINES = 5 * TRAPPED_COUNT + 2 };
    struct sock_filter lines[LINES];
    size_t at = 0;
    lines[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, OFFSET_OF_NUMBER);
    for (unsigned i = 0; i < TRAPPED_COUNT; i++) {
        const bool is_map = trapped[i].number == SYS_mmap;
        const unsigned mark = offsetof(struct seccomp_data, args) + (is_map ? 4 * 8 + 4 : 5 * 8);
        lines[at++] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, trapped[i].number, 0, 4);
        lines[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, mark);
        lines[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PASS, 0, 1);
        lines[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
        lines[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    }
    lines[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const struct sock_fprog program = {(unsigned short)at, lines};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

static void share_sums(const char *path)
{
    const int descriptor = open(path, O_RDWR | O_CLOEXEC);
    if (descriptor < 0) abort();
    void *shared = mmap(NULL, sizeof own_sums, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (shared == MAP_FAILED) abort();
    sums = (_Atomic uint64_t *)shared;
    close(descriptor);
}

__attribute__((constructor)) static void begin(void)
{
    const char *kind = getenv("FAULTY_CALL"), *at = getenv("FAULTY_AT");
    const char *with = getenv("FAULTY_WITH"), *path = getenv("FAULTY_SUMS");
    if (kind == NULL || at == NULL || with == NULL) return;
    for (unsigned i = 0; i < KIND_COUNT; i++) {
        if (strcmp(kind, kind_names[i]) == 0) faulty = (enum kind)i;
    }
    faulty_at = strtoull(at, NULL, 10);
    faulty_with = atoi(with);
    is_kill = strncmp(with, "kill", 4) == 0;
    is_lasting = strchr(with, '+') != NULL;
    if (path != NULL) share_sums(path);
    (void)is_of_runtime(); /* loads the unwinder */
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGSYS, &action, NULL) != 0 || install_filter() != 0) {
        _exit(77); /* this system has no such filters: nothing can be tested */
    }
    is_on = true;
}
