// SPDX-License-Identifier: GPL-2.0
/*
 * A load of known size for the scripts that run perf. It does what its arguments say,
 * one after the other. It is not a test.
 */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define MAX_THREADS	64
#define THREAD_STACK	(64 * 1024)

/* The n-th thread does n times as much as the first one. */
#define THREAD_CALLS	100
#define THREAD_PAGES	10

static pthread_barrier_t start, end;
static pthread_t threads[MAX_THREADS];
static int nr_threads;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static char *map_pages(long pages)
{
	size_t len = pages * sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, len, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		die("mmap");
	madvise(p, len, MADV_NOHUGEPAGE);
	return p;
}

static void touch_pages(volatile char *p, long pages)
{
	for (; pages--; p += sysconf(_SC_PAGESIZE))
		*p = 1;
}

static void do_faults(const char *arg)
{
	touch_pages(map_pages(atol(arg)), atol(arg));
}

static void do_getpid(const char *arg)
{
	for (long i = atol(arg); i > 0; i--)
		syscall(__NR_getpid);
}

/* A call that no other program makes, so that a count of the whole system is exact. */
static void do_getpriority(const char *arg)
{
	for (long i = atol(arg); i > 0; i--)
		syscall(__NR_getpriority, PRIO_PROCESS, 0);
}

static long own_switches(void)
{
	struct rusage ru;

	getrusage(RUSAGE_THREAD, &ru);
	return ru.ru_nvcsw;
}

/* If the timer fires before the task has left its CPU, the task does not leave it. */
static void do_sleeps(const char *arg)
{
	const struct timespec ms = { .tv_nsec = 1000000 };
	long until = own_switches() + atol(arg);

	while (own_switches() < until)
		nanosleep(&ms, NULL);
}

static void do_burn(const char *arg)
{
	clock_t until = clock() + atol(arg) * (CLOCKS_PER_SEC / 1000);

	while (clock() < until)
		;
}

/*
 * Three functions that call each other, for profilers. The innermost has something on
 * its stack, because only then gcc for x86 gives it a frame.
 */
static void spin_inner(void)
{
	long turns = 2000;

	do
		asm volatile("" : "+m" (turns));
	while (--turns);
}

static void spin_middle(void)
{
	for (int i = 0; i < 10; i++)
		spin_inner();
}

static long thread_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* So much CPU time. A slow kernel's samples must not take all of it. */
static void spin_outer(long ms)
{
	long until = thread_ms() + ms;

	for (long i = 0; i < 5 * ms || thread_ms() < until; i++)
		spin_middle();
}

static void do_spin(const char *arg)
{
	spin_outer(atol(arg));
}

static void *spinner(void *data)
{
	char name[16];

	snprintf(name, sizeof(name), "spin-%d", (int)(long)data);
	prctl(PR_SET_NAME, name);
	spin_outer(100);
	return NULL;
}

/* Threads "spin-1", "spin-2", ... that spin for a tenth of a second each. */
static void do_spinners(const char *arg)
{
	pthread_t spinners[MAX_THREADS];
	long nr = atol(arg);

	if (nr < 1 || nr > MAX_THREADS)
		exit(2);
	for (long i = 0; i < nr; i++)
		if (pthread_create(&spinners[i], NULL, spinner, (void *)(i + 1)))
			die("pthread_create");
	for (long i = 0; i < nr; i++)
		pthread_join(spinners[i], NULL);
}

/* Two threads on different CPUs, if there are two, that change different words of a line. */
static struct {
	volatile long words[8];
} __attribute__((aligned(64))) line;

static long share_ms;

static void touch_line(volatile long *word)
{
	for (int turns = 20000; turns; turns--)
		(*word)++;
}

