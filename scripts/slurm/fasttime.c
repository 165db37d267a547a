// fasttime.c: makes time run faster for a program it is preloaded into. FASTTIME="BASE SPEED": since the moment BASE
// (seconds of the epoch, real time) every real second is SPEED seconds. Processes with the same setting agree on the
// time without talking to each other. Waiting for messages (poll, select) keeps real time: it is no part of a schedule.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

typedef __int128 wide;
static wide base; // nanoseconds of the epoch
static long speed = 1;
static int (*real_gettime)(clockid_t, struct timespec *);
static int (*real_nanosleep)(clockid_t, int, const struct timespec *, struct timespec *);
static int (*real_timedwait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
static int (*real_clockwait)(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);

static wide nanoseconds(const struct timespec *t) { return (wide)t->tv_sec * 1000000000 + t->tv_nsec; }
static struct timespec timespec_of(wide n)
{
	return (struct timespec){.tv_sec = n / 1000000000, .tv_nsec = n % 1000000000};
}

__attribute__((constructor)) static void begin(void)
{
	static int begun;
	long long s;
	const char *e = getenv("FASTTIME");
	if (begun)
		return;
	real_gettime = dlsym(RTLD_NEXT, "clock_gettime");
	real_nanosleep = dlsym(RTLD_NEXT, "clock_nanosleep");
	real_timedwait = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
	real_clockwait = dlsym(RTLD_NEXT, "pthread_cond_clockwait");
	if (!real_timedwait)
		real_timedwait = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
	if (e && sscanf(e, "%lld %ld", &s, &speed) == 2 && speed > 0)
		base = (wide)s * 1000000000;
	else
		speed = 1;
	begun = 1;
}

static int is_real(clockid_t c) { return c == CLOCK_REALTIME || c == CLOCK_REALTIME_COARSE; }
static int is_faster(clockid_t c)
{
	return is_real(c) || c == CLOCK_MONOTONIC || c == CLOCK_MONOTONIC_COARSE || c == CLOCK_MONOTONIC_RAW || c == CLOCK_BOOTTIME;
}
static struct timespec real_deadline(clockid_t c, const struct timespec *t)
{
	wide from = is_real(c) ? base : 0;
	return timespec_of(from + (nanoseconds(t) - from) / speed);
}

int clock_gettime(clockid_t c, struct timespec *t)
{
	begin();
	int r = real_gettime(c, t);
	wide from = is_real(c) ? base : 0;
	if (r == 0 && is_faster(c))
		*t = timespec_of(from + (nanoseconds(t) - from) * speed);
	return r;
}
int gettimeofday(struct timeval *restrict v, void *restrict zone)
{
	struct timespec t;
	int r = clock_gettime(CLOCK_REALTIME, &t);
	*v = (struct timeval){.tv_sec = t.tv_sec, .tv_usec = t.tv_nsec / 1000};
	return r;
}
time_t time(time_t *out)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	if (out)
		*out = t.tv_sec;
	return t.tv_sec;
}
int clock_nanosleep(clockid_t c, int flags, const struct timespec *want, struct timespec *left)
{
	begin();
	struct timespec t = flags & TIMER_ABSTIME ? real_deadline(c, want) : timespec_of(nanoseconds(want) / speed);
	int r = real_nanosleep(c, flags, &t, left);
	if (r == EINTR && left && !(flags & TIMER_ABSTIME))
		*left = timespec_of(nanoseconds(left) * speed);
	return r;
}
int nanosleep(const struct timespec *want, struct timespec *left)
{
	int r = clock_nanosleep(CLOCK_REALTIME, 0, want, left);
	return r == 0 ? 0 : (errno = r, -1);
}
unsigned sleep(unsigned s)
{
	struct timespec t = {.tv_sec = s}, left = {0};
	return nanosleep(&t, &left) == 0 ? 0 : left.tv_sec;
}
int usleep(useconds_t u)
{
	struct timespec t = {.tv_sec = u / 1000000, .tv_nsec = u % 1000000 * 1000};
	return nanosleep(&t, NULL);
}
int pthread_cond_timedwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m, const struct timespec *restrict until)
{
	begin(); // conditions with another clock than the real one are not used by Slurm
	struct timespec t = real_deadline(CLOCK_REALTIME, until);
	return real_timedwait(c, m, &t);
}
int pthread_cond_clockwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m, clockid_t id, const struct timespec *restrict until)
{
	begin();
	struct timespec t = real_deadline(id, until);
	return real_clockwait(c, m, id, &t);
}
