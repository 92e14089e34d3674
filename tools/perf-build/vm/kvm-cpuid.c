// SPDX-License-Identifier: GPL-2.0
/*
 * A library that is preloaded into QEMU. It adds CPUID leaf 0x80000022 to virtual CPUs,
 * which describes AMD's PerfMonV2, and which neither QEMU 7.2 knows as emulator of the
 * machine nor as program that runs KVM. With the leaf, KVM emulates PerfMonV2.
 */
#include <linux/kvm.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LEAVES_MAX	256
#define EXTENDED_MAX	0x80000000
#define PERFMON_V2	0x80000022

struct leaves {
	struct kvm_cpuid2 head;
	struct kvm_cpuid_entry2 leaf[LEAVES_MAX];
};

static void add_leaf(struct leaves *leaves, const struct kvm_cpuid2 *of_qemu)
{
	__u32 i;

	memcpy(leaves, of_qemu, sizeof(*of_qemu) + of_qemu->nent * sizeof(*leaves->leaf));
	for (i = 0; i < leaves->head.nent; i++) {
		if (leaves->leaf[i].function == EXTENDED_MAX)
			leaves->leaf[i].eax = PERFMON_V2;
	}
	leaves->leaf[leaves->head.nent++] = (struct kvm_cpuid_entry2) {
		.function = PERFMON_V2,
		.eax = 1,	/* PerfMonV2 */
		.ebx = 6,	/* counters of a core */
	};
}

int ioctl(int fd, unsigned long request, ...)
{
	static struct leaves leaves;
	const struct kvm_cpuid2 *of_qemu;
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	of_qemu = arg;
	if (request == KVM_SET_CPUID2 && of_qemu->nent < LEAVES_MAX) {
		add_leaf(&leaves, of_qemu);
		arg = &leaves;
	}
	return syscall(SYS_ioctl, fd, request, arg);
}
