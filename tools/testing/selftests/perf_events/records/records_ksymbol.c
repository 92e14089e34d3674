// SPDX-License-Identifier: GPL-2.0
/*
 * Records about the kernel's own text: KSYMBOL and BPF_EVENT when BPF programs are
 * loaded and unloaded, TEXT_POKE when instructions are rewritten.
 */
#include "../lib/bpf.h"
#include "../lib/harness.h"
#include "../lib/listen.h"
#include "../lib/perf_test.h"
#include "../lib/tracing.h"

struct ksymbol_record {
	struct perf_event_header header;
	__u64 addr;
	__u32 len;
	__u16 type;
	__u16 flags;
	char name[];
};

struct bpf_record {
	struct perf_event_header header;
	__u16 type;
	__u16 flags;
	__u32 id;
	__u8 tag[BPF_TAG_SIZE];
};

struct poke_record {
	struct perf_event_header header;
	__u64 addr;
	__u16 old_len;
	__u16 new_len;
	__u8 bytes[];
};

#define LISTENER(...)							\
	PERF_SW(DUMMY, .disabled = 1, .sample_id_all = 1,		\
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME, ##__VA_ARGS__)
#define TRAILER	16

FIXTURE(ksymbol)
{
	struct perf_listener l;
	int cpu;
};

FIXTURE_SETUP(ksymbol)
{
	if (getuid())
		SKIP(return, "needs root");
	self->cpu = nth_cpu(0);
	ASSERT_EQ(0, pin_to_cpu(self->cpu));
}

FIXTURE_TEARDOWN(ksymbol)
{
}

static void listen_to(struct __test_metadata *_metadata,
		      struct _test_data_ksymbol *self, struct perf_event_attr attr)
{
	ASSERT_EQ(0, perf_listen(&self->l, attr, -1, self->cpu));
	ASSERT_EQ(0, perf_enable(self->l.fd));
}

/* BPF programs */

static int load_nothing(const char *name)
{
	const struct bpf_insn insns[] = { BPF_SET(BPF_REG_0, 0), BPF_END_PROG };

	return bpf_load(BPF_PROG_TYPE_PERF_EVENT, insns, ARRAY_SIZE(insns),
			name);
}

/* The next KSYMBOL with a name that ends so, or NULL. */
static const struct ksymbol_record *next_symbol(struct perf_listener *l,
						const char *end)
{
	const struct ksymbol_record *r;
	size_t len;

	while (perf_listen_of(l, PERF_RECORD_KSYMBOL)) {
		r = (const void *)l->header;
		len = strlen(r->name);
		if (len >= strlen(end) &&
		    !strcmp(r->name + len - strlen(end), end))
			return r;
	}
	return NULL;
}

TEST_F(ksymbol, ksymbol_of_bpf_program)
{
	const struct ksymbol_record *r;
	char name[64], *hex = name;
	struct bpf_prog_info info = {};
	__u64 addr = 0;
	__u32 len = 0;
	int prog, i;

	listen_to(_metadata, self, LISTENER(.ksymbol = 1));
	prog = load_nothing("symbol");
	if (prog < 0)
		SKIP(return, "no BPF");
	info.nr_jited_ksyms = 1;
	info.jited_ksyms = (unsigned long)&addr;
	info.nr_jited_func_lens = 1;
	info.jited_func_lens = (unsigned long)&len;
	ASSERT_EQ(0, bpf_prog_info(prog, &info));
	hex += sprintf(hex, "bpf_prog_");
	for (i = 0; i < BPF_TAG_SIZE; i++)
		hex += sprintf(hex, "%02x", info.tag[i]);
	sprintf(hex, "_symbol");
	r = next_symbol(&self->l, "_symbol");
	ASSERT_NE(NULL, r);
	EXPECT_STREQ(name, r->name);
	EXPECT_EQ(PERF_RECORD_KSYMBOL_TYPE_BPF, r->type);
	EXPECT_EQ(0, r->flags);
	EXPECT_EQ(0, r->header.misc);
	EXPECT_EQ(addr, r->addr);
	EXPECT_LE(len, r->len);
	EXPECT_NE(0, r->len);
	EXPECT_EQ(sizeof(*r) + ((strlen(name) + 8) & ~7UL) + TRAILER,
		  r->header.size);
	EXPECT_EQ(NULL, next_symbol(&self->l, "_symbol"));
	close(prog);
	r = next_symbol(&self->l, "_symbol");
	ASSERT_NE(NULL, r);
	EXPECT_STREQ(name, r->name);
	EXPECT_EQ(PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER, r->flags);
	EXPECT_EQ(addr, r->addr);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

TEST_F(ksymbol, bpf_event)
{
	struct bpf_prog_info info = {};
	const struct bpf_record *r;
	int prog;

	listen_to(_metadata, self, LISTENER(.bpf_event = 1));
	prog = load_nothing("event");
	if (prog < 0)
		SKIP(return, "no BPF");
	ASSERT_EQ(0, bpf_prog_info(prog, &info));
	ASSERT_TRUE(perf_listen_of(&self->l, PERF_RECORD_BPF_EVENT));
	r = (const void *)self->l.header;
	EXPECT_EQ(sizeof(*r) + TRAILER, r->header.size);
	EXPECT_EQ(PERF_BPF_EVENT_PROG_LOAD, r->type);
	EXPECT_EQ(0, r->flags);
	EXPECT_EQ(0, r->header.misc);
	EXPECT_EQ(info.id, r->id);
	EXPECT_EQ(0, memcmp(info.tag, r->tag, BPF_TAG_SIZE));
	EXPECT_EQ(gettid(), (pid_t)self->l.rec.tid);
	close(prog);
	ASSERT_TRUE(perf_listen_of(&self->l, PERF_RECORD_BPF_EVENT));
	r = (const void *)self->l.header;
	EXPECT_EQ(PERF_BPF_EVENT_PROG_UNLOAD, r->type);
	EXPECT_EQ(info.id, r->id);
	EXPECT_EQ(0, memcmp(info.tag, r->tag, BPF_TAG_SIZE));
	EXPECT_FALSE(perf_listen_next(&self->l));
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/*
 * KSYMBOL comes before BPF_EVENT. An event of a task gets the records of what the task
 * loads.
 */
TEST_F(ksymbol, bpf_order_and_task)
{
	int prog, i;

	static const __u32 want[] = {
		PERF_RECORD_KSYMBOL, PERF_RECORD_BPF_EVENT,
		PERF_RECORD_KSYMBOL, PERF_RECORD_BPF_EVENT,
	};

	ASSERT_EQ(0, perf_listen_self(&self->l, LISTENER(.ksymbol = 1,
							 .bpf_event = 1)));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	prog = load_nothing("order");
	if (prog < 0)
		SKIP(return, "no BPF");
	close(prog);
	for (i = 0; i < 4; i++) {
		ASSERT_TRUE(perf_listen_next(&self->l)) {
			TH_LOG("record %d", i);
		}
		EXPECT_EQ(want[i], self->l.header->type);
	}
	EXPECT_FALSE(perf_listen_next(&self->l));
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

TEST_F(ksymbol, bpf_unasked)
{
	int prog;

	listen_to(_metadata, self, LISTENER(.text_poke = 1, .cgroup = 1));
	prog = load_nothing("unasked");
	if (prog < 0)
		SKIP(return, "no BPF");
	close(prog);
	EXPECT_EQ(0, perf_listen_count(&self->l, PERF_RECORD_BPF_EVENT));
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* Rewritten instructions */

#define TOGGLE	TRACEFS "/events/task/task_rename/enable"

/* The number of pokes that undo the first one, at the same address. */
static int undone(const struct poke_record *first, struct perf_listener *l)
{
	const struct poke_record *r;
	int nr = 0;

	while (perf_listen_of(l, PERF_RECORD_TEXT_POKE)) {
		r = (const void *)l->header;
		if (r->addr != first->addr || r->old_len != first->new_len)
			continue;
		nr += !memcmp(r->bytes, first->bytes + first->old_len,
			      r->old_len) &&
		      !memcmp(r->bytes + r->old_len, first->bytes, r->new_len);
	}
	return nr;
}

TEST_F(ksymbol, text_poke)
{
	union {
		struct poke_record record;
		char bytes[256];
	} first;
	const struct poke_record *r;
	struct perf_listener of_cpu;
	size_t size;

	if (access(TOGGLE, W_OK))
		SKIP(return, "no tracepoints");
	/* of this task: what other tasks rewrite meanwhile is theirs */
	ASSERT_EQ(0, perf_listen_self(&self->l, LISTENER(.text_poke = 1)));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	ASSERT_EQ(0, perf_listen(&of_cpu, LISTENER(.text_poke = 1), -1, self->cpu));
	ASSERT_EQ(0, perf_enable(of_cpu.fd));
	ASSERT_EQ(0, file_write(TOGGLE, "1"));
	if (!perf_listen_of(&self->l, PERF_RECORD_TEXT_POKE)) {
		file_write(TOGGLE, "0");
		SKIP(return, "this architecture does not tell");
	}
	r = (const void *)self->l.header;
	EXPECT_TRUE(is_kernel_address(r->addr));
	EXPECT_EQ(r->old_len, r->new_len);
	EXPECT_EQ(5, r->new_len);
	EXPECT_NE(0, memcmp(r->bytes, r->bytes + r->old_len, r->old_len));
	EXPECT_EQ(PERF_RECORD_MISC_KERNEL, r->header.misc);
	size = sizeof(struct perf_event_header) + 12 + r->old_len + r->new_len;
	EXPECT_EQ(((size + 7) & ~7UL) + TRAILER, r->header.size);
	ASSERT_GE(sizeof(first), r->header.size);
	memcpy(&first, r, r->header.size);
	perf_buf_drop(&self->l.buf);
	ASSERT_EQ(0, file_write(TOGGLE, "0"));
	EXPECT_EQ(1, undone(&first.record, &self->l));
	EXPECT_EQ(1, undone(&first.record, &of_cpu));
	EXPECT_EQ(0, perf_listen_end(&of_cpu));
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* Code that is generated for a probe has a symbol, too. */

/* Put a probe into a function, behind the instruction that a tracer may use. */
static int probe_inside(const char *symbol)
{
	char text[128];
	int offset;

	for (offset = 1; offset < 24; offset++) {
		snprintf(text, sizeof(text), "p:perf_ksymbol/inside %s+%d", symbol,
			 offset);
		if (!file_write(TRACEFS "/kprobe_events", text))
			return 0;
	}
	return -EINVAL;
}

TEST_F(ksymbol, ksymbol_of_probe)
{
	static const char *const symbols[] = {
		"do_sys_openat2", "ksys_read", "ksys_write", "do_sys_open",
	};
	const struct ksymbol_record *r;
	unsigned int made = 0, i;

	listen_to(_metadata, self, LISTENER(.ksymbol = 1));
	for (i = 0; i < ARRAY_SIZE(symbols) && !made; i++)
		made = !probe_inside(symbols[i]);
	if (!made)
		SKIP(return, "no kprobes");
	ASSERT_EQ(0, file_write(TRACEFS "/events/perf_ksymbol/inside/enable",
				"1"));
	ASSERT_EQ(0, file_write(TRACEFS "/events/perf_ksymbol/inside/enable",
				"0"));
	ASSERT_EQ(0, file_write(TRACEFS "/kprobe_events",
				"-:perf_ksymbol/inside"));
	r = next_symbol(&self->l, "_page");
	/* A page that exists may have had room. */
	if (!r)
		SKIP(return, "no page was made for the probe");
	EXPECT_EQ(PERF_RECORD_KSYMBOL_TYPE_OOL, r->type);
	EXPECT_EQ(0, r->flags);
#ifdef __s390x__
	EXPECT_NE(0, r->addr);	/* outside of the kernel's image */
#else
	EXPECT_TRUE(is_kernel_address(r->addr));
#endif
	EXPECT_EQ(sysconf(_SC_PAGESIZE), r->len);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

TEST_HARNESS_MAIN
