// SPDX-License-Identifier: GPL-2.0
/*
 * Side-band records of mappings: PERF_RECORD_MMAP and MMAP2.
 *
 * This file describes the mappings of a process, so that a reader can interpret addresses. The
 * description is made once for all listeners, and only if there is a listener on this CPU:
 * looking up a file's name or build ID takes longer than all the rest.
 *
 * Context: task. Caller must hold mmap_lock for writing.
 */
#include <linux/buildid.h>
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/hugetlb.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/slab.h>

#include "../output/output.h"
#include "../output/sample_id.h"
#include "sideband.h"
#include "sideband_mmap.h"

/* MMAP2 identifies the file in one of two ways: by inode, or by build ID. */
struct perf_mmap_file {
	u32	maj;
	u32	min;
	u64	ino;
	u64	generation;
};

struct perf_mmap_build_id {
	u8	size;
	u8	reserved[3];
	u8	id[BUILD_ID_SIZE_MAX];
};

static_assert(sizeof(struct perf_mmap_file) == sizeof(struct perf_mmap_build_id));

/* What follows PID and TID. These depend on the PID namespace of the listener. */
struct perf_mmap_where {
	u64	addr;
	u64	len;
	u64	pgoff;
};

/* The additional fields of MMAP2. */
struct perf_mmap_extra {
	struct perf_mmap_file	file;
	u32			prot;
	u32			flags;
};

/**
 * struct perf_mmap_record - PERF_RECORD_MMAP or MMAP2
 * @base: the record
 * @where: addresses
 * @extra: file, protection and flags
 * @build_id: build ID of the file; size 0 if it has none, or no listener selects it
 * @name: path of the file, or a name in its place
 */
struct perf_mmap_record {
	struct perf_sideband		base;
	struct perf_mmap_where		where;
	struct perf_mmap_extra		extra;
	struct perf_mmap_build_id	build_id;
	const char			*name;
};

static bool perf_mmap_shows_build_id(const struct perf_event *event,
				     const struct perf_mmap_record *record)
{
	return record->build_id.size &&
	       perf_sideband_matches(event, PERF_SIDEBAND_BUILD_ID);
}

static void perf_mmap_shape(const struct perf_event *event,
			    struct perf_sideband *copy,
			    const struct perf_sideband *base)
{
	if (!event->attr.mmap2)
		return;
	copy->type = PERF_RECORD_MMAP2;
	copy->size += sizeof(struct perf_mmap_extra);
	if (perf_mmap_shows_build_id(event, container_of(base, struct perf_mmap_record,
							 base)))
		copy->misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
}

static void perf_mmap_put(struct perf_output_handle *handle,
			  struct perf_event *event,
			  const struct perf_sideband *base)
{
	const struct perf_mmap_record *record =
		container_of(base, struct perf_mmap_record, base);
	const void *file = &record->extra.file;

	perf_output_u32_pair(handle, perf_event_pid(event, current),
			     perf_event_tid(event, current));
	perf_output_mem(handle, &record->where, sizeof(record->where));
	if (event->attr.mmap2) {
		if (perf_mmap_shows_build_id(event, record))
			file = &record->build_id;
		perf_output_mem(handle, file, sizeof(struct perf_mmap_file));
		perf_output_u32_pair(handle, record->extra.prot, record->extra.flags);
	}
	perf_sideband_put_string(handle, record->name);
}

/**
 * perf_mmap_prot() - convert VM_* flags to the PROT_* of mmap(2)
 * @vm_flags: VM_*
 *
 * Return: PROT_*.
 */
u32 perf_mmap_prot(unsigned long vm_flags)
{
	return (vm_flags & VM_READ ? PROT_READ : 0) |
	       (vm_flags & VM_WRITE ? PROT_WRITE : 0) |
	       (vm_flags & VM_EXEC ? PROT_EXEC : 0);
}

/**
 * perf_mmap_flags() - convert VM_* flags to the MAP_* of mmap(2)
 * @vm_flags: VM_*
 *
 * Return: MAP_*, only those that are part of the ABI of MMAP2.
 */
