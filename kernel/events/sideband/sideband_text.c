// SPDX-License-Identifier: GPL-2.0
/*
 * Side-band records of kernel text: PERF_RECORD_KSYMBOL, BPF_EVENT and TEXT_POKE.
 *
 * The code that generates or patches kernel text reports it here, so that readers can interpret
 * addresses in it later.
 *
 * Context: task. Must be treated as atomic: callers hold text_mutex, ftrace_lock and others.
 */
#include <linux/bpf.h>
#include <linux/filter.h>

#include "../output/output.h"
#include "sideband.h"

/* The fields before the name in PERF_RECORD_KSYMBOL. */
struct perf_ksymbol_body {
	u64	addr;
	u32	len;
	u16	type;
	u16	flags;
};

/**
 * struct perf_ksymbol_record - PERF_RECORD_KSYMBOL
 * @base: the record
 * @body: address, length and type
 * @name: symbol of the text
 */
struct perf_ksymbol_record {
	struct perf_sideband		base;
	struct perf_ksymbol_body	body;
	const char			*name;
};

static void perf_ksymbol_put(struct perf_output_handle *handle,
			     struct perf_event *event,
			     const struct perf_sideband *base)
{
	const struct perf_ksymbol_record *record =
		container_of(base, struct perf_ksymbol_record, base);

	perf_output_mem(handle, &record->body, sizeof(record->body));
	perf_sideband_put_string(handle, record->name);
}

static void perf_ksymbol_emit(u16 type, u64 addr, u32 len, bool unregister,
			      const char *name)
{
	struct perf_ksymbol_record record = {
		.base = {
			.kind	= PERF_SIDEBAND_KSYMBOL,
			.type	= PERF_RECORD_KSYMBOL,
			.size	= sizeof(record.body) +
				  perf_sideband_string_size(name),
			.put	= perf_ksymbol_put,
		},
		.body = {
			.addr	= addr,
			.len	= len,
			.type	= type,
			.flags	= unregister ?
				  PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER : 0,
		},
		.name = name,
	};

	perf_sideband_emit(&record.base);
}

/**
 * perf_event_ksymbol() - a piece of kernel text has appeared or goes away
 * @ksym_type: PERF_RECORD_KSYMBOL_TYPE_*
 * @addr: first address
 * @len: number of bytes
 * @unregister: it goes away
 * @sym: its name; owned by the caller
 *
 * Context: task. Must be treated as atomic: callers hold ftrace_lock and others.
 */
void perf_event_ksymbol(u16 ksym_type, u64 addr, u32 len, bool unregister,
			const char *sym)
{
	if (perf_sideband_enabled(PERF_SIDEBAND_KSYMBOL))
		perf_ksymbol_emit(ksym_type, addr, len, unregister, sym);
}

/* Each function of a BPF program is a piece of text. The first one is the program itself. */
static void perf_bpf_ksymbols(const struct bpf_prog *prog, bool unregister)
{
	const struct bpf_prog *func;
	u32 i;

	for (i = 0; i < max_t(u32, prog->aux->func_cnt, 1); i++) {
		func = i ? prog->aux->func[i] : prog;
		/* An interpreted function has no text. */
		if (func->jited)
			perf_ksymbol_emit(PERF_RECORD_KSYMBOL_TYPE_BPF,
					  (unsigned long)func->bpf_func,
					  func->jited_len, unregister,
					  func->aux->ksym.name);
	}
}

/* The fields of PERF_RECORD_BPF_EVENT. */
struct perf_bpf_body {
	u16	type;
	u16	flags;
	u32	id;
	u8	tag[BPF_TAG_SIZE];
};

/**
 * struct perf_bpf_record - PERF_RECORD_BPF_EVENT
 * @base: the record
 * @body: its fields
 */
struct perf_bpf_record {
	struct perf_sideband	base;
	struct perf_bpf_body	body;
};

static void perf_bpf_put(struct perf_output_handle *handle,
			 struct perf_event *event,
			 const struct perf_sideband *base)
{
	const struct perf_bpf_record *record =
		container_of(base, struct perf_bpf_record, base);

	perf_output_mem(handle, &record->body, sizeof(record->body));
}