/* Pin the calling thread to the n-th of the CPUs that the process may run on. */
static void pin_to_nth(int n)
{
	cpu_set_t set;
	int cpu, last = 0;

	if (sched_getaffinity(getpid(), sizeof(set), &set))
		die("sched_getaffinity");
	for (cpu = 0; cpu < CPU_SETSIZE && n >= 0; cpu++) {
		if (CPU_ISSET(cpu, &set)) {
			last = cpu;
			n--;
		}
	}
	CPU_ZERO(&set);
	CPU_SET(last, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

static void *sharer(void *data)
{
	long until, n = (long)data;

	pin_to_nth(n);
	until = thread_ms() + share_ms;
	/* CPU time also passes while the host does not run this CPU, so rounds are counted too */
	for (long i = 0; i < share_ms || thread_ms() < until; i++)
		touch_line(&line.words[n]);
	return NULL;
}

static void do_share(const char *arg)
{
	pthread_t sharers[2];

	share_ms = atol(arg);
	printf("line %p\n", (void *)&line);
	fflush(stdout);
	for (long i = 0; i < 2; i++)
		if (pthread_create(&sharers[i], NULL, sharer, (void *)i))
			die("pthread_create");
	for (int i = 0; i < 2; i++)
		pthread_join(sharers[i], NULL);
}

/*
 * A terminal permits one read at a time: a thread that waits for input holds its mutex.
 */
static void *reader(void *data)
{
	int *fd = data;
	char c;

	return read(*fd, &c, 1) == 1 ? data : NULL;
}

static bool threads_asleep(int nr)
{
	char path[300], text[300], state;
	struct dirent *entry;
	DIR *dir = opendir("/proc/self/task");

	while (dir && (entry = readdir(dir))) {
		FILE *file;

		snprintf(path, sizeof(path), "/proc/self/task/%s/stat", entry->d_name);
		file = fopen(path, "r");
		if (!file)
			continue;
		if (fgets(text, sizeof(text), file) &&
		    sscanf(text, "%*d %*s %c", &state) == 1 && state == 'S')
			nr--;
		fclose(file);
	}
	if (dir)
		closedir(dir);
	return !nr;
}

/* Two threads read from one terminal. They get input when both wait. */
static void do_contend(const char *arg)
{
	int terminal, keyboard = posix_openpt(O_RDWR | O_NOCTTY);
	pthread_t readers[2];

	if (keyboard < 0 || grantpt(keyboard) || unlockpt(keyboard))
		die("posix_openpt");
	terminal = open(ptsname(keyboard), O_RDWR | O_NOCTTY);
	if (terminal < 0)
		die("ptsname");
	for (int i = 0; i < 2; i++)
		if (pthread_create(&readers[i], NULL, reader, &terminal))
			die("pthread_create");
	while (!threads_asleep(2))
		usleep(1000);
	if (write(keyboard, "x\n", 2) != 2)
		die("write");
	for (int i = 0; i < 2; i++)
		pthread_join(readers[i], NULL);
	close(terminal);
	close(keyboard);
}

static void do_pin(const char *arg)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(atoi(arg), &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

/* A child that makes ten calls. */
static void fork_once(void)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid == 0) {
		do_getpid("10");
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void do_forks(const char *arg)
{
	for (long i = atol(arg); i > 0; i--)
		fork_once();
}

/* The children make ten calls each that no other program makes. */
static void *storm(void *data)
{
	for (long i = *(long *)data; i > 0; i--) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (pid == 0) {
			do_getpriority("10");
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	return NULL;
}

/* As many threads as possible, each with so many children. */
static void do_storms(const char *arg)
{
	pthread_t storms[MAX_THREADS];
	long children = atol(arg);
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, THREAD_STACK);
	for (int i = 0; i < MAX_THREADS; i++)
		if (pthread_create(&storms[i], &attr, storm, &children))
			die("pthread_create");
	for (int i = 0; i < MAX_THREADS; i++)
		pthread_join(storms[i], NULL);
}

/* The words that follow are for its child, which outlives it. */
static void do_outlive(const char *arg)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid)
		_exit(0);
}

struct share {
	int number;
	char *pages;
};

static void *thread(void *data)
{
	struct share *share = data;
	char name[16];

	snprintf(name, sizeof(name), "load-%d", share->number);
	prctl(PR_SET_NAME, name);
	pthread_barrier_wait(&start);
	pthread_barrier_wait(&start);
	touch_pages(share->pages, share->number * THREAD_PAGES);
	for (int i = 0; i < share->number * THREAD_CALLS; i++)
		syscall(__NR_getpid);
	pthread_barrier_wait(&end);
	return NULL;
}

/* Threads that wait for "release" before they work. */
static void do_threads(const char *arg)
{
	static struct share shares[MAX_THREADS];
	pthread_attr_t attr;

	nr_threads = atoi(arg);
	if (nr_threads < 1 || nr_threads > MAX_THREADS)
		exit(2);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, THREAD_STACK);
	pthread_barrier_init(&start, NULL, nr_threads + 1);
	pthread_barrier_init(&end, NULL, nr_threads + 1);
	for (int i = 0; i < nr_threads; i++) {
		shares[i].number = i + 1;
		shares[i].pages = map_pages((i + 1) * THREAD_PAGES);
		if (pthread_create(&threads[i], &attr, thread, &shares[i]))
			die("pthread_create");
	}
	pthread_barrier_wait(&start);
}

