// SPDX-License-Identifier: GPL-2.0
/*
 * Guests: whom to ask whether an interrupt hit one.
 *
 * Owns the one sub-context of callbacks that a hypervisor (KVM, Xen) may register. They
 * are reached through static calls that answer "no guest" while nobody is there,
 * from perf_guest_state() and its like in PMU interrupts, NMI included.
 *
 * Entry points: register and unregister, in task context.
 */
#include <linux/export.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/static_call.h>

/* Whoever is registered; the static calls are what is used. */
struct perf_guest_info_callbacks __rcu *perf_guest_cbs;

DEFINE_STATIC_CALL_RET0(__perf_guest_state, *perf_guest_cbs->state);
DEFINE_STATIC_CALL_RET0(__perf_guest_get_ip, *perf_guest_cbs->get_ip);
DEFINE_STATIC_CALL_RET0(__perf_guest_handle_intel_pt_intr,
			*perf_guest_cbs->handle_intel_pt_intr);

/* What is asked while there is no hypervisor. */
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
 * perf_register_guest_info_callbacks() - a hypervisor is ready to be asked
 * @cbs: its answers; must stay until unregistered
 *
 * Only one at a time: a second is warned about and not taken.
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
 * perf_unregister_guest_info_callbacks() - a hypervisor goes
 * @cbs: what it registered
 *
 * Afterwards no NMI is in @cbs any more, nor will one be.
 *
 * Context: task, may sleep.
 */
void perf_unregister_guest_info_callbacks(struct perf_guest_info_callbacks *cbs)
{
	if (WARN_ON_ONCE(rcu_access_pointer(perf_guest_cbs) != cbs))
		return;

	perf_guest_aim(NULL);
	synchronize_rcu();
	/* only now may the next one come */
	RCU_INIT_POINTER(perf_guest_cbs, NULL);
}
EXPORT_SYMBOL_GPL(perf_unregister_guest_info_callbacks);
