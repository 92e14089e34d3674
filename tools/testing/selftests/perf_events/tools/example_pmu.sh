#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The example of Documentation/perf/adding-a-pmu.rst, the module clock_pmu: perf finds its
# event by name, it counts the time that a task runs, it refuses what it cannot do, and it
# stays loaded while an event is open. Needs a kernel with CONFIG_PERF_EVENTS_FAKE_PMU=m, and
# MODULES, the folder of clock_pmu.ko, unless modprobe finds it.
#
# shellcheck disable=SC2317,SC2154 # the tests are called by name; variables of perf_lib.sh

# shellcheck source=perf_lib.sh
. "$(dirname "$(readlink -f "$0")")/perf_lib.sh"

device=/sys/bus/event_source/devices/clock

load_module() {
	[ ! -d /sys/module/clock_pmu ] || return 0
	if [ -e "$MODULES/clock_pmu.ko" ]; then
		insmod "$MODULES/clock_pmu.ko"
	else
		modprobe clock_pmu
	fi
}

unload_module() {
	rmmod clock_pmu 2>/dev/null
}

# The module and the core count the same time, one after the other.
same_times() {
	perf stat -x, -o "$tmp/count" -e '{clock/ns/,task-clock}' "$load" spin=300 2>"$tmp/err"
	ns=$(awk -F, '$3 == "clock/ns/" { print $1 }' "$tmp/count")
	ms=$(awk -F, '$3 ~ /task-clock/ { print int($1) }' "$tmp/count")
	[ $((ms - ns / 1000000)) -le 20 ] && [ $((ns / 1000000 - ms)) -le 20 ]
}

test_counts() {
	load_module || fail "it cannot be loaded"
	in_some_try same_times || fail "$ns ns of the module, $ms ms of task-clock"
	expect_at_least 1000000 "$ns" nanoseconds
}

# A host that stops the machine before the task sleeps makes that time count.
sleeps_uncounted() {
	perf stat -x, -o "$tmp/count" -e clock/ns/,duration_time sleep 2 2>"$tmp/err"
	ns=$(awk -F, '$3 == "clock/ns/" { print $1 }' "$tmp/count")
	all=$(awk -F, '$3 == "duration_time" { print $1 }' "$tmp/count")
	between 1 $((all - 1500000000)) "$ns"
}

test_a_sleep_is_not_counted() {
	load_module
	in_some_try sleeps_uncounted || fail "$ns of $all nanoseconds"
}

# refused WORD COMMAND... - check that perf does not get its event, and that the kernel names
# the attribute. The tracepoint reports what was refused; perf reports only an errno.
refused() {
	word=$1
	shift
	echo >"$refusals/trace"
	"$@" >"$tmp/out" 2>&1
	grep -q "field=$word " "$refusals/trace" || fail "$*: the kernel does not name $word"
}

test_refuses() {
	load_module
	refusals=/sys/kernel/tracing/instances/example_pmu
	mkdir "$refusals"
	echo 1 >"$refusals/events/perf/perf_event_refused/enable"
	refused config perf stat -e clock/event=1/ true
	said '.*<not supported>' "$tmp/out" || fail "event 1 counts"
	refused config1 perf stat -e clock/config1=1/ true
	refused precise_ip perf stat -e clock/ns/p true
	refused sample_type perf record -b -o "$tmp/data" -e clock/ns/ -c 1000 true
	refused exclude perf stat -e clock/ns/u true
	said '.*<not supported>' "$tmp/out" || fail "user mode counts apart"
	refused sample_period perf record -o "$tmp/data" -e clock/ns/ -c 1000 true
	rmdir "$refusals"
}

# uses NUMBER - check that more events than that are open
uses() {
	awk -v than="$1" '$1 == "clock_pmu" { nr = $3 } END { exit !(nr > than) }' \
		/proc/modules
}

# interrupted PID - interrupt perf again if it was about to sleep
interrupted() {
	kill -INT "$1" 2>/dev/null
	case $(awk '/^State/ { print $2 }' "/proc/$1/status" 2>/dev/null) in
	Z | "") ;;
	*) return 1 ;;
	esac
}

test_stays_while_it_is_used() {
	load_module
	perf stat -a -e clock/ns/ 2>"$tmp/err" &
	perf_pid=$!
	until_true uses 0
	unload_module && fail "unloaded under an event"
	until_true interrupted $perf_pid
	wait $perf_pid
	until_true unload_module
	[ ! -e $device ] || fail "the device is still there"
	load_module
	[ -e $device ] || fail "there is no device"
}

[ -e "$MODULES/clock_pmu.ko" ] || modinfo clock_pmu >/dev/null 2>&1 || {
	ktap_skip_all "there is no clock_pmu.ko: CONFIG_PERF_EVENTS_FAKE_PMU"
	exit "$KSFT_SKIP"
}
run_tests counts a_sleep_is_not_counted refuses stays_while_it_is_used
