// SPDX-License-Identifier: GPL-2.0
/*
 * Guests: callbacks that report whether an interrupt hit a guest.
 *
 * This file owns the one set of callbacks that a hypervisor (KVM, Xen) may register.
 * perf_guest_state() and similar functions reach them through static calls in PMU interrupts,
 * NMI included. Without a hypervisor the static calls return "no guest".
 *
 * Entry points: register and unregister, in task context.
 */
#include <linux/export.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/static_call.h>

/* The registered callbacks. Callers use the static calls instead. */
struct perf_guest_info_callbacks __rcu *perf_guest_cbs;

DEFINE_STATIC_CALL_RET0(__perf_guest_state, *perf_guest_cbs->state);
DEFINE_STATIC_CALL_RET0(__perf_guest_get_ip, *perf_guest_cbs->get_ip);
DEFINE_STATIC_CALL_RET0(__perf_guest_handle_intel_pt_intr,
			*perf_guest_cbs->handle_intel_pt_intr);

/* Target of the static calls without a hypervisor. */
#define perf_guest_no_callbacks	((void *)&__static_call_return0)

static void perf_guest_aim(const struct perf_guest_info_callbacks *cbs)
{
	static_call_update(__perf_guest_state,
			   cbs ? cbs->state : perf_guest_no_callbacks);
	static_call_update(__perf_guest_get_ip,
			   cbs ? cbs->get_ip : perf_guest_no_callbacks);
	static_call_update(__perf_guest_handle_intel_pt_intr,
			   cbs && cbs->handle_intel_pt_intr ?
			   cbs->handle_intel_pt_intr : perf_guest_no_callbacks);
}

/**
 * perf_register_guest_info_callbacks() - register the callbacks of a hypervisor
 * @cbs: the callbacks; must stay valid until unregistered
 *
 * Only one hypervisor can register at a time. A second one is refused with a warning.
 *
 * Context: task, may sleep.
 */
void perf_register_guest_info_callbacks(struct perf_guest_info_callbacks *cbs)
{
	if (!WARN_ON_ONCE(unrcu_pointer(cmpxchg(&perf_guest_cbs, NULL,
						RCU_INITIALIZER(cbs)))))
		perf_guest_aim(cbs);
}
EXPORT_SYMBOL_GPL(perf_register_guest_info_callbacks);

/**
 * perf_unregister_guest_info_callbacks() - unregister the callbacks of a hypervisor
 * @cbs: the registered callbacks
 *
 * After the return, no NMI uses @cbs any more.
 *
 * Context: task, may sleep.
 */
void perf_unregister_guest_info_callbacks(struct perf_guest_info_callbacks *cbs)
{
	if (WARN_ON_ONCE(rcu_access_pointer(perf_guest_cbs) != cbs))
		return;

	perf_guest_aim(NULL);
	synchronize_rcu();
	/* the next hypervisor may register only after the grace period */
	RCU_INIT_POINTER(perf_guest_cbs, NULL);
}
EXPORT_SYMBOL_GPL(perf_unregister_guest_info_callbacks);
