/* SPDX-License-Identifier: GPL-2.0 */
/* Which sides of a core are offered: boot parameters. */
#ifndef _X86_EVENTS_OFFER_H
#define _X86_EVENTS_OFFER_H

#include "core_pmu.h"

/**
 * enum x86_offer_mode - value of a boot parameter
 * @X86_OFFER_TESTED: the default: a side is offered where it has been tried on hardware
 * @X86_OFFER_OFF: it is not offered
 * @X86_OFFER_ON: it is offered wherever the driver supports it
 */
enum x86_offer_mode {
	X86_OFFER_TESTED,
	X86_OFFER_OFF,
	X86_OFFER_ON,
};

int x86_offer_parse(const char *text, enum x86_offer_mode *mode);
const char *x86_offer_refusal(unsigned int side, enum x86_offer_mode mode, bool tested);
const char *x86_offer_why_not(const struct x86_core_pmu *core, unsigned int side);
void x86_offer_report(const struct x86_core_pmu *core);

#endif /* _X86_EVENTS_OFFER_H */
