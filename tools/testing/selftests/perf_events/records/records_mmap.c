// SPDX-License-Identifier: GPL-2.0
/*
 * MMAP and MMAP2 records: address, length, offset, file, protection and name of
 * mappings, which mappings are recorded for which events, build ids, and the mappings
 * of an exec, compared with /proc/PID/maps.
 */
#include <elf.h>
#include <sys/shm.h>
#include <sys/sysmacros.h>

#include "../lib/harness.h"
#include "../lib/listen.h"
#include "../lib/perf_test.h"
#include "../lib/tracing.h"

#define CODE	(PROT_READ | PROT_EXEC)
#define DATA	(PROT_READ | PROT_WRITE)

/* A record of either type. Fields that MMAP does not have are 0. */
struct map {
	__u16 misc;
	__u32 pid;
	__u32 tid;
	__u64 addr;
	__u64 len;
	__u64 pgoff;
	__u32 maj;
	__u32 min;
	__u64 ino;
	__u64 generation;
	__u8 id_size;
	__u8 id[20];
	__u32 prot;
	__u32 flags;
	char name[PATH_MAX + 16];
	size_t name_bytes;
};

static void parse_map2(const __u64 *body, struct map *m)
{
	const __u8 *id = (const __u8 *)(body + 4);
	const __u32 *word = (const __u32 *)(body + 4);

	if (m->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		m->id_size = id[0];
		memcpy(m->id, id + 4, 20);
	} else {
		m->maj = word[0];
		m->min = word[1];
		m->ino = body[5];
		m->generation = body[6];
	}
	m->prot = word[6];
	m->flags = word[7];
}

/* Read the next record of a mapping. Returns false if there is none. */
static bool next_map(struct perf_listener *l, struct map *m)
{
	const __u64 *body;
	const char *name;

	do {
		if (!perf_listen_next(l))
			return false;
	} while (l->header->type != PERF_RECORD_MMAP &&
		 l->header->type != PERF_RECORD_MMAP2);
	memset(m, 0, offsetof(struct map, name));
	body = perf_listen_body(l);
	m->misc = l->header->misc;
	m->pid = ((const __u32 *)body)[0];
	m->tid = ((const __u32 *)body)[1];
	m->addr = body[1];
	m->len = body[2];
	m->pgoff = body[3];
	name = (const char *)(body + 4);
	if (l->header->type == PERF_RECORD_MMAP2) {
		parse_map2(body, m);
		name += 32;
	}
	m->name_bytes = perf_rec_body(&l->attr, l->header) -
			(name - (const char *)body);
	snprintf(m->name, sizeof(m->name), "%s", name);
	return true;
}

