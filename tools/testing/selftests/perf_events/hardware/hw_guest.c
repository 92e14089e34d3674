// SPDX-License-Identifier: GPL-2.0
/*
 * exclude_host and exclude_guest for a guest of KVM, in its kernel and in its user mode.
 * The guest is two loops. After each it accesses a device that does not exist, which ends
 * the run.
 */
#include <linux/kvm.h>

#include "../lib/hardware.h"
#include "../lib/harness.h"
#include "../lib/listen.h"
#include "../lib/perf_test.h"
#include "../lib/x86_emulator.h"

#define GUEST_CODE	0x10000UL
#define PAGE_BYTES	4096

/* The instructions of each loop, and the additional ones of the host. */
#define LENGTH		2000000UL
#define SLACK		(LENGTH / 10)

FIXTURE(hw_guest)
{
	int kvm;
	int vm;
	int vcpu;
	struct kvm_run *run;
	bool with_pmu;
};

#if defined(__aarch64__)
#define GUEST_DEVICE	0x20000UL

/* The guest's instructions between the loops. */
#define REST		100

/*
 * x0 turns in EL1, then as many in EL0. The address of the device is in x1. The MMU is
 * off, so that EL0 may store there, too.
 */
static const __u32 guest_code[] = {
	0xaa0003e2,	/* mov x2, x0 */
	0xf1000442,	/* 1: subs x2, x2, #1 */
	0x54ffffe1,	/* b.ne 1b */
	0xb9000020,	/* str w0, [x1] */
	0x100000a3,	/* adr x3, 2f */
	0xd5184023,	/* msr elr_el1, x3 */
	0xd2807803,	/* mov x3, #0x3c0: EL0, all exceptions masked */
	0xd5184003,	/* msr spsr_el1, x3 */
	0xd69f03e0,	/* eret */
	0xf1000400,	/* 2: subs x0, x0, #1 */
	0x54ffffe1,	/* b.ne 2b */
	0xb9000020,	/* str w0, [x1] */
	/* CYCLES_CODE: the guest counts the cycles of x0 turns, with 64 bits */
	0xd2800822,	/* mov x2, #0x41: E and LC */
	0xd51b9c02,	/* msr pmcr_el0, x2 */
	0xd2800202,	/* mov x2, #16 */
	0xd51b9d02,	/* msr pmccntr_el0, x2 */
	0xd2b00002,	/* mov x2, #0x80000000 */
	0xd51b9c62,	/* msr pmovsclr_el0, x2 */
	0xd51befff,	/* msr pmccfiltr_el0, xzr */
	0xd51b9c22,	/* msr pmcntenset_el0, x2 */
	0xd5033fdf,	/* isb */
	0xf1000400,	/* 1: subs x0, x0, #1 */
	0x54ffffe1,	/* b.ne 1b */
	0xd53b9e60,	/* mrs x0, pmovsset_el0 */
	0xb9000020,	/* str w0, [x1] */
	0xd53b9d00,	/* mrs x0, pmccntr_el0 */
	0xd350fc00,	/* lsr x0, x0, #16 */
	0xb9000020,	/* str w0, [x1] */
};

#define CYCLES_CODE	(GUEST_CODE + 12 * sizeof(guest_code[0]))

static int set_register(int vcpu, __u64 id, __u64 value)
{
	struct kvm_one_reg reg = { .id = id, .addr = (unsigned long)&value };

	return ioctl(vcpu, KVM_SET_ONE_REG, &reg);
}

#define CORE_REG(_name)	(KVM_REG_ARM64 | KVM_REG_SIZE_U64 | KVM_REG_ARM_CORE | \
			 KVM_REG_ARM_CORE_REG(_name))

static int guest_cpu(struct _test_data_hw_guest *self)
{
	struct kvm_vcpu_init init;

	if (ioctl(self->vm, KVM_ARM_PREFERRED_TARGET, &init))
		return -1;
	init.features[0] |= self->with_pmu << KVM_ARM_VCPU_PMU_V3;
	return ioctl(self->vcpu, KVM_ARM_VCPU_INIT, &init) ||
	       set_register(self->vcpu, CORE_REG(regs.pc), GUEST_CODE) ||
	       set_register(self->vcpu, CORE_REG(regs.regs[0]), LENGTH / 2) ||
	       set_register(self->vcpu, CORE_REG(regs.regs[1]), GUEST_DEVICE);
}

static bool is_at_device(const struct kvm_run *run)
{
	return run->exit_reason == KVM_EXIT_MMIO && run->mmio.phys_addr == GUEST_DEVICE;
}

