// SPDX-License-Identifier: GPL-2.0
/*
 * The module of the models.
 */
#include <linux/module.h>

#include "pmcg.h"
#include "spe.h"
#include "trbe.h"

static int __init models_init(void)
{
	int err = spe_model_init();

	if (err)
		return err;
	err = trbe_model_init();
	if (err)
		goto spe;
	err = pmcg_model_init();
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
	pmcg_model_exit();
	trbe_model_exit();
	spe_model_exit();
}
module_exit(models_exit);

MODULE_DESCRIPTION("Trace units and counters of arm64 in memory, with the drivers of the base");
MODULE_LICENSE("GPL");
