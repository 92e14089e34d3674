#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Unmodified programs of the distribution that use samples: perf top, trace, sched,
# lock, mem, kmem, timechart; bpftrace; stress-ng. perf_record.sh tests the details of
# samples.
#
# shellcheck disable=SC2317,SC2086 # the tests are called by name; lists of words

# shellcheck source=perf_lib.sh
. "$(dirname "$(readlink -f "$0")")/perf_lib.sh"

test_top() {
	"$load" spin=6000000 &
	load_pid=$!
	# perf top reads its keys from here; q ends it. The timeout is the last resort.
	timeout 1200 perf top --stdio -e cpu-clock -F 99 -d 1 <&5 >"$tmp/top" 2>"$tmp/err" &
	perf_pid=$!
	until_true grep -q '%  *perf_load .*spin_inner' "$tmp/top"
	echo q >&5
	wait $perf_pid || fail "perf top: status $?: $(head -n 3 "$tmp/err")"
	kill $load_pid
	wait $load_pid 2>/dev/null
}

test_trace() {
	evidence=$tmp/script
	perf trace -o "$tmp/script" -e getpriority "$load" getpriority=5 ||
		fail "perf trace: status $?"
	expect 5 "$(lines 'getpriority\(')" calls
	perf trace -s -o "$tmp/script" "$load" getpriority=70 forks=3 ||
		fail "perf trace -s: status $?"
	expect 70 "$(awk '$1 == "getpriority" { print $2 }' "$tmp/script")" \
		"calls in the summary"
	perf trace -F all --no-syscalls -o "$tmp/script" "$load" faults=20 ||
		fail "perf trace -F: status $?"
	expect 20 "$(lines 'minfault \[touch_pages')" faults
}

test_sched() {
	perf sched record -q -o "$tmp/data" "$load" sleeps=10 forks=2 \
		>"$tmp/out" 2>"$tmp/err" ||
		fail "perf sched record: status $?: $(head -n 3 "$tmp/err")"
	evidence=$tmp/script
	perf sched latency -p -i "$tmp/data" >"$tmp/script" 2>"$tmp/err"
	expect 3 "$(lines '^ *perf_load:[0-9]')" "processes of the load"
	perf sched timehist -i "$tmp/data" >"$tmp/script" 2>"$tmp/err"
	expect_at_least 10 "$(lines perf_load)" "lines of the load in the history"
}

test_lock() {
	perf lock record -q -o "$tmp/data" "$load" contend >"$tmp/out" 2>"$tmp/err" ||
		fail "perf lock record: $(head -n 3 "$tmp/err")"
	evidence=$tmp/script
	perf lock -i "$tmp/data" contention >"$tmp/script" 2>&1
	expect_between 1 10 "$(awk '$8 == "mutex" && /vfs_read|tty_read/ { nr += $1 }
		END { print nr + 0 }' "$tmp/script")" "waits for the terminal's mutex"
}

test_kmem() {
	(cd "$tmp" && perf kmem --slab record "$load" forks=5) >"$tmp/out" 2>&1 ||
		fail "perf kmem record: $(tail -n 3 "$tmp/out")"
	evidence=$tmp/script
	(cd "$tmp" && perf kmem --slab stat) >"$tmp/script" 2>&1
	expect_between 1000 1e12 "$(awk '/^Total bytes requested/ {
		gsub(",", ""); print $NF }' "$tmp/script")" "bytes requested"
}

test_timechart() {
	(cd "$tmp" && perf timechart record "$load" sleeps=5 spin=20 &&
		perf timechart -o "$tmp/chart.svg") >"$tmp/out" 2>&1 ||
		fail "perf timechart: $(tail -n 3 "$tmp/out")"
	grep -q perf_load "$tmp/chart.svg" || fail "the load is not in the chart"
}

counts_by_bpf() {
	bpftrace -c "$load spin=$ms faults=500" -e '
		profile:hz:99 /comm == "perf_load"/ { @hz = count(); }
		software:page-faults:1 /comm == "perf_load"/ { @faults = count(); }
		tracepoint:syscalls:sys_exit_getpriority { @never = count(); }
		uprobe:'"$load"':spin_outer { @once = count(); }
	' >"$tmp/script" 2>&1 || {
		fail "bpftrace: status $?"
		return
	}
	at_least 1 "$(of_bpf hz)"
}

# of_bpf NAME - print the count of that name
of_bpf() {
	awk -v name="@$1:" '$1 == name { print $2 }' "$tmp/script"
}

test_bpftrace() {
	command -v bpftrace >/dev/null || {
		skipped="no bpftrace here"
		return
	}
	evidence=$tmp/script
	in_longer_tries counts_by_bpf
	expect_between 1 100000 "$(of_bpf hz)" ticks
	# From the change of the name on, in the middle of the exec.
	faults=$(counted page-faults faults=500)
	expect_between $((faults - 20)) $((faults + 20)) "$(of_bpf faults)" faults
	expect 1 "$(of_bpf once)" "calls of a function"
}

test_stress_ng() {
	command -v stress-ng >/dev/null || {
		skipped="no stress-ng here"
		return
	}
	evidence=$tmp/script
	(cd "$tmp" && stress-ng --fork 1 --fork-ops 50 --perf) >"$tmp/script" 2>&1 ||
		fail "stress-ng: status $?"
	expect_at_least 50 "$(awk '/ Page Faults Minor / { gsub(",", ""); print $4 }' \
		"$tmp/script")" "page faults"
	expect_at_least 50 "$(awk '/ Sched Proc Fork / { gsub(",", ""); print $4 }' \
		"$tmp/script")" forks
}

tests="top trace sched lock kmem timechart bpftrace stress_ng"

# Arguments select tests by name.
[ $# -eq 0 ] || tests=$*
run_tests $tests