/* The guest enters EL0 by itself. */
static int guest_to_user_mode(struct _test_data_hw_guest *self)
{
	return 0;
}

static bool has_pmu(void)
{
	return find_pmuv3();
}
#elif defined(__x86_64__)
#define GUEST_DEVICE	0x10

/* Instructions of the host that the emulator of a PMU counts for the guest. */
#define REST		(LENGTH / 100)

/*
 * In protected mode with flat segments: a loop of eax turns with privilege level 0, then
 * one with privilege level 3, which may access the port as well.
 */
static const __u8 guest_code[] = {
	0x89, 0xc1,		/* mov %eax, %ecx */
	0x49,			/* 1: dec %ecx */
	0x75, 0xfd,		/* jnz 1b */
	0xe6, GUEST_DEVICE,	/* out %al, $GUEST_DEVICE */
	0x48,			/* 2: dec %eax */
	0x75, 0xfd,		/* jnz 2b */
	0xe6, GUEST_DEVICE,	/* out %al, $GUEST_DEVICE */
};

#define RFLAGS_RESERVED	0x2
#define RFLAGS_IOPL_3	0x3000
#define CR0_PE		0x1

static struct kvm_segment flat_segment(int type, int level)
{
	return (struct kvm_segment) {
		.limit = 0xffffffff, .type = type, .present = 1, .dpl = level, .db = 1,
		.s = 1, .g = 1, .selector = 8 | level,
	};
}

static int set_level(struct _test_data_hw_guest *self, int level)
{
	struct kvm_sregs sregs;

	if (ioctl(self->vcpu, KVM_GET_SREGS, &sregs))
		return -1;
	sregs.cr0 |= CR0_PE;
	sregs.cs = flat_segment(0xb, level);
	sregs.ds = flat_segment(0x3, level);
	sregs.es = sregs.ds;
	sregs.ss = sregs.ds;
	return ioctl(self->vcpu, KVM_SET_SREGS, &sregs);
}

static int guest_cpu(struct _test_data_hw_guest *self)
{
	struct kvm_regs regs = {
		.rip = GUEST_CODE, .rax = LENGTH / 2,
		.rflags = RFLAGS_RESERVED | RFLAGS_IOPL_3,
	};

	return set_level(self, 0) || ioctl(self->vcpu, KVM_SET_REGS, &regs);
}

static bool is_at_device(const struct kvm_run *run)
{
	return run->exit_reason == KVM_EXIT_IO && run->io.port == GUEST_DEVICE;
}

static int guest_to_user_mode(struct _test_data_hw_guest *self)
{
	return set_level(self, 3);
}

/* An emulator follows KVM's guests only on AMD, and is exact only if it counts instructions. */
static bool has_pmu(void)
{
	return !machine_is("") || (machine_is("amd-") && emulator_counts_instructions());
}
#endif

static int guest_memory(int vm)
{
	struct kvm_userspace_memory_region region = {
		.guest_phys_addr = GUEST_CODE,
		.memory_size = PAGE_BYTES,
	};
	void *page = map_fresh_pages(1);

	memcpy(page, guest_code, sizeof(guest_code));
	__builtin___clear_cache(page, (char *)page + PAGE_BYTES);
	region.userspace_addr = (unsigned long)page;
	return ioctl(vm, KVM_SET_USER_MEMORY_REGION, &region);
}

static int make_guest(struct _test_data_hw_guest *self)
{
	int size = ioctl(self->kvm, KVM_GET_VCPU_MMAP_SIZE, 0);

	self->vm = ioctl(self->kvm, KVM_CREATE_VM, 0);
	if (self->vm < 0 || guest_memory(self->vm))
		return -1;
	self->vcpu = ioctl(self->vm, KVM_CREATE_VCPU, 0);
	if (self->vcpu < 0)
		return -1;
	self->run = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, self->vcpu, 0);
	return self->run == MAP_FAILED || guest_cpu(self);
}

static struct perf_event_attr instructions(void)
{
	return PERF_HW(INSTRUCTIONS, .disabled = 1, .exclude_hv = 1);
}

FIXTURE_SETUP(hw_guest)
{
	self->kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	if (self->kvm < 0)
		SKIP(return, "no KVM");
	if (!has_pmu())
		SKIP(return, "no PMU that counts guests");
	if (perf_try_self(instructions()))
		SKIP(return, "instructions are not counted");
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
	ASSERT_EQ(0, make_guest(self));
}

FIXTURE_TEARDOWN(hw_guest)
{
}

