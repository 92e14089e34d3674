# SPDX-License-Identifier: GPL-2.0
"""The names of the ABI: what include/uapi/linux/perf_event.h defines, the sysctls and the files.

Each section of the table of features has the names of one list. A section without a list in
SECTIONS has the names that its rows give.
"""
import os
import re

HEADER = 'include/uapi/linux/perf_event.h'
# names of the header that are no features: limits, masks, and what only pads
LIMIT = re.compile(r'_(MAX|SHIFT|MASK)$|^__|^cap_____res$')
SYSCTL_FILES = ('kernel/sysctl.c', 'arch/arm64/kernel/perf/user_access.c')


def code(tree, path):
    """Return the text of a file without comments."""
    with open(os.path.join(tree, path), encoding='utf-8') as file:
        return re.sub(r'/\*.*?\*/', '', file.read(), flags=re.S)


def members(text, struct):
    """Return the names of a structure's members, those of its unions included."""
    body = re.search(rf'^struct {struct} \{{(.*?)^\}};', text, re.S | re.M)[1]
    return re.findall(r'\b([a-z_]\w*)\s*(?:\[[^]]*\]\s*)?(?::\s*\d+\s*)?[,;]', body)


def enumerators(text, enum):
    """Return the names in an enum."""
    body = re.search(rf'^enum {enum} \{{(.*?)^\}};', text, re.S | re.M)[1]
    return re.findall(r'^\s*(\w+)', body, re.M)


def macros(text, prefix):
    """Return the macros with a prefix."""
    return re.findall(rf'^#define ({prefix}\w+)\s+\S', text, re.M)


def sysctls(tree):
    """Return the names of the sysctls in /proc/sys/kernel."""
    return sum((re.findall(r'\.procname\s*=\s*"(perf_\w+)"', code(tree, path))
                for path in SYSCTL_FILES), [])


# section of the table: its names, from the header and the tree
SECTIONS = {
    'types': lambda text, tree: enumerators(text, 'perf_type_id'),
    'hardware events': lambda text, tree: enumerators(text, 'perf_hw_id'),
    'caches': lambda text, tree: enumerators(text, 'perf_hw_cache_id') +
                                 enumerators(text, 'perf_hw_cache_op_id') +
                                 enumerators(text, 'perf_hw_cache_op_result_id'),
    'software events': lambda text, tree: enumerators(text, 'perf_sw_ids'),
    'attributes': lambda text, tree: members(text, 'perf_event_attr'),
    'sample fields': lambda text, tree: enumerators(text, 'perf_event_sample_format'),
    'branches': lambda text, tree: enumerators(text, 'perf_branch_sample_type'),
    'read formats': lambda text, tree: enumerators(text, 'perf_event_read_format'),
    'flags': lambda text, tree: macros(text, 'PERF_FLAG_'),
    'ioctls': lambda text, tree: macros(text, 'PERF_EVENT_IOC_') +
                                 enumerators(text, 'perf_event_ioc_flags'),
    'control page': lambda text, tree: members(text, 'perf_event_mmap_page'),
    'records': lambda text, tree: enumerators(text, 'perf_event_type') +
                                  enumerators(text, 'perf_record_ksymbol_type') +
                                  macros(text, 'PERF_RECORD_KSYMBOL_FLAGS_') +
                                  enumerators(text, 'perf_bpf_event_type') +
                                  macros(text, 'PERF_AUX_FLAG_'),
    'misc bits': lambda text, tree: macros(text, 'PERF_RECORD_MISC_'),
    'contexts of callchains': lambda text, tree: enumerators(text, 'perf_callchain_context'),
    'register ABIs': lambda text, tree: enumerators(text, 'perf_sample_regs_abi'),
    'sysctls': lambda text, tree: sysctls(tree),
}


def names(tree):
    """Return {section: [name, ...]} of the tree."""
    text = code(tree, HEADER)
    return {section: [name for name in dict.fromkeys(find(text, tree)) if not LIMIT.search(name)]
            for section, find in SECTIONS.items()}