static void do_release(const char *arg)
{
	pthread_barrier_wait(&start);
	pthread_barrier_wait(&end);
}

static void do_join(const char *arg)
{
	for (int i = 0; i < nr_threads; i++)
		pthread_join(threads[i], NULL);
}

static void do_resident(const char *arg)
{
	volatile char stack[16 * 1024];

	for (size_t i = 0; i < sizeof(stack); i += 1024)
		stack[i] = 0;
	if (mlockall(MCL_CURRENT))
		die("mlockall");
}

static void do_say(const char *arg)
{
	char text[64];
	int len = snprintf(text, sizeof(text), "%s %d\n", arg, getpid());

	if (write(STDOUT_FILENO, text, len) != len)
		exit(1);
}

/* For SIGUSR1, which main() blocks. */
static void do_wait(const char *arg)
{
	sigset_t set;
	int signo;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigwait(&set, &signo);
}

static const struct {
	const char *name;
	bool takes_arg;
	void (*work)(const char *arg);
} works[] = {
	{ "faults",	 true,	do_faults },
	{ "getpid",	 true,	do_getpid },
	{ "getpriority", true,	do_getpriority },
	{ "sleeps",	 true,	do_sleeps },
	{ "burn",	 true,	do_burn },
	{ "spin",	 true,	do_spin },
	{ "spinners",	 true,	do_spinners },
	{ "share",	 true,	do_share },
	{ "pin",	 true,	do_pin },
	{ "forks",	 true,	do_forks },
	{ "storms",	 true,	do_storms },
	{ "outlive",	 false,	do_outlive },
	{ "threads",	 true,	do_threads },
	{ "say",	 true,	do_say },
	{ "release",	 false,	do_release },
	{ "join",	 false,	do_join },
	{ "contend",	 false,	do_contend },
	{ "resident",	 false,	do_resident },
	{ "wait",	 false,	do_wait },
};

static bool do_word(const char *word)
{
	size_t len = strcspn(word, "=");

	for (size_t i = 0; i < sizeof(works) / sizeof(*works); i++) {
		if (strlen(works[i].name) != len ||
		    strncmp(works[i].name, word, len) ||
		    works[i].takes_arg != (word[len] == '='))
			continue;
		works[i].work(word + len + works[i].takes_arg);
		return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	sigset_t set;

	/* A signal that comes before the load waits for it is not lost. */
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (int i = 1; i < argc; i++) {
		if (!do_word(argv[i])) {
			fprintf(stderr, "perf_load: what is %s?\n", argv[i]);
			return 2;
		}
	}
	return 0;
}