/* Run until the guest's next access to the device. */
static bool guest_runs(struct _test_data_hw_guest *self)
{
	int err;

	do {
		err = ioctl(self->vcpu, KVM_RUN, 0);
	} while (err && errno == EINTR);
	return !err && is_at_device(self->run);
}

/* The counts of an event while the guest is in its kernel, and then in user mode. */
static int guest_counts(struct _test_data_hw_guest *self, struct perf_event_attr attr,
			__u64 *kernel, __u64 *user)
{
	int fd = perf_open_self(attr);

	if (fd < 0)
		return fd;
	perf_enable(fd);
	if (!guest_runs(self))
		return -EIO;
	*kernel = perf_count(fd);
	if (guest_to_user_mode(self) || !guest_runs(self))
		return -EIO;
	*user = perf_count(fd) - *kernel;
	close(fd);
	return 0;
}

FIXTURE_VARIANT(hw_guest)
{
	struct perf_event_attr attr;
	bool kernel;
	bool user;
};

FIXTURE_VARIANT_ADD(hw_guest, everything)
{
	.kernel = true, .user = true,
};

FIXTURE_VARIANT_ADD(hw_guest, host_only)
{
	.attr = { .exclude_guest = 1 },
};

FIXTURE_VARIANT_ADD(hw_guest, guest_only)
{
	.attr = { .exclude_host = 1 }, .kernel = true, .user = true,
};

FIXTURE_VARIANT_ADD(hw_guest, guests_kernel)
{
	.attr = { .exclude_host = 1, .exclude_user = 1 }, .kernel = true,
};

FIXTURE_VARIANT_ADD(hw_guest, guests_user_mode)
{
	.attr = { .exclude_host = 1, .exclude_kernel = 1 }, .user = true,
};

FIXTURE_VARIANT_ADD(hw_guest, all_user_mode)
{
	.attr = { .exclude_kernel = 1 }, .user = true,
};

FIXTURE_VARIANT_ADD(hw_guest, nothing)
{
	.attr = { .exclude_host = 1, .exclude_guest = 1 },
};

static void expect_counted(struct __test_metadata *_metadata, bool counted,
			   bool guest_alone, __u64 count)
{
	__u64 rest = guest_alone ? REST : SLACK;

	EXPECT_LE(counted ? LENGTH : 0, count);
	EXPECT_GE(counted ? LENGTH + rest : rest, count);
}

TEST_F(hw_guest, is_counted_as_asked)
{
	struct perf_event_attr attr = instructions();
	__u64 kernel = 0, user = 0;

	attr.exclude_host = variant->attr.exclude_host;
	attr.exclude_guest = variant->attr.exclude_guest;
	attr.exclude_user = variant->attr.exclude_user;
	attr.exclude_kernel = variant->attr.exclude_kernel;
	ASSERT_EQ(0, guest_counts(self, attr, &kernel, &user));
	TH_LOG("%llu in the guest's kernel, %llu in its user mode", kernel, user);
	expect_counted(_metadata, variant->kernel, attr.exclude_host, kernel);
	expect_counted(_metadata, variant->user, attr.exclude_host, user);
}

/* Samples by their mode. */
struct guest_samples {
	int kernel;
	int user;
	int others;
};

/* Run the guest in both modes, and add its samples. Returns true if all modes have some. */
static bool sample_guest(struct __test_metadata *_metadata, struct _test_data_hw_guest *self,
			 const struct _fixture_variant_hw_guest *variant, struct perf_listener *l,
			 struct guest_samples *s)
{
	ASSERT_EQ(0, guest_cpu(self));
	perf_enable(l->fd);
	ASSERT_TRUE(guest_runs(self));
	ASSERT_EQ(0, guest_to_user_mode(self));
	ASSERT_TRUE(guest_runs(self));
	perf_disable(l->fd);
	while (perf_listen_of(l, PERF_RECORD_SAMPLE)) {
		int mode = l->header->misc & PERF_RECORD_MISC_CPUMODE_MASK;

		s->kernel += mode == PERF_RECORD_MISC_GUEST_KERNEL;
		s->user += mode == PERF_RECORD_MISC_GUEST_USER;
		s->others += mode != PERF_RECORD_MISC_GUEST_KERNEL &&
			     mode != PERF_RECORD_MISC_GUEST_USER;
	}
	return (!variant->kernel || s->kernel) && (!variant->user || s->user);
}

