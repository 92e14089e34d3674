#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The unmodified perf of the distribution where hardware writes what is no precise record, or traces
# branches outside of their buffer, see x86_breaker.c: perf falls back to samples that are not
# precise, and says that there is no trace.
#
# shellcheck disable=SC2317 # the tests are called by name

# shellcheck source=perf_lib.sh
. "$(dirname "$(readlink -f "$0")")/perf_lib.sh"

max_precise() {
	cat /sys/bus/event_source/devices/cpu/caps/max_precise
}

records_cycles() {
	perf record -o "$tmp/data" "$load" spin="$ms" >"$tmp/out" 2>"$tmp/err" || {
		fail "perf record: status $?: $(head -n 3 "$tmp/err")"
		return 1
	}
	script event,ip,sym || return
	at_least 20 "$(lines spin)"
}

# ends - did precise sampling end within a recording?
ends() {
	perf record -o "$tmp/data" "$load" spin="$ms" >"$tmp/out" 2>&1
	[ "$(max_precise)" = 0 ]
}

# The first recording of cycles ends precise samples. The next one has others.
test_record_falls_back() {
	[ "$(max_precise)" != 0 ] || {
		fail "precise samples ended before the test"
		return
	}
	in_longer_tries ends || {
		fail "precise samples have not ended"
		return
	}
	in_longer_tries records_cycles
	[ -z "$failed" ] || return
	expect_at_least 20 "$(lines spin)" "samples of the load"
	evidence=$tmp/attr
	perf evlist -v -i "$tmp/data" >"$tmp/attr" 2>&1
	precise=$(sed -En 's/.* precise_ip: ([0-9]).*/\1/p' "$tmp/attr" | head -n 1)
	expect 0 "${precise:-0}" "precise_ip"
	expect 1 "$(dmesg | grep -c 'precise samples: off until reboot')" "lines in the log"
}

record_trace() {
	perf record --per-thread -e intel_bts//u -o "$tmp/data" "$load" spin="$ms" >"$tmp/out" 2>&1
}

trace_is_refused() {
	! record_trace
}

# The first recording of branches ends the trace. The next one is refused.
test_record_has_no_trace() {
	record_trace
	in_longer_tries trace_is_refused || {
		fail "the trace has not ended"
		return
	}
	evidence=$tmp/out
	expect_at_least 1 "$(grep -c "intel_bts.*doesn't support sampling" "$tmp/out")" "refusals"
	expect 1 "$(dmesg | grep -c 'trace of branches: off until reboot')" "lines in the log"
}

tests="record_falls_back record_has_no_trace"
[ $# -eq 0 ] || tests=$*
# shellcheck disable=SC2086 # a list of words
run_tests $tests
