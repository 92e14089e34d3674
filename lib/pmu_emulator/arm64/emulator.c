// SPDX-License-Identifier: GPL-2.0
/*
 * The module of the emulators.
 */
#include <linux/array_size.h>
#include <linux/module.h>

#include "spe.h"
#include "trbe.h"
#include "uncore.h"

static struct uncore_emu *const uncore_units[] = {
	&pmcg_emu,
	&dsu_emu,
	&cmn_emu,
	&l3c_emu,
	&dmc_emu,
};

static void exit_uncore(int nr)
{
	while (nr--)
		uncore_emu_exit(uncore_units[nr]);
}

static int __init init_uncore(void)
{
	for (int i = 0; i < ARRAY_SIZE(uncore_units); i++) {
		int err = uncore_emu_init(uncore_units[i]);

		if (err) {
			exit_uncore(i);
			return err;
		}
	}
	return 0;
}

static int __init emulators_init(void)
{
	int err = spe_emu_init();

	if (err)
		return err;
	err = trbe_emu_init();
	if (err)
		goto spe;
	err = init_uncore();
	if (err)
		goto trbe;
	return 0;

trbe:
	trbe_emu_exit();
spe:
	spe_emu_exit();
	return err;
}
module_init(emulators_init);

static void __exit emulators_exit(void)
{
	exit_uncore(ARRAY_SIZE(uncore_units));
	trbe_emu_exit();
	spe_emu_exit();
}
module_exit(emulators_exit);

MODULE_DESCRIPTION("Trace units and counters of arm64 in memory, with the drivers of the base");
MODULE_LICENSE("GPL");