/* Samples of a guest have its mode in their header. Overflows come late: in several tries. */
TEST_F(hw_guest, is_named_in_samples)
{
	struct perf_event_attr attr = instructions();
	struct guest_samples s = {};
	struct perf_listener l;

	if (pmu_is_emulated())
		SKIP(return, "the emulator raises the interrupt of a guest after its exit");
	attr.exclude_host = variant->attr.exclude_host;
	attr.exclude_guest = variant->attr.exclude_guest;
	attr.exclude_user = variant->attr.exclude_user;
	attr.exclude_kernel = variant->attr.exclude_kernel;
	attr.sample_period = LENGTH / 20;
	attr.sample_type = PERF_SAMPLE_IP;
	ASSERT_EQ(0, perf_listen_self(&l, attr));
	EXPECT_TRUE(IN_SOME_TRY(FIT_TRIES, sample_guest(_metadata, self, variant, &l, &s)));
	TH_LOG("%d in the guest's kernel, %d in its user mode, %d others", s.kernel, s.user,
	       s.others);
	EXPECT_GE(perf_count(l.fd) / attr.sample_period, s.kernel + s.user + s.others);
	EXPECT_EQ(0, perf_listen_end(&l));
}

#if defined(__aarch64__)
#define SW_INCR		0x00	/* does not occur here */
#define NR_EVENTS	12	/* more than there are counters */
#define LOADS		100000

/*
 * KVM changes the types of counters when a vCPU is loaded and put. A rotation may interrupt it and
 * give the counters to other events.
 */
TEST(type_of_a_counter_is_its_events)
{
	struct perf_event_attr attr = instructions();
	struct _test_data_hw_guest guest = {};
	int fds[NR_EVENTS], i;
	__u64 others = 0;

	if (!has_pmu() || perf_try_self(attr))
		SKIP(return, "instructions are not counted");
	guest.kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	if (guest.kvm < 0)
		SKIP(return, "no KVM");
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
	ASSERT_EQ(0, make_guest(&guest));
	attr.exclude_guest = 1;
	attr.disabled = 0;
	for (i = 0; i < NR_EVENTS; i++) {
		if (i == NR_EVENTS / 2) {
			attr.type = PERF_TYPE_RAW;
			attr.config = SW_INCR;
		}
		fds[i] = perf_open(attr, -1, nth_cpu(0), -1);
		ASSERT_LE(0, fds[i]);
	}
	guest.run->immediate_exit = 1;
	for (i = 0; i < LOADS; i++) {
		ASSERT_EQ(-1, ioctl(guest.vcpu, KVM_RUN, 0));
		ASSERT_EQ(EINTR, errno);
	}
	for (i = 0; i < NR_EVENTS; i++) {
		__u64 count = perf_count(fds[i]);

		if (i >= NR_EVENTS / 2)
			others += count;
		else
			EXPECT_LT(0, count);
	}
	SKIP_STOCK_FAULT(others, "KVM writes the types of other events");
	EXPECT_EQ(0, others);
}

#define OVERFLOW_OF_CYCLES	0x80000000	/* in PMOVSSET_EL0 */
#define TURNS			((1UL << 30) + 1000000)

/* KVM has an event of cycles with 64 bits: 2^31 cycles, in turns of two, are no overflow. */
TEST(cycles_of_a_guest_have_64_bits)
{
	struct kvm_device_attr enable = {
		.group = KVM_ARM_VCPU_PMU_V3_CTRL, .attr = KVM_ARM_VCPU_PMU_V3_INIT,
	};
	struct _test_data_hw_guest guest = { .with_pmu = true };
	__u32 value;

	if (!has_pmu() || perf_try_self(instructions()))
		SKIP(return, "instructions are not counted");
	guest.kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	if (guest.kvm < 0)
		SKIP(return, "no KVM");
	ASSERT_EQ(0, make_guest(&guest));
	ASSERT_EQ(0, ioctl(guest.vcpu, KVM_SET_DEVICE_ATTR, &enable));
	ASSERT_EQ(0, set_register(guest.vcpu, CORE_REG(regs.pc), CYCLES_CODE));
	ASSERT_EQ(0, set_register(guest.vcpu, CORE_REG(regs.regs[0]), TURNS));
	ASSERT_TRUE(guest_runs(&guest));
	memcpy(&value, guest.run->mmio.data, sizeof(value));
	EXPECT_EQ(0, value & OVERFLOW_OF_CYCLES);
	ASSERT_TRUE(guest_runs(&guest));
	memcpy(&value, guest.run->mmio.data, sizeof(value));
	EXPECT_LE(2 * TURNS >> 16, value);
}
#endif

TEST_HARNESS_MAIN
