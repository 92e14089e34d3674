#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Check the performance events of a real machine, and write one report.
#
#	perf-events-check.sh [-o REPORT] [-a OTHER-REPORT] [-s SECONDS] [--hotplug] [--suspend]
#
# -o	where the report is written; default perf-events-report.txt
# -a	a report of the same machine with another kernel, such as the stock kernel: results
#	that differ are listed
# -s	for how many seconds interrupts are checked under load; default 60
# --hotplug	take a CPU offline and online
# --suspend	suspend to memory for some seconds, and check that counters go on
#
# Must run as root. The report has CPUID, the kernel's boot messages about performance events,
# the PMUs, and results. It has no names of hosts or users, no addresses and no serial numbers.
# A result is PASS, FAIL, or ABSENT: not on this machine. The exit status is 1 if one is FAIL.

report=perf-events-report.txt
other=
seconds=60
hotplug=
suspend=
tool=$(dirname "$0")/perf_check
devices=/sys/bus/event_source/devices

usage() {
	sed -n 's/^#\tperf-events-check/usage: perf-events-check/p' "$0" >&2
	exit 2
}

while [ $# -gt 0 ]; do
	case $1 in
	-o | -a | -s)
		[ $# -gt 1 ] || usage
		case $1 in
		-o) report=$2 ;;
		-a) other=$2 ;;
		-s) seconds=$2 ;;
		esac
		shift
		;;
	--hotplug) hotplug=--hotplug ;;
	--suspend) suspend=yes ;;
	*) usage ;;
	esac
	shift
done
case $seconds in '' | *[!0-9]*) usage ;; esac
if [ "$(id -u)" != 0 ]; then
	echo "perf-events-check: must run as root" >&2
	exit 2
fi
if [ -n "$other" ] && [ ! -r "$other" ]; then
	echo "perf-events-check: $other cannot be read" >&2
	exit 2
fi

# cpuid LEAF SUBLEAF - print EAX, EBX, ECX and EDX, if there is the driver for that. Leaf 3,
# a serial number, is never read.
cpuid() {
	words=$(dd if=/dev/cpu/0/cpuid bs=16 count=1 iflag=skip_bytes \
		skip=$(($1 + ($2 << 32))) 2>/dev/null | od -An -tx4) || return
	[ -n "$words" ] && echo "cpuid $1 $2:$words"
}

show_cpu() {
	sed -En '/^$/q
		/^(vendor_id|cpu family|model|stepping|microcode|CPU [a-z]*)[\t ]*:/p' /proc/cpuinfo
	[ -e /dev/cpu/0/cpuid ] || modprobe cpuid 2>/dev/null
	[ -e /dev/cpu/0/cpuid ] || return
	for leaf in 0x0 0x1 0xa 0x14 0x1a 0x1c 0x80000001 0x80000008 0x8000001b 0x80000022; do
		cpuid $leaf 0
	done
	for subleaf in 0 1; do cpuid 0x7 $subleaf; done
	for subleaf in 0 1 2 3 4 5; do cpuid 0x23 $subleaf; done
}

# Boot messages, without the time
show_boot() {
	dmesg 2>/dev/null | sed 's/^\[[^]]*\] *//' | grep -aiE \
		'performance events|^perf|pmu|rapl|amd.*ibs|ds buffer|branch record|lbr' |
		grep -av 'Command line' | head -n 60
}

show_pmus() {
	for pmu in "$devices"/*; do
		echo "pmu $(basename "$pmu")"
		for file in "$pmu"/cpumask "$pmu"/cpus "$pmu"/caps/* "$pmu"/format/*; do
			[ -f "$file" ] || continue
			echo "  ${file#"$pmu"/} = $(head -n 1 "$file")"
		done
		[ ! -d "$pmu/events" ] || echo "  events:" "$pmu"/events/* | sed "s,$pmu/events/,,g"
	done
}

# Counters must go on after a suspend: two runs of the checks that count
check_suspend() {
	if ! command -v rtcwake >/dev/null || ! grep -qw mem /sys/power/state; then
		echo "ABSENT suspend: no rtcwake, or no suspend to memory"
		return
	fi
	if ! rtcwake -q -m mem -s 10; then
		echo "ABSENT suspend: the machine does not suspend"
		return
	fi
	if "$tool" generic counters overflow >/dev/null; then
		echo "PASS suspend: counts and overflows as before"
	else
		echo "FAIL suspend: counts or overflows are wrong after it"
	fi
}

results() {
	# shellcheck disable=SC2086 # an option, or none
	"$tool" --seconds "$seconds" $hotplug
	if [ -n "$suspend" ]; then
		check_suspend
	else
		echo "ABSENT suspend: not requested"
	fi
}

# Results of another kernel that differ: "DIFFERS name: there FAIL, here PASS"
compare() {
	sed -n 's/^\(PASS\|FAIL\|ABSENT\) \([^:]*\):.*/\1\t\2/p' "$other" |
		while IFS="$(printf '\t')" read -r state name; do
			here=$(sed -n "s,^\(PASS\|FAIL\|ABSENT\) $name:.*,\1,p" "$report" |
				head -n 1)
			[ "$here" = "$state" ] ||
				echo "DIFFERS $name: there $state, here ${here:-no result}"
		done
}

{
	echo "perf-events-check: report"
	echo "kernel $(uname -srm)"
	echo
	echo "[cpu]"
	show_cpu
	echo
	echo "[boot]"
	show_boot
	echo
	echo "[pmus]"
	show_pmus
	echo
	echo "[results]"
} >"$report" || exit 2
results | tee -a "$report"
if [ -n "$other" ]; then
	{
		echo
		echo "[compared with $(sed -n 's/^kernel //p' "$other")]"
		compare
	} >"$report.compared"
	tee -a "$report" <"$report.compared"
	rm -f "$report.compared"
fi
failed=$(grep -c '^FAIL ' "$report")
echo "perf-events-check: $(grep -c '^PASS ' "$report") passed, $failed failed," \
	"$(grep -c '^ABSENT ' "$report") not on this machine; report: $report"
[ "$failed" = 0 ]