#define LISTENER(...)							\
	PERF_SW(DUMMY, .disabled = 1, .sample_type = PERF_SAMPLE_TID,	\
		.sample_id_all = 1, ##__VA_ARGS__)
#define ALL_MAPS	.mmap = 1, .mmap2 = 1, .mmap_data = 1

FIXTURE(maps)
{
	struct perf_listener l;
	struct map m;
	size_t page;
	int file;		/* four pages, on a tmpfs */
	char path[64];
	struct stat st;
};

FIXTURE_SETUP(maps)
{
	self->page = sysconf(_SC_PAGESIZE);
	snprintf(self->path, sizeof(self->path), "/tmp/records_mmap_%d",
		 getpid());
	self->file = open(self->path, O_RDWR | O_CREAT | O_CLOEXEC, 0755);
	ASSERT_LE(0, self->file);
	ASSERT_EQ(0, ftruncate(self->file, 4 * self->page));
	ASSERT_EQ(0, fstat(self->file, &self->st));
}

FIXTURE_TEARDOWN(maps)
{
	unlink(self->path);
}

/* Map something while the event is enabled. The record is in self->m. */
static void *map_heard(struct __test_metadata *_metadata,
		       struct _test_data_maps *self,
		       struct perf_event_attr attr, int prot, int flags,
		       int fd, size_t offset)
{
	void *p;

	ASSERT_EQ(0, perf_listen_self(&self->l, attr));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	p = mmap(NULL, 2 * self->page, prot, flags, fd, offset);
	ASSERT_NE(MAP_FAILED, p);
	ASSERT_EQ(0, perf_disable(self->l.fd));
	ASSERT_TRUE(next_map(&self->l, &self->m));
	EXPECT_FALSE(perf_listen_next(&self->l));
	EXPECT_EQ((unsigned long)p, self->m.addr);
	EXPECT_EQ(2 * self->page, self->m.len);
	EXPECT_EQ(getpid(), self->m.pid);
	EXPECT_EQ(gettid(), self->m.tid);
	EXPECT_EQ(getpid(), self->l.rec.pid);
	EXPECT_EQ((strlen(self->m.name) + 8) & ~7UL, self->m.name_bytes);
	EXPECT_EQ(0, perf_listen_end(&self->l));
	return p;
}

/* Files */

TEST_F(maps, code_of_file)
{
	map_heard(_metadata, self, LISTENER(.mmap = 1), CODE, MAP_PRIVATE,
		  self->file, self->page);
	EXPECT_EQ(PERF_RECORD_MMAP, self->l.buf.record.header.type);
	EXPECT_EQ(PERF_RECORD_MISC_USER, self->m.misc);
	EXPECT_EQ(self->page, self->m.pgoff);
	EXPECT_STREQ(self->path, self->m.name);
}

TEST_F(maps, code_of_file_mmap2)
{
	map_heard(_metadata, self, LISTENER(.mmap = 1, .mmap2 = 1), CODE,
		  MAP_PRIVATE, self->file, 2 * self->page);
	EXPECT_EQ(PERF_RECORD_MMAP2, self->l.buf.record.header.type);
	EXPECT_EQ(PERF_RECORD_MISC_USER, self->m.misc);
	EXPECT_EQ(2 * self->page, self->m.pgoff);
	EXPECT_EQ(major(self->st.st_dev), self->m.maj);
	EXPECT_EQ(minor(self->st.st_dev), self->m.min);
	EXPECT_EQ(self->st.st_ino, self->m.ino);
	EXPECT_EQ(CODE, self->m.prot);
	EXPECT_EQ(MAP_PRIVATE, self->m.flags);
	EXPECT_STREQ(self->path, self->m.name);
}

TEST_F(maps, protection_and_flags)
{
	static const int prots[] = {
		PROT_READ, DATA, CODE, PROT_READ | PROT_WRITE | PROT_EXEC,
		PROT_NONE, PROT_EXEC,
	};
	static const int flags[] = { MAP_PRIVATE, MAP_SHARED };
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(prots); i++) {
		for (k = 0; k < ARRAY_SIZE(flags); k++) {
			map_heard(_metadata, self, LISTENER(ALL_MAPS),
				  prots[i], flags[k], self->file, 0);
			EXPECT_EQ(prots[i], self->m.prot);
			EXPECT_EQ(flags[k], self->m.flags);
			/* misc says whether it is code. */
			EXPECT_EQ(PERF_RECORD_MISC_USER |
				  (prots[i] & PROT_EXEC ? 0 :
				   PERF_RECORD_MISC_MMAP_DATA), self->m.misc);
		}
	}
}

/* Which of code and data are recorded, by the three bits. */
static int maps_heard(struct __test_metadata *_metadata,
		      struct _test_data_maps *self, struct perf_event_attr attr,
		      int prot)
{
	int nr = 0;

	ASSERT_EQ(0, perf_listen_self(&self->l, attr));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	ASSERT_NE(MAP_FAILED, mmap(NULL, self->page, prot, MAP_PRIVATE,
				   self->file, 0));
	ASSERT_EQ(0, perf_disable(self->l.fd));
	while (next_map(&self->l, &self->m))
		nr += self->l.header->type;
	EXPECT_EQ(0, perf_listen_end(&self->l));
	return nr;
}

TEST_F(maps, which_bits_hear_what)
{
	unsigned int bits, code, data;

	for (bits = 0; bits < 8; bits++) {
		struct perf_event_attr attr = LISTENER(.mmap = bits & 1,
			.mmap2 = !!(bits & 2), .mmap_data = !!(bits & 4));
		unsigned int type = bits & 2 ? PERF_RECORD_MMAP2 :
					       PERF_RECORD_MMAP;

		/* mmap2 selects the format. Alone it may mean either. */
		if (bits == 2)
			continue;
		code = bits & 3 ? type : 0;
		data = bits & 4 ? type : 0;
		EXPECT_EQ(code, maps_heard(_metadata, self, attr, CODE)) {
			TH_LOG("bits %u", bits);
		}
		EXPECT_EQ(data, maps_heard(_metadata, self, attr, DATA)) {
			TH_LOG("bits %u", bits);
		}
	}
}

