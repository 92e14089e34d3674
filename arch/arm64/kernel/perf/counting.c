// SPDX-License-Identifier: GPL-2.0
/*
 * Counters that do not count. A hypervisor may implement the registers of a PMU in part: a counter
 * keeps no value, or cannot be enabled, or never moves. So each counter is tried once, when the PMU
 * is found: it is written, read, enabled, and read again after a loop. The PMU is registered
 * without the counters that fail.
 *
 * A counter is tried alone. All counters at once would test as well whether the hypervisor's own
 * users leave enough counters at that moment.
 *
 * The length of a trial is bounded by the instructions that it executes. The registers are put back
 * as they were. No counter overflows.
 *
 * Only one CPU of a PMU is tried. The PMU offers one set of counters for all its CPUs.
 *
 * Context: irqs off, on a CPU of the PMU, unless stated otherwise.
 */
#include <linux/bitops.h>
#include <linux/perf/arm_pmu.h>
#include <linux/printk.h>

#include <asm/arm_pmuv3.h>

#include "pmuv3.h"

/* What a counter gets before it is tried. */
#define PMUV3_TRIAL_VALUE	0x5a5a5a5ULL

/* Turns of the loop, of two instructions each. */
#define PMUV3_TRIAL_TURNS	1000

/* Length of the list in the log. */
#define PMUV3_TRIAL_LINE	600

/*
 * Events that occur in the loop. A hypervisor may filter events, and QEMU sometimes sets a counter
 * back to 0, so a counter that fails is tried again.
 */
static const u16 pmuv3_sure_events[] = {
	ARMV8_PMUV3_PERFCTR_CPU_CYCLES,
	ARMV8_PMUV3_PERFCTR_INST_RETIRED,
	ARMV8_PMUV3_PERFCTR_CPU_CYCLES,
};

/**
 * struct pmuv3_trial - what the trial of a counter has shown
 * @read: what was read after PMUV3_TRIAL_VALUE was written
 * @enabled: its enable bit was read as it was written
 * @moved: by how much it moved
 * @sure: the counter had an event that occurs in any code
 */
struct pmuv3_trial {
	u64	read;
	bool	enabled;
	u64	moved;
	bool	sure;
};

static bool pmuv3_trial_passes(const struct pmuv3_trial *trial)
{
	return trial->read == PMUV3_TRIAL_VALUE &&
	       (!trial->sure || (trial->enabled && trial->moved));
}

static u64 pmuv3_read_type(int idx)
{
	switch (idx) {
	case ARMV8_PMU_CYCLE_IDX:
		return read_pmccfiltr();
	case ARMV8_PMU_INSTR_IDX:
		return read_pmicfiltr();
	default:
		return read_pmevtypern(idx);
	}
}

static void pmuv3_restore_type(int idx, u64 type)
{
	switch (idx) {
	case ARMV8_PMU_CYCLE_IDX:
		write_pmccfiltr(type);
		break;
	case ARMV8_PMU_INSTR_IDX:
		write_pmicfiltr(type);
		break;
	default:
		write_pmevtypern(idx, type);
	}
}

/* The counter counts in each exception level. */
static struct pmuv3_trial pmuv3_try_event(const struct arm_pmu *pmu, int idx, u16 event)
{
	bool fixed = idx >= ARMV8_PMU_CYCLE_IDX;
	struct pmuv3_trial trial = {
		.sure = fixed || pmuv3_event_implemented(pmu, event),
	};

	pmuv3_restore_type(idx, (fixed ? 0 : event) | ARMV8_PMU_INCLUDE_EL2);
	pmuv3_write_one(idx, PMUV3_TRIAL_VALUE);
	isb();
	trial.read = pmuv3_read_one(idx);
	write_pmcntenset(BIT_ULL(idx));
	isb();
	trial.enabled = pmuv3_read_cntenset() & BIT_ULL(idx);
	pmuv3_spin(PMUV3_TRIAL_TURNS);
	write_pmcntenclr(BIT_ULL(idx));
	isb();
	trial.moved = pmuv3_read_one(idx) - trial.read;
	return trial;
}

static struct pmuv3_trial pmuv3_try_counter(const struct arm_pmu *pmu, int idx)
{
	u64 count = pmuv3_read_one(idx), type = pmuv3_read_type(idx);
	struct pmuv3_trial trial, next;

	for (unsigned int i = 0; i < ARRAY_SIZE(pmuv3_sure_events); i++) {
		next = pmuv3_try_event(pmu, idx, pmuv3_sure_events[i]);
		/* What an event that need not occur shows does not replace anything. */
		if (i && !next.sure)
			continue;
		trial = next;
		if (trial.sure && pmuv3_trial_passes(&trial))
			break;
	}
	pmuv3_restore_type(idx, type);
	pmuv3_write_one(idx, count);
	return trial;
}

static int pmuv3_trial_print(char *line, size_t size, int idx, const struct pmuv3_trial *trial)
{
	int len = scnprintf(line, size, "%d (read %#llx", idx, trial->read);

	if (trial->read == PMUV3_TRIAL_VALUE)
		len += scnprintf(line + len, size - len, "%s, moved by %llu",
				 trial->enabled ? "" : ", enable bit lost", trial->moved);
	return len + scnprintf(line + len, size - len, ")");
}

/* Try all counters. Returns those that do not pass. */
static u64 pmuv3_try_all(const struct arm_pmu *pmu, const char *name)
{
	char line[PMUV3_TRIAL_LINE] = "";
	u64 bad = 0;
	int idx, len = 0;

	for_each_set_bit(idx, pmu->cntr_mask, ARMPMU_MAX_HWEVENTS) {
		struct pmuv3_trial trial = pmuv3_try_counter(pmu, idx);

		if (pmuv3_trial_passes(&trial))
			continue;
		len += scnprintf(line + len, sizeof(line) - len, "%s", bad ? ", " : "");
		len += pmuv3_trial_print(line + len, sizeof(line) - len, idx, &trial);
		bad |= BIT_ULL(idx);
	}
	if (bad)
		pr_info("perf: PMU %s: %s; %#llx was written: %s\n", name,
			bad == pmu->cntr_mask[0] ? "not offered, no counter counts" :
			"without counters that do not count", PMUV3_TRIAL_VALUE, line);
	return bad;
}

/**
 * pmuv3_leave_out_stuck() - remove the counters that do not count
 * @pmu: the PMU; its cntr_mask, events and version are set, and it is not registered
 * @name: its name, for the log
 *
 * Return: 0, -ENODEV if no counter is left.
 */
int pmuv3_leave_out_stuck(struct arm_pmu *pmu, const char *name)
{
	u64 enabled = pmuv3_read_cntenset(), pmcr = read_pmcr() & ARMV8_PMU_PMCR_MASK;
	u64 trial = ARMV8_PMU_PMCR_E | ARMV8_PMU_PMCR_LC, bad;

	if (pmuv3_has_long_counters(pmu))
		trial |= ARMV8_PMU_PMCR_LP;
	write_pmcntenclr(enabled);
	write_pmcr(trial);
	isb();
	bad = pmuv3_try_all(pmu, name);
	write_pmcr(pmcr);
	write_pmcntenset(enabled);
	isb();
	pmu->cntr_mask[0] &= ~bad;
	return pmu->cntr_mask[0] ? 0 : -ENODEV;
}
