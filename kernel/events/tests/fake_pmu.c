// SPDX-License-Identifier: GPL-2.0
/*
 * A fake PMU for user space, with the name "fake".
 *
 * fake_counters.c has its counters. Parameters of the module set their number and width.
 * Files in debugfs make them count, and show how often the core broke a rule of struct
 * pmu.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/percpu.h>

#include "fake_counters.h"

static struct fake_pmu fake_pmu = {
	.nr_counters	= 4,
	.width		= 48,
};

module_param_named(counters, fake_pmu.nr_counters, uint, 0644);
MODULE_PARM_DESC(counters, "counters of each CPU, up to 16");
module_param_named(width, fake_pmu.width, uint, 0644);
MODULE_PARM_DESC(width, "bits of a counter, 8 to 64");
module_param_named(deferred, fake_pmu.deferred, bool, 0644);
MODULE_PARM_DESC(deferred, "say only at the end of a transaction what does not fit");
module_param_named(any_group, fake_pmu.any_group, bool, 0644);
MODULE_PARM_DESC(any_group, "take groups that can never fit");

static struct dentry *fake_dir;

static int fake_poke_set(void *unused, u64 count)
{
	fake_pmu_poke(&fake_pmu, count);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(fake_poke_fops, NULL, fake_poke_set, "%llu\n");

/* Number of calls that broke a rule of struct pmu, on all CPUs. */
static int fake_faults_get(void *unused, u64 *nr)
{
	int cpu;

	*nr = 0;
	for_each_possible_cpu(cpu)
		*nr += per_cpu_ptr(fake_pmu.cpus, cpu)->nr_faults;
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(fake_faults_fops, fake_faults_get, NULL, "%llu\n");

static int __init fake_init(void)
{
	int err = fake_pmu_register(&fake_pmu, "fake", THIS_MODULE);

	if (err)
		return err;
	fake_dir = debugfs_create_dir("fake_pmu", NULL);
	debugfs_create_file_unsafe("poke", 0200, fake_dir, NULL, &fake_poke_fops);
	debugfs_create_file_unsafe("faults", 0400, fake_dir, NULL, &fake_faults_fops);
	return 0;
}
module_init(fake_init);

static void __exit fake_exit(void)
{
	debugfs_remove(fake_dir);
	fake_pmu_unregister(&fake_pmu);
}
module_exit(fake_exit);

MODULE_DESCRIPTION("A PMU made of memory, for tests");
MODULE_LICENSE("GPL");