static void perf_bpf_emit(const struct bpf_prog *prog, u16 type, u16 flags)
{
	struct perf_bpf_record record = {
		.base = {
			.kind	= PERF_SIDEBAND_BPF_EVENT,
			.type	= PERF_RECORD_BPF_EVENT,
			.size	= sizeof(record.body),
			.put	= perf_bpf_put,
		},
		.body = {
			.type	= type,
			.flags	= flags,
			.id	= prog->aux->id,
		},
	};

	memcpy(record.body.tag, prog->tag, sizeof(record.body.tag));
	perf_sideband_emit(&record.base);
}

/**
 * perf_event_bpf_event() - a BPF program was loaded or is unloaded
 * @prog: the program; still has its id
 * @type: PERF_BPF_EVENT_PROG_LOAD or _UNLOAD
 * @flags: 0
 *
 * Context: task or worker.
 */
void perf_event_bpf_event(struct bpf_prog *prog, enum perf_bpf_event_type type,
			  u16 flags)
{
	if (perf_sideband_enabled(PERF_SIDEBAND_KSYMBOL))
		perf_bpf_ksymbols(prog, type == PERF_BPF_EVENT_PROG_UNLOAD);
	if (perf_sideband_enabled(PERF_SIDEBAND_BPF_EVENT))
		perf_bpf_emit(prog, type, flags);
}

/**
 * struct perf_poke_record - PERF_RECORD_TEXT_POKE
 * @base: the record
 * @addr: address of the text
 * @old_len: length of @old_bytes
 * @new_len: length of @new_bytes
 * @old_bytes: text before the change
 * @new_bytes: text after the change
 */
struct perf_poke_record {
	struct perf_sideband	base;
	u64			addr;
	u16			old_len;
	u16			new_len;
	const void		*old_bytes;
	const void		*new_bytes;
};

/* Size of the two lengths and of the bytes that they count, without padding. */
static unsigned int perf_poke_bytes(size_t old_len, size_t new_len)
{
	return 2 * sizeof(u16) + old_len + new_len;
}

static void perf_poke_put(struct perf_output_handle *handle,
			  struct perf_event *event,
			  const struct perf_sideband *base)
{
	const struct perf_poke_record *record =
		container_of(base, struct perf_poke_record, base);
	unsigned int bytes = perf_poke_bytes(record->old_len, record->new_len);

	perf_output_u64(handle, record->addr);
	perf_output_mem(handle, &record->old_len, sizeof(record->old_len));
	perf_output_mem(handle, &record->new_len, sizeof(record->new_len));
	perf_output_mem(handle, record->old_bytes, record->old_len);
	perf_output_mem(handle, record->new_bytes, record->new_len);
	perf_output_zero(handle, round_up(bytes, sizeof(u64)) - bytes);
}

static void perf_text_poke_emit(const void *addr, const void *old_bytes, size_t old_len,
				const void *new_bytes, size_t new_len)
{
	struct perf_poke_record record = {
		.base = {
			.kind	= PERF_SIDEBAND_TEXT_POKE,
			.type	= PERF_RECORD_TEXT_POKE,
			.misc	= PERF_RECORD_MISC_KERNEL,
			.size	= sizeof(record.addr) +
				  round_up(perf_poke_bytes(old_len, new_len),
					   sizeof(u64)),
			.put	= perf_poke_put,
		},
		.addr		= (unsigned long)addr,
		.old_len	= old_len,
		.new_len	= new_len,
		.old_bytes	= old_bytes,
		.new_bytes	= new_bytes,
	};

	perf_sideband_emit(&record.base);
}

/**
 * perf_event_text_poke() - kernel text is being patched
 * @addr: address of the text
 * @old_bytes: text before the change, or NULL
 * @old_len: length of @old_bytes
 * @new_bytes: text after the change, or NULL
 * @new_len: length of @new_bytes
 *
 * Context: task. Caller must hold text_mutex. Must be treated as atomic. Must not patch text
 * itself, so must not flip a static key.
 */
void perf_event_text_poke(const void *addr, const void *old_bytes, size_t old_len,
			  const void *new_bytes, size_t new_len)
{
	if (perf_sideband_enabled(PERF_SIDEBAND_TEXT_POKE))
		perf_text_poke_emit(addr, old_bytes, old_len, new_bytes, new_len);
}
