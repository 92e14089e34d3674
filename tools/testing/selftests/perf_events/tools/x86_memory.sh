#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The unmodified perf of the distribution with precise events of x86: perf mem and perf c2c, which
# sample loads and stores, and the registers of samples. Two threads of a load share a line of
# the cache: what perf shows of it is known.
#
# shellcheck disable=SC2317 # the tests are called by name

# shellcheck source=perf_lib.sh
. "$(dirname "$(readlink -f "$0")")/perf_lib.sh"

devices=/sys/bus/event_source/devices
pmu=cpu
[ ! -d $devices/cpu_core ] || pmu=cpu_core

# The name of the model of the cores, if the driver knows it.
model=$(cat $devices/$pmu/caps/pmu_name 2>/dev/null)

# need_memory - skip the test if no event samples loads and stores. perf has events of the vendor
# that the CPU has, which need not be that of a modelled PMU.
need_memory() {
	[ -e $devices/$pmu/events/mem-loads ] && [ -e $devices/$pmu/events/mem-stores ] ||
		skipped="$pmu has no events of loads and stores"
	grep -q GenuineIntel /proc/cpuinfo || skipped="perf uses events of another vendor"
	[ -z "$skipped" ]
}

# enough_samples - check that both words of the line were sampled; each thread has one
enough_samples() {
	at_least 100 "$(lines "$line *\$")" &&
		at_least 100 "$(lines "$(printf %x $((0x$line + 8))) *\$")"
}

# record_sharing OPTION... - run perf with a load whose threads share a line, until there are enough
# samples of it. On a busy host the threads get little time. Sets $line to the line's address.
record_sharing() {
	this_try=0
	for ms in 500 2500 12500; do
		this_try=$((this_try + 1))
		rm -rf "$tmp/data"
		perf "$@" -o "$tmp/data" -c 5000 "$load" share=$ms >"$tmp/out" 2>"$tmp/err" || {
			fail "perf $*: status $?: $(head -n 3 "$tmp/err")"
			return 1
		}
		line=$(awk '$1 == "line" { print substr($2, 3) }' "$tmp/out")
		script event,addr || return
		! enough_samples || break
	done
	show_tries record_sharing $this_try 3
	enough_samples || {
		fail "few samples of the line $line"
		return 1
	}
}

# report OPTION... - let perf report to $tmp/script
report() {
	perf "$@" -i "$tmp/data" --stdio >"$tmp/script" 2>"$tmp/err" ||
		fail "perf $*: status $?: $(head -n 3 "$tmp/err")"
}

# Most accesses are those of one function to one variable, loads and stores.
test_loads_and_stores() {
	need_memory || return
	record_sharing mem record || return
	expect_at_least 20 "$(lines "mem-loads.* $line *\$")" "loads of the first word"
	expect_at_least 20 "$(lines "mem-stores.* $line *\$")" "stores to it"
	report mem report --sort=symbol,symbol_daddr,mem
	for access in "L1 hit|L1 or L1 hit" "L3 hit|L3 or L3 hit" "LFB"; do
		expect_at_least 1 "$(lines "touch_line +\\[\\.\\] line.*($access)")" \
			"lines of the report with $access"
	done
}

# row COLUMN - print a column of the first line in the table of shared lines
row() {
	awk -v column="$1" '$1 == "0" && $2 ~ /^0x/ { print $column; exit }' "$tmp/script"
}

# The line is the one that is shared most. perf says which threads access which words.
test_shared_line() {
	need_memory || return
	record_sharing c2c record -u || return
	report c2c report
	evidence=$tmp/script
	expect "0x$line" "$(row 2)" "the line that is shared most"
	expect_at_least 1 "$(row 6)" "loads that hit a modified line"
	expect_at_least 20 "$(row 10)" "loads"
	expect_at_least 20 "$(row 11)" "stores"
	for offset in 0x0 0x8; do
		expect 1 "$(lines "^ +0.00% +[1-9].* $offset .*touch_line +perf_load")" \
			"lines of the report with the word at $offset"
	done
}

# Alone, the event of loads is not opened for the source of data where another one must be in front.
test_loads_alone() {
	[ -e $devices/$pmu/events/mem-loads-aux ] || skipped="the event of loads needs no other"
	[ -z "$skipped" ] || return
	! perf record -d -o "$tmp/data" -e "$pmu/mem-loads,ldlat=30/P" true \
		>"$tmp/out" 2>"$tmp/err" || fail "perf has recorded loads alone"
	evidence=$tmp/err
	expect 1 "$(grep -c "add an auxiliary event in front" "$tmp/err")" "lines with the advice"
}

records_registers() {
	record --intr-regs=ip,xmm0,xmm15 -e "$pmu/branch-instructions/ppu" -c 20000 \
		"$load" spin="$ms" || return
	script ip,sym,iregs || return
	at_least 20 "$(lines .)"
}

# Records with groups of fields have the registers XMM.
test_registers() {
	case $model in
	icelake | alderlake*) ;;
	*) skipped="the records of $pmu have no registers XMM" ;;
	esac
	[ "$(cat $devices/$pmu/caps/max_precise 2>/dev/null || echo 0)" -gt 0 ] ||
		skipped="$pmu has no precise sampling"
	[ -z "$skipped" ] || return
	in_longer_tries records_registers
	[ -z "$failed" ] || return
	expect_at_least 20 "$(lines .)" samples
	expect "$(lines .)" "$(lines "XMM0:0x[0-9a-f]+ +XMM15:0x[0-9a-f]+")" \
		"samples with both registers"
}

tests="loads_and_stores shared_line loads_alone registers"
[ $# -eq 0 ] || tests=$*
# shellcheck disable=SC2086 # a list of words
run_tests $tests
