#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# perf with records of branches, and with the trace of branches: the PMU intel_bts, and samples of
# each branch. perf decodes the trace only on a CPU of Intel, so that the other machines with a
# modelled trace skip its tests.
# shellcheck disable=SC2154 # $tmp is set by the library

. "$(dirname "$(readlink -f "$0")")/perf_lib.sh"

# A load with a loop of a known program, which perf finds symbols in.
loop='i=0; while [ $i -lt 2000 ]; do i=$((i + 1)); done'

need_trace() {
	[ -e /sys/bus/event_source/devices/intel_bts ] || {
		skipped="no trace of branches"
		return 1
	}
}

need_decoder() {
	need_trace || return 1
	grep -q GenuineIntel /proc/cpuinfo || {
		skipped="perf traces on CPUs of Intel only"
		return 1
	}
}

# record OPTION... - record the loop
record() {
	perf record -o "$tmp/data" "$@" -- sh -c "$loop" >"$tmp/err" 2>&1 ||
		fail "perf record $*: $(head -n 3 "$tmp/err")"
}

# branches FIELDS OPTION... - print the branches that were recorded
branches() {
	fields=$1
	shift
	perf script -i "$tmp/data" -F "$fields" "$@" 2>"$tmp/script-err"
}

# address_lines PATTERN - print the number of branches between addresses of that pattern
address_lines() {
	grep -cE "^ *$1 +=> +$1" "$tmp/branches"
}

# A canonical address of user mode, and one of the kernel
user='[0-9a-f]{1,12}'
kernel='ffff[0-9a-f]{12}'

test_trace() {
	need_decoder || return 0
	evidence=$tmp/branches
	record --per-thread -e intel_bts//
	branches ip,addr --itrace=b >"$tmp/branches"
	expect_at_least 1000 "$(address_lines "$user")" "branches of user mode"
	expect_at_least 1000 "$(address_lines "$kernel")" "branches of the kernel"
}

test_trace_of_user_mode() {
	need_decoder || return 0
	evidence=$tmp/branches
	record --per-thread -e intel_bts//u
	branches ip,addr --itrace=b >"$tmp/branches"
	expect_at_least 1000 "$(address_lines "$user")" "branches of user mode"
	expect 0 "$(grep -cE "$kernel" "$tmp/branches")" "addresses of the kernel"
}

# The load lets perf take a snapshot of what was traced last. perf ignores the signal until it has
# prepared for it, which it does while the load runs.
takes_snapshot() {
	perf record -o "$tmp/data" --per-thread -e intel_bts//u -S -- \
		sh -c "$loop; kill -USR2 \$PPID; $loop; $loop" >"$tmp/err" 2>&1 ||
		fail "perf record -S: $(head -n 3 "$tmp/err")"
	branches ip,addr --itrace=b >"$tmp/branches"
	at_least 1000 "$(address_lines "$user")"
}

test_snapshot() {
	need_decoder || return 0
	evidence=$tmp/branches
	in_some_try takes_snapshot
	expect_at_least 1000 "$(address_lines "$user")" "branches of user mode"
}

test_samples_of_each_branch() {
	need_trace || return 0
	evidence=$tmp/branches
	record -d -e branches:u -c 1
	branches ip,addr >"$tmp/branches"
	expect_at_least 1000 "$(address_lines "$user")" "branches of user mode"
	expect 0 "$(grep -cE "$kernel" "$tmp/branches")" "addresses of the kernel"
}

# samples_with_branches - print the number of samples with at least two branches of user mode
samples_with_branches() {
	branches brstack >"$tmp/branches"
	grep -cE "(0x$user/0x$user/[^ ]*  *){2}" "$tmp/branches"
}

# Zen 3 records branches after the overflow of one event.
test_records_of_branches() {
	evidence=$tmp/branches
	pmu=$(echo /sys/bus/event_source/devices/cpu*/caps/branches)
	[ -e "${pmu%% *}" ] || {
		skipped="no records of branches"
		return 0
	}
	if [ -e /sys/bus/event_source/devices/cpu/events/branch-brs ]; then
		record -b -e cpu/branch-brs/u -c 10007
	else
		record -b -e cycles:u -c 100003
	fi
	expect_at_least 10 "$(samples_with_branches)" "samples"
	expect 0 "$(grep -cE "$kernel" "$tmp/branches")" "samples with addresses of the kernel"
}

run_tests records_of_branches trace trace_of_user_mode snapshot samples_of_each_branch
