/*
 * stopwatch REPEAT COMMAND [ARGUMENT...]: runs the command REPEAT times, its output thrown away,
 * and prints a line for each: wall time in nanoseconds, largest resident set in kilobytes.
 *
 * A program of its own, as a process starts with the resident set of the one that it was forked
 * from, and Linux counts that: started from Python, nothing seems smaller than Python.
 */
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (long long)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void become(char **command)
{
    const int sink = open("/dev/null", O_WRONLY);
    if (sink >= 0 && dup2(sink, STDOUT_FILENO) >= 0 && dup2(sink, STDERR_FILENO) >= 0) {
        execvp(command[0], command);
    }
    _exit(127);
}

int main(int count, char **words)
{
    const long repeat = count > 2 ? strtol(words[1], NULL, 10) : 0;
    if (repeat < 1) {
        fputs("usage: stopwatch REPEAT COMMAND [ARGUMENT...]\n", stderr);
        return 2;
    }
    for (long i = 0; i < repeat; i++) {
        int status;
        struct rusage usage;
        const long long start = now_ns();
        const pid_t child = fork();
        if (child == 0) become(words + 2);
        if (child < 0 || wait4(child, &status, 0, &usage) != child) {
            perror("stopwatch");
            return 1;
        }
        const long long end = now_ns();
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            fprintf(stderr, "stopwatch: %s ended with %d\n", words[2],
                    WIFEXITED(status) ? WEXITSTATUS(status) : -1);
            return 1;
        }
        printf("%lld %ld\n", end - start, usage.ru_maxrss);
    }
    return 0;
}
