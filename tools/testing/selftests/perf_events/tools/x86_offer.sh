#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The unmodified perf of the distribution on x86, where precise samples, records of branches or the
# trace of branches are not offered, see perf_x86_precise= and its like: perf falls back to what is
# there, or says that it cannot.
#
# shellcheck disable=SC2317 # the tests are called by name

# shellcheck source=perf_lib.sh
. "$(dirname "$(readlink -f "$0")")/perf_lib.sh"

devices=/sys/bus/event_source/devices
pmu=cpu
[ ! -d $devices/cpu_core ] || pmu=cpu_core

# offered PARAMETER - is what the kernel parameter is for offered on an emulated PMU?
offered() {
	case " $(cat /proc/cmdline) " in
	*" $1=on "*) return 0 ;;
	*" $1=off "*) return 1 ;;
	*" x86_pmu_emulator_untested "*) return 1 ;;
	esac
}

records_cycles() {
	perf record -o "$tmp/data" "$load" spin="$ms" >"$tmp/out" 2>"$tmp/err" || {
		fail "perf record: status $?: $(head -n 3 "$tmp/err")"
		return 1
	}
	script event,ip,sym || return
	at_least 20 "$(lines spin)"
}

# Without an event, perf requests the most precise samples of cycles, and takes what it gets.
test_record_falls_back() {
	in_longer_tries records_cycles
	[ -z "$failed" ] || return
	expect_at_least 20 "$(lines spin)" "samples of the load"
	evidence=$tmp/attr
	perf evlist -v -i "$tmp/data" >"$tmp/attr" 2>&1
	precise=$(sed -En 's/.* precise_ip: ([0-9]).*/\1/p' "$tmp/attr" | head -n 1)
	if offered perf_x86_precise && [ -e $devices/$pmu/events/mem-loads ]; then
		expect_at_least 1 "${precise:-0}" "precise_ip"
	else
		expect 0 "${precise:-0}" "precise_ip"
	fi
}

# refused COMMAND... - expect that perf does not record
refused() {
	perf "$@" -o "$tmp/data" "$load" spin=20 >"$tmp/out" 2>"$tmp/err" &&
		fail "perf $* has recorded"
	expect_at_least 1 "$(grep -c . "$tmp/err")" "lines of an error"
}

# perf says that it cannot, and the reason names the parameter.
test_branches_are_refused() {
	! offered perf_x86_branches || {
		skipped="records of branches are offered"
		return
	}
	refused record -b
}

test_memory_is_refused() {
	! offered perf_x86_precise || {
		skipped="precise samples are offered"
		return
	}
	refused mem record
	refused c2c record
}

tests="record_falls_back branches_are_refused memory_is_refused"
[ $# -eq 0 ] || tests=$*
# shellcheck disable=SC2086 # a list of words
run_tests $tests
