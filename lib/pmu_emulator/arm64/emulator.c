// SPDX-License-Identifier: GPL-2.0
/*
 * The module of the models.
 */
#include <linux/array_size.h>
#include <linux/module.h>

#include "spe.h"
#include "trbe.h"
#include "uncore.h"

static struct uncore_model *const uncore_models[] = {
	&pmcg_model,
	&dsu_model,
	&cmn_model,
	&l3c_model,
	&dmc_model,
};

static void exit_uncore(int nr)
{
	while (nr--)
		uncore_model_exit(uncore_models[nr]);
}

static int __init init_uncore(void)
{
	for (int i = 0; i < ARRAY_SIZE(uncore_models); i++) {
		int err = uncore_model_init(uncore_models[i]);

		if (err) {
			exit_uncore(i);
			return err;
		}
	}
	return 0;
}

static int __init models_init(void)
{
	int err = spe_model_init();

	if (err)
		return err;
	err = trbe_model_init();
	if (err)
		goto spe;
	err = init_uncore();
	if (err)
		goto trbe;
	return 0;

trbe:
	trbe_model_exit();
spe:
	spe_model_exit();
	return err;
}
module_init(models_init);

static void __exit models_exit(void)
{
	exit_uncore(ARRAY_SIZE(uncore_models));
	trbe_model_exit();
	spe_model_exit();
}
module_exit(models_exit);

MODULE_DESCRIPTION("Trace units and counters of arm64 in memory, with the drivers of the base");
MODULE_LICENSE("GPL");