/* Names */

TEST_F(maps, anonymous)
{
	map_heard(_metadata, self, LISTENER(ALL_MAPS), CODE,
		  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	EXPECT_STREQ("//anon", self->m.name);
	EXPECT_EQ(0, self->m.ino);
	EXPECT_EQ(0, self->m.maj);
	EXPECT_EQ(MAP_PRIVATE, self->m.flags & MAP_TYPE);
	map_heard(_metadata, self, LISTENER(ALL_MAPS), DATA,
		  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	EXPECT_STREQ("/dev/zero (deleted)", self->m.name);
	EXPECT_NE(0, self->m.ino);
}

TEST_F(maps, memfd_and_deleted)
{
	int memfd = memfd_create("secret", MFD_CLOEXEC);
	char deleted[80];

	ASSERT_LE(0, memfd);
	ASSERT_EQ(0, ftruncate(memfd, 4 * self->page));
	map_heard(_metadata, self, LISTENER(ALL_MAPS), CODE, MAP_PRIVATE,
		  memfd, 0);
	EXPECT_STREQ("/memfd:secret (deleted)", self->m.name);
	ASSERT_EQ(0, unlink(self->path));
	map_heard(_metadata, self, LISTENER(ALL_MAPS), CODE, MAP_PRIVATE,
		  self->file, 0);
	snprintf(deleted, sizeof(deleted), "%s (deleted)", self->path);
	EXPECT_STREQ(deleted, self->m.name);
	EXPECT_EQ(self->st.st_ino, self->m.ino);
}

TEST_F(maps, shared_memory)
{
	int id = shmget(IPC_PRIVATE, 2 * self->page, IPC_CREAT | 0600);
	void *p;

	if (id < 0)
		SKIP(return, "no System V shared memory");
	ASSERT_EQ(0, perf_listen_self(&self->l, LISTENER(ALL_MAPS)));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	p = shmat(id, NULL, 0);
	ASSERT_EQ(0, perf_disable(self->l.fd));
	shmctl(id, IPC_RMID, NULL);
	ASSERT_TRUE(next_map(&self->l, &self->m));
	EXPECT_EQ((unsigned long)p, self->m.addr);
	EXPECT_STREQ("/SYSV00000000 (deleted)", self->m.name);
	EXPECT_EQ(MAP_SHARED, self->m.flags & MAP_TYPE);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

TEST_F(maps, heap)
{
	void *before;

	/*
	 * The first growth of a child's heap is a mapping of its own, which later ones
	 * extend.
	 */
	ASSERT_NE((void *)-1, sbrk(self->page));
	before = sbrk(0);
	ASSERT_EQ(0, perf_listen_self(&self->l, LISTENER(ALL_MAPS)));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	ASSERT_EQ(before, sbrk(16 * self->page));
	ASSERT_EQ(0, perf_disable(self->l.fd));
	ASSERT_TRUE(next_map(&self->l, &self->m));
	EXPECT_STREQ("[heap]", self->m.name);
	/* The whole area that was extended. */
	EXPECT_GE((unsigned long)before, self->m.addr);
	EXPECT_LE((unsigned long)sbrk(0), self->m.addr + self->m.len);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* Names of every length up to the length of a path, padded to whole words. */
TEST_F(maps, long_paths)
{
	char path[PATH_MAX] = "/tmp";
	size_t len = 4, step, total;
	int fd;

	for (step = 0; step < 15; step++) {
		len += sprintf(path + len, "/%0*d", 250 - (int)step, 7);
		total = len;
		ASSERT_EQ(0, mkdir(path, 0755));
		sprintf(path + len, "/code");
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0755);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, ftruncate(fd, 4 * self->page));
		map_heard(_metadata, self, LISTENER(ALL_MAPS), CODE,
			  MAP_PRIVATE, fd, 0);
		EXPECT_STREQ(path, self->m.name);
		ASSERT_EQ(0, unlink(path));
		close(fd);
		path[total] = '\0';
	}
	/* Remove the innermost directory first. */
	while (len > 4 && !rmdir(path)) {
		len = strrchr(path, '/') - path;
		path[len] = '\0';
	}
}

/* A path that only relative names can reach has no name. */
TEST_F(maps, path_too_long)
{
	int top = open("/tmp", O_RDONLY | O_DIRECTORY), fd, i;
	char name[256];

	memset(name, 'x', 250);
	name[250] = '\0';
	ASSERT_EQ(0, fchdir(top));
	for (i = 0; i < 18; i++) {
		ASSERT_EQ(0, mkdir(name, 0755));
		ASSERT_EQ(0, chdir(name));
	}
	fd = open("code", O_RDWR | O_CREAT | O_CLOEXEC, 0755);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, ftruncate(fd, 4 * self->page));
	map_heard(_metadata, self, LISTENER(ALL_MAPS), CODE, MAP_PRIVATE, fd,
		  0);
	EXPECT_STREQ("//toolong", self->m.name);
	ASSERT_EQ(0, unlink("code"));
	for (i = 0; i < 18; i++) {
		ASSERT_EQ(0, chdir(".."));
		ASSERT_EQ(0, rmdir(name));
	}
}

/* Data that becomes code is recorded. */
TEST_F(maps, mprotect)
{
	char *p = mmap(NULL, 4 * self->page, PROT_READ, MAP_PRIVATE,
		       self->file, 0);

	ASSERT_NE(MAP_FAILED, p);
	ASSERT_EQ(0, perf_listen_self(&self->l, LISTENER(.mmap = 1,
							 .mmap2 = 1)));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	ASSERT_EQ(0, mprotect(p + self->page, self->page, CODE));
	ASSERT_TRUE(next_map(&self->l, &self->m));
	EXPECT_EQ((unsigned long)p + self->page, self->m.addr);
	EXPECT_EQ(self->page, self->m.len);
	EXPECT_EQ(self->page, self->m.pgoff);
	EXPECT_EQ(CODE, self->m.prot);
	EXPECT_STREQ(self->path, self->m.name);
	/* And back: it is no code any more. */
	ASSERT_EQ(0, mprotect(p + self->page, self->page, PROT_READ));
	EXPECT_FALSE(perf_listen_next(&self->l));
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* Build ids */

struct note_elf {
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr;
	Elf64_Nhdr nhdr;
	char name[4];
	__u8 id[32];
};

/* A file with nothing but a build id of so many bytes. */
static void write_note(struct __test_metadata *_metadata,
		       struct _test_data_maps *self, unsigned int id_size)
{
	struct note_elf elf = {
		.ehdr = {
			.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64,
				     ELFDATA2LSB, EV_CURRENT },
			.e_type = ET_DYN, .e_version = EV_CURRENT,
			.e_machine = EM_X86_64,
			.e_phoff = offsetof(struct note_elf, phdr),
			.e_ehsize = sizeof(Elf64_Ehdr),
			.e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1,
		},
		.phdr = {
			.p_type = PT_NOTE,
			.p_offset = offsetof(struct note_elf, nhdr),
			.p_filesz = sizeof(Elf64_Nhdr) + 4 + id_size,
			.p_memsz = sizeof(Elf64_Nhdr) + 4 + id_size,
			.p_align = 4,
		},
		.nhdr = { 4, id_size, NT_GNU_BUILD_ID },
		.name = "GNU",
	};
	unsigned int i;

	for (i = 0; i < id_size; i++)
		elf.id[i] = 0xa0 + i;
	ASSERT_EQ(sizeof(elf), pwrite(self->file, &elf, sizeof(elf), 0));
}

static void check_build_id(struct __test_metadata *_metadata,
			   struct _test_data_maps *self, unsigned int size)
{
	unsigned int i;

	write_note(_metadata, self, size);
	map_heard(_metadata, self, LISTENER(ALL_MAPS, .build_id = 1), CODE,
		  MAP_PRIVATE, self->file, 0);
	EXPECT_EQ(PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID,
		  self->m.misc);
	EXPECT_EQ(size, self->m.id_size);
	for (i = 0; i < 20; i++)
		EXPECT_EQ(i < size ? 0xa0 + i : 0, self->m.id[i]);
	EXPECT_EQ(CODE, self->m.prot);
	EXPECT_STREQ(self->path, self->m.name);
}

TEST_F(maps, build_id)
{
	check_build_id(_metadata, self, 20);
	check_build_id(_metadata, self, 16);
	check_build_id(_metadata, self, 8);
}

/* Without a build id the record has the inode, as without the bit. */
TEST_F(maps, no_build_id)
{
	map_heard(_metadata, self, LISTENER(ALL_MAPS, .build_id = 1), CODE,
		  MAP_PRIVATE, self->file, 0);
	EXPECT_EQ(PERF_RECORD_MISC_USER, self->m.misc);
	EXPECT_EQ(self->st.st_ino, self->m.ino);
	map_heard(_metadata, self, LISTENER(ALL_MAPS, .build_id = 1), CODE,
		  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	EXPECT_EQ(0, self->m.misc & PERF_RECORD_MISC_MMAP_BUILD_ID);
	/* Longer than the field: not a build id. */
	write_note(_metadata, self, 21);
	map_heard(_metadata, self, LISTENER(ALL_MAPS, .build_id = 1), CODE,
		  MAP_PRIVATE, self->file, 0);
	EXPECT_EQ(PERF_RECORD_MISC_USER, self->m.misc);
}

/* Exec */

/* Count the lines of /proc/PID/maps that are code, and those with a record. */
static void compare_with_proc(struct __test_metadata *_metadata,
			      struct _test_data_maps *self, pid_t pid)
{
	static struct map told[64];
	char path[64], line[PATH_MAX + 128], prot[8], name[PATH_MAX];
	unsigned long start, end;
	int nr = 0, lines = 0, i;
	FILE *maps;

	while (nr < 64 && next_map(&self->l, &told[nr]))
		nr++;
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "re");
	ASSERT_NE(NULL, maps);
	while (fgets(line, sizeof(line), maps)) {
		name[0] = '\0';
		if (sscanf(line, "%lx-%lx %7s %*x %*s %*u %4095s", &start, &end,
			   prot, name) < 3)
			continue;
		if (prot[2] != 'x' || is_kernel_address(start))
			continue;
		for (i = 0; i < nr; i++)
			if (told[i].addr == start &&
			    told[i].len == end - start)
				break;
		ASSERT_LT(i, nr) {
			TH_LOG("not told: %s", line);
		}
		EXPECT_STREQ(name, told[i].name);
		EXPECT_EQ(pid, told[i].tid);
		lines++;
	}
	fclose(maps);
	/* The program, and the page that the kernel provides. */
	EXPECT_LE(2, lines);
	EXPECT_EQ(lines, nr);
}

TEST_F(maps, exec)
{
	struct perf_event_attr attr = LISTENER(.mmap = 1, .mmap2 = 1,
					       .enable_on_exec = 1);
	struct gate go = gate_new(), done = gate_new();
	pid_t pid = fork_child();

	if (pid == 0) {
		gate_wait(&go);
		dup2(done.wr, 77);
		execl("/proc/self/exe", "hold", "--hold", NULL);
		_exit(1);
	}
	ASSERT_EQ(0, perf_listen(&self->l, attr, pid, -1));
	gate_open(&go);
	gate_wait(&done);
	compare_with_proc(_metadata, self, pid);
	kill(pid, SIGKILL);
	ASSERT_EQ(-SIGKILL, wait_status(pid));
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* An event of a CPU records the mappings of all tasks there, with their pids. */
TEST_F(maps, heard_by_cpu)
{
	int cpu = nth_cpu(0);
	struct gate go = gate_new();
	int nr = 0;
	pid_t pid;

	ASSERT_EQ(0, pin_to_cpu(cpu));
	pid = fork_child();
	if (pid == 0) {
		gate_wait(&go);
		mmap(NULL, self->page, CODE, MAP_PRIVATE, self->file, 0);
		_exit(0);
	}
	ASSERT_EQ(0, perf_listen(&self->l, LISTENER(.mmap = 1), -1, cpu));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	gate_open(&go);
	ASSERT_EQ(0, wait_status(pid));
	while (next_map(&self->l, &self->m)) {
		if (strcmp(self->m.name, self->path))
			continue;
		EXPECT_EQ(pid, self->m.pid);
		EXPECT_EQ(pid, self->m.tid);
		nr++;
	}
	EXPECT_EQ(1, nr);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--hold")) {
		if (write(77, "x", 1) == 1)
			pause();
		_exit(1);
	}
	return test_harness_run(argc, argv);
}
