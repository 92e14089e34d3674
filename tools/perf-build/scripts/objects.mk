# SPDX-License-Identifier: GPL-2.0
#
# Print what one folder's Makefile builds, and the folders into which it descends, under
# the configuration of the current directory. For enabled-objects: make -f objects.mk
# obj=FOLDER srctree=.. SRCARCH=...

include $(srctree)/scripts/Makefile.build

PHONY += print-objects
print-objects:
	@printf '%s\n' $(real-obj-y) $(real-obj-m) $(lib-y) $(obj-m)
