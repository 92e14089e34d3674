// SPDX-License-Identifier: GPL-2.0
/*
 * The module of the models.
 */
#include <linux/module.h>

#include "spe.h"
#include "trbe.h"

static int __init models_init(void)
{
	int err = spe_model_init();

	if (err)
		return err;
	err = trbe_model_init();
	if (err)
		spe_model_exit();
	return err;
}
module_init(models_init);

static void __exit models_exit(void)
{
	trbe_model_exit();
	spe_model_exit();
}
module_exit(models_exit);

MODULE_DESCRIPTION("Trace units of arm64 in memory, with the drivers of the base");
MODULE_LICENSE("GPL");
