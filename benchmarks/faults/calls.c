/* Fails the Nth system call that touches a file below given folders; loaded by LD_PRELOAD, in a command and all that
 * it starts. LanceDB, SQLite, Python and the shell reach the system through these functions of libc.
 *
 * FAULTS_FOLDERS  absolute folders, separated by colons; what lies elsewhere is left alone
 * FAULTS_TALLY    a file of the size of `struct tally`, which all processes share
 * FAULTS_AT       the number of the call that fails, from 1; 0 only counts
 * FAULTS_ERROR    the number of the error
 * FAULTS_ALWAYS   1: so do all calls after it
 * FAULTS_ONLY     a sort of call, such as link, beside which no other counts; empty for all
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define LONGEST (2 * PATH_MAX)

struct tally {
    unsigned long calls;
    unsigned long failed;
    char first[512]; /* the call that failed first, and its path */
};

static struct tally *tally;
static char folders[LONGEST];
static unsigned long fails_at;
static int error_number;
static int fails_always;
static char only[16];

/* What libc itself would call. */
#define REAL(result, name, ...)                                       \
    static result (*real_##name)(__VA_ARGS__);                        \
    if (!real_##name) real_##name = dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) void faults_arm(void) {
    const char *file = getenv("FAULTS_TALLY"), *where = getenv("FAULTS_FOLDERS");
    tally = NULL;
    if (!file || !where || strlen(where) >= sizeof folders) return;
    strcpy(folders, where);
    fails_at = strtoul(getenv("FAULTS_AT") ? getenv("FAULTS_AT") : "0", NULL, 10);
    error_number = atoi(getenv("FAULTS_ERROR") ? getenv("FAULTS_ERROR") : "5");
    fails_always = atoi(getenv("FAULTS_ALWAYS") ? getenv("FAULTS_ALWAYS") : "0");
    snprintf(only, sizeof only, "%s", getenv("FAULTS_ONLY") ? getenv("FAULTS_ONLY") : "");
    int descriptor = (int)syscall(SYS_openat, AT_FDCWD, file, O_RDWR | O_CLOEXEC, 0);
    if (descriptor < 0) return;
    void *shared = mmap(NULL, sizeof *tally, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    syscall(SYS_close, descriptor);
    tally = shared == MAP_FAILED ? NULL : shared;
}

/* The absolute path of an open file or folder; empty where it has none. */
static void path_of(int descriptor, char *path) {
    char link[64];
    if (descriptor == AT_FDCWD) strcpy(link, "/proc/self/cwd");
    else snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = 0;
}

static int is_below(const char *path) {
    const char *start = folders;
    while (*start) {
        size_t length = strcspn(start, ":");
        if (!strncmp(path, start, length) && (path[length] == '/' || !path[length])) return 1;
        start += length + (start[length] == ':');
    }
    return 0;
}

/* An error that this call may really give: no disk is too full to be opened for reading. */
static int fitting(int can_fill, int can_refuse) {
    if (error_number == ENOSPC && !can_fill) return EIO;
    if (error_number == EACCES && !can_refuse) return EIO;
    return error_number;
}

/* Whether the call on this path is to fail; `errno` is set then. */
static int fails(const char *call, int folder, const char *name, int can_fill, int can_refuse) {
    if (!tally || (*only && strcmp(only, call))) return 0;
    int before = errno;
    char path[LONGEST];
    if (name && name[0] == '/') snprintf(path, sizeof path, "%s", name);
    else {
        path_of(folder, path);
        if (name) {
            size_t length = strlen(path);
            snprintf(path + length, sizeof path - length, "/%s", name);
        }
    }
    errno = before;
    if (!is_below(path)) return 0;
    unsigned long number = __atomic_add_fetch(&tally->calls, 1, __ATOMIC_SEQ_CST);
    if (!fails_at || number < fails_at || (number > fails_at && !fails_always)) return 0;
    if (__atomic_add_fetch(&tally->failed, 1, __ATOMIC_SEQ_CST) == 1)
        snprintf(tally->first, sizeof tally->first, "%s %.480s", call, path);
    errno = fitting(can_fill, can_refuse);
    return 1;
}

static int fails_open(int folder, const char *name, int flags) {
    return fails(flags & O_CREAT ? "create" : "open", folder, name, (flags & O_CREAT) != 0, 1);
}

static mode_t mode_in(int flags, va_list arguments) {
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
}

#define OPEN(name)                                                                \
    int name(const char *path, int flags, ...) {                                  \
        REAL(int, name, const char *, int, ...);                                  \
        va_list arguments;                                                        \
        va_start(arguments, flags);                                               \
        mode_t mode = mode_in(flags, arguments);                                  \
        va_end(arguments);                                                        \
        return fails_open(AT_FDCWD, path, flags) ? -1 : real_##name(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                              \
    int name(int folder, const char *path, int flags, ...) {                      \
        REAL(int, name, int, const char *, int, ...);                             \
        va_list arguments;                                                        \
        va_start(arguments, flags);                                               \
        mode_t mode = mode_in(flags, arguments);                                  \
        va_end(arguments);                                                        \
        return fails_open(folder, path, flags) ? -1 : real_##name(folder, path, flags, mode); \
    }
OPENAT(openat)
OPENAT(openat64)

#define FAILING(result, name, parameters, given, call, folder, path, can_fill, can_refuse, ...) \
    result name parameters {                                                                    \
        REAL(result, name, __VA_ARGS__);                                                        \
        return fails(call, folder, path, can_fill, can_refuse) ? (result)-1 : real_##name given; \
    }
FAILING(ssize_t, write, (int file, const void *data, size_t size), (file, data, size), "write", file, NULL, 1, 0,
        int, const void *, size_t)
FAILING(ssize_t, pwrite, (int file, const void *data, size_t size, off_t at), (file, data, size, at), "write", file,
        NULL, 1, 0, int, const void *, size_t, off_t)
FAILING(ssize_t, pwrite64, (int file, const void *data, size_t size, off64_t at), (file, data, size, at), "write", file,
        NULL, 1, 0, int, const void *, size_t, off64_t)
FAILING(ssize_t, writev, (int file, const struct iovec *parts, int count), (file, parts, count), "write", file, NULL, 1,
        0, int, const struct iovec *, int)
FAILING(int, fsync, (int file), (file), "sync", file, NULL, 1, 0, int)
FAILING(int, fdatasync, (int file), (file), "sync", file, NULL, 1, 0, int)
FAILING(int, ftruncate, (int file, off_t size), (file, size), "truncate", file, NULL, 1, 0, int, off_t)
FAILING(int, ftruncate64, (int file, off64_t size), (file, size), "truncate", file, NULL, 1, 0, int, off64_t)
FAILING(int, mkdir, (const char *path, mode_t mode), (path, mode), "mkdir", AT_FDCWD, path, 1, 1, const char *, mode_t)
FAILING(int, mkdirat, (int folder, const char *path, mode_t mode), (folder, path, mode), "mkdir", folder, path, 1, 1,
        int, const char *, mode_t)
FAILING(int, unlink, (const char *path), (path), "unlink", AT_FDCWD, path, 0, 1, const char *)
FAILING(int, unlinkat, (int folder, const char *path, int flags), (folder, path, flags), "unlink", folder, path, 0, 1,
        int, const char *, int)
FAILING(int, rename, (const char *from, const char *to), (from, to), "rename", AT_FDCWD, to, 1, 1, const char *,
        const char *)
FAILING(int, renameat, (int folder, const char *from, int other, const char *to), (folder, from, other, to), "rename",
        other, to, 1, 1, int, const char *, int, const char *)
FAILING(int, link, (const char *from, const char *to), (from, to), "link", AT_FDCWD, to, 1, 1, const char *,
        const char *)
FAILING(int, linkat, (int folder, const char *from, int other, const char *to, int flags),
        (folder, from, other, to, flags), "link", other, to, 1, 1, int, const char *, int, const char *, int)

int flock(int file, int deed) { /* letting go never fails */
    REAL(int, flock, int, int);
    return !(deed & LOCK_UN) && fails("lock", file, NULL, 0, 0) ? -1 : real_flock(file, deed);
}

/* Only its locks: nothing else that it does can fail for the disk's sake. */
#define FCNTL(name)                                                               \
    int name(int file, int deed, ...) {                                           \
        REAL(int, name, int, int, ...);                                           \
        va_list arguments;                                                        \
        va_start(arguments, deed);                                                \
        void *argument = va_arg(arguments, void *);                               \
        va_end(arguments);                                                        \
        int is_lock = (deed == F_SETLK || deed == F_SETLKW) && ((struct flock *)argument)->l_type != F_UNLCK; \
        return is_lock && fails("lock", file, NULL, 0, 0) ? -1 : real_##name(file, deed, argument); \
    }
FCNTL(fcntl)
FCNTL(fcntl64)
