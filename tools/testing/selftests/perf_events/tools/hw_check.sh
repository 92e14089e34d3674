#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# perf-events-check.sh, which is for real machines, on a machine that counts instructions: each
# result that such a machine must have is PASS, and a fault is seen.
# shellcheck disable=SC2154 # $DIR is set by the library

. "$(dirname "$(readlink -f "$0")")/perf_lib.sh"

check=$DIR/perf-events-check.sh
[ -x "$check" ] || check=$DIR/../check/perf-events-check.sh
report=/tmp/perf-events-report.txt
output=/tmp/perf-events-check.sh.out

# run_check OPTION... - run it without the minute of interrupts
run_check() {
	"$check" -s 1 -o $report "$@" >$output
}

# expect_pass NAME... - each of them must be PASS in the report
expect_pass() {
	for name; do
		grep -q "^PASS $name:" $report || fail "$(grep ": *" $report | grep " $name:" ||
			echo "no result: $name")"
	done
}

test_report() {
	evidence=$output
	run_check || fail "exit status $?"
	expect_pass "count instructions" "count cycles" "all counters" "overflow" \
		"interrupts handled" "interrupts claimed"
	for part in cpu boot pmus results; do
		grep -qF "[$part]" $report || fail "no part $part"
	done
	! grep -qF "$(uname -n)" $report || fail "the report has the host's name"
}

# Events of the CPU hold all counters, so that those of the check get none.
test_fault_is_seen() {
	evidence=$output
	run_check
	counters=$(sed -n 's/^PASS all counters: \([0-9]*\) count.*/\1/p' $report)
	expect_at_least 1 "$counters" "number of counters"
	events=instructions:uD
	while [ "$counters" -gt 1 ]; do
		events=$events,instructions:uD
		counters=$((counters - 1))
	done
	perf stat -a -e "$events" sleep 10000 2>/dev/null &
	pid=$!
	# perf has them when an event of a task has no counter any more
	until_true no_counter
	run_check -a /dev/null && fail "exit status 0"
	grep -q "^FAIL count instructions:" $report || fail "no FAIL in the report"
	kill $pid
	wait $pid
}

no_counter() {
	perf stat -x, -e instructions:u true 2>&1 | grep -q 'not counted'
}

test_other_report() {
	evidence=$output
	printf 'kernel Other\nFAIL count instructions: 0\nPASS overflow: 1\nPASS none: 1\n' \
		>/tmp/other-report.txt
	run_check -a /tmp/other-report.txt || fail "exit status $?"
	expect 1 "$(grep -c '^DIFFERS count instructions: there FAIL, here PASS$' $output)" \
		"the result that differs"
	expect 1 "$(grep -c '^DIFFERS none: there PASS, here no result$' $output)" \
		"the result that is missing"
	expect 0 "$(grep -c '^DIFFERS overflow' $output)" "the result that is the same"
}

test_usage() {
	"$check" --none 2>/dev/null
	expect 2 $? "an unknown option"
	"$check" -a /none 2>/dev/null
	expect 2 $? "a report that does not exist"
}

# Without -icount, counts in an emulated machine are not those of the program. QEMU's arm64 PMU
# counts instructions exactly with it, but its interrupts for them come late and merge.
counts_instructions() {
	grep -q x86_pmu_emulator_clock=instructions /proc/cmdline
}

counts_instructions || {
	ktap_skip_all "this machine does not count instructions exactly"
	exit "$KSFT_SKIP"
}
run_tests report fault_is_seen other_report usage