u32 perf_mmap_flags(unsigned long vm_flags)
{
	return (vm_flags & VM_MAYSHARE ? MAP_SHARED : MAP_PRIVATE) |
	       (vm_flags & VM_LOCKED ? MAP_LOCKED : 0) |
	       (vm_flags & VM_HUGETLB ? MAP_HUGETLB : 0);
}

/* A mapping without a file is named by its purpose. */
static const char *perf_mmap_purpose(struct vm_area_struct *vma)
{
	const char *name = NULL;

	if (vma->vm_ops && vma->vm_ops->name)
		name = vma->vm_ops->name(vma);
	name = name ?: arch_vma_name(vma);
	if (name)
		return name;
	if (vma_is_initial_heap(vma))
		return "[heap]";
	return vma_is_initial_stack(vma) ? "[stack]" : "//anon";
}

/* On a stacking file system this is the file that the user opened, not the underlying one. */
static void perf_mmap_describe_file(struct perf_mmap_record *record,
				    struct file *file, char *buf)
{
	const struct inode *inode = file_user_inode(file);
	const char *path;

	if (!buf) {
		record->name = "//enomem";
		return;
	}
	path = d_path(file_user_path(file), buf, PATH_MAX);
	if (IS_ERR(path)) {
		record->name = "//toolong";
		return;
	}
	record->name = path;
	record->extra.file.maj = MAJOR(inode->i_sb->s_dev);
	record->extra.file.min = MINOR(inode->i_sb->s_dev);
	record->extra.file.ino = inode->i_ino;
	record->extra.file.generation = inode->i_generation;
}

static void perf_mmap_find_build_id(struct perf_mmap_build_id *found,
				    struct vm_area_struct *vma)
{
	u32 size;

	if (!perf_sideband_has_listener(PERF_SIDEBAND_BUILD_ID))
		return;
	if (!build_id_parse_nofault(vma, found->id, &size))
		found->size = size;
}

static void perf_mmap_emit(struct vm_area_struct *vma,
			   enum perf_sideband_kind kind)
{
	struct perf_mmap_record record = {
		.base = {
			.kind	= kind,
			.type	= PERF_RECORD_MMAP,
			.misc	= PERF_RECORD_MISC_USER |
				  (kind == PERF_SIDEBAND_MMAP_DATA ?
				   PERF_RECORD_MISC_MMAP_DATA : 0),
			.shape	= perf_mmap_shape,
			.put	= perf_mmap_put,
		},
		.where = {
			.addr	= vma->vm_start,
			.len	= vma->vm_end - vma->vm_start,
			.pgoff	= (u64)vma->vm_pgoff << PAGE_SHIFT,
		},
		.extra = {
			.prot	= perf_mmap_prot(vma->vm_flags),
			.flags	= perf_mmap_flags(vma->vm_flags),
		},
	};
	char *buf = NULL;

	if (vma->vm_file) {
		buf = kmalloc(PATH_MAX, GFP_KERNEL);
		perf_mmap_describe_file(&record, vma->vm_file, buf);
		perf_mmap_find_build_id(&record.build_id, vma);
	} else {
		record.name = perf_mmap_purpose(vma);
	}
	record.base.size = 2 * sizeof(u32) + sizeof(record.where) +
			   perf_sideband_string_size(record.name);
	perf_sideband_emit(&record.base);
	kfree(buf);
}

/**
 * perf_sideband_mmap() - record that current mapped something, or changed a mapping
 * @vma: the mapping
 *
 * Context: as perf_event_mmap().
 */
void perf_sideband_mmap(struct vm_area_struct *vma)
{
	enum perf_sideband_kind kind = vma->vm_flags & VM_EXEC ?
				       PERF_SIDEBAND_MMAP : PERF_SIDEBAND_MMAP_DATA;

	if (perf_sideband_enabled(kind) && perf_sideband_has_listener(kind))
		perf_mmap_emit(vma, kind);
}
