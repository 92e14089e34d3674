#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The fake PMU as a module: perf finds its events by name, the module stays loaded while
# an event is open, and it can be loaded and unloaded repeatedly. Needs a kernel with
# CONFIG_PERF_EVENTS_FAKE_PMU=m, and MODULES, the folder of fake_pmu.ko, unless modprobe
# finds it.
#
# shellcheck disable=SC2317,SC2086 # the tests are called by name; lists of words

# shellcheck source=perf_lib.sh
. "$(dirname "$(readlink -f "$0")")/perf_lib.sh"

rounds=${FAKE_MODULE_ROUNDS:-2}
poke=/sys/kernel/debug/fake_pmu/poke

load_module() {
	if [ -e "$MODULES/fake_pmu.ko" ]; then
		insmod "$MODULES/fake_pmu.ko" "$@"
	else
		modprobe fake_pmu "$@"
	fi
}

unload_module() {
	rmmod fake_pmu 2>/dev/null
}

# One event begins and ends before the other: on a busy host the machine may not run in
# between.
same_times() {
	perf stat -x, -o "$tmp/count" -e fake/ns/,fake/ms/ "$load" spin=300 2>"$tmp/err"
	ns=$(awk -F, '$3 == "fake/ns/" { print $1 }' "$tmp/count")
	ms=$(awk -F, '$3 == "fake/ms/" { print $1 }' "$tmp/count")
	[ $((ms - ns / 1000000)) -le 20 ] && [ $((ns / 1000000 - ms)) -le 20 ]
}

test_names() {
	[ ! -d /sys/module/fake_pmu ] || until_true unload_module
	load_module || fail "it cannot be loaded"
	in_some_try same_times || fail "$ns nanoseconds, $ms milliseconds"
	expect_between 1000000 100000000000 "$ns" nanoseconds
	until_true unload_module
	[ ! -e /sys/bus/event_source/devices/fake ] || fail "the device is still there"
}

# more_events NUMBER - check that more events than that are open
more_events() {
	awk -v than="$1" '$1 == "fake_pmu" { nr = $3 } END { exit !(nr > than) }' \
		/proc/modules
}

# Record samples. There must be some.
sample() {
	perf record -q -B -N -o "$tmp/data" -e fake/poke/ -c 10 \
		sh -c "for i in 1 2 3 4 5; do echo 100 >$poke; done; sleep 600" &
	perf_pid=$!
	until_true more_events 0
}

# On all CPUs: with a command perf would wait for the end of the command.
count() {
	used=$(awk '$1 == "fake_pmu" { print $3 }' /proc/modules)
	perf stat -a -e fake/ns/,fake/poke/ 2>"$tmp/err" &
	stat_pid=$!
	until_true more_events "$used"
}

# interrupted PID - interrupt perf again if it was about to sleep
interrupted() {
	kill -INT "$1" 2>/dev/null
	case $(awk '/^State/ { print $2 }' "/proc/$1/status" 2>/dev/null) in
	Z | "") ;;
	*) return 1 ;;
	esac
}

# interrupt PID... - end the processes
interrupt() {
	for pid; do
		until_true interrupted "$pid"
		wait "$pid"
	done
}

test_stays_while_it_is_used() {
	load_module
	sample
	unload_module && fail "unloaded under an event"
	interrupt $perf_pid
	until_true unload_module
}

test_again_and_again() {
	i=0
	while [ $i -lt "$rounds" ]; do
		load_module counters=$((1 + i % 8))
		sample
		count
		unload_module && fail "round $i: unloaded under an event"
		echo 1000 >$poke
		interrupt $perf_pid $stat_pid
		until_true unload_module || break
		i=$((i + 1))
	done
	[ ! -e $poke ] || fail "$poke is still there"
}

# The next tests need the module loaded.
test_load() {
	load_module
	[ -e $poke ] || fail "there is no $poke"
	[ -e /sys/bus/event_source/devices/fake ] || fail "there is no device"
}

[ -d /sys/module/fake_pmu ] && [ ! -e /sys/module/fake_pmu/initstate ] && {
	ktap_skip_all "the fake PMU is built in"
	exit "$KSFT_SKIP"
}
[ -e "$MODULES/fake_pmu.ko" ] || modinfo fake_pmu >/dev/null 2>&1 || {
	ktap_skip_all "there is no fake_pmu.ko: CONFIG_PERF_EVENTS_FAKE_PMU"
	exit "$KSFT_SKIP"
}
[ -d /sys/kernel/debug/perf_events ] || mount -t debugfs debugfs /sys/kernel/debug
run_tests names stays_while_it_is_used again_and_again load
