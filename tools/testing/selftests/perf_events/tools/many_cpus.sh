#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Unmodified perf record around storms of forks, while CPUs go offline and online: of
# the whole machine, of the storms with an event for each CPU in each task, and with a
# clock. The storms run on CPUs that stay online, so every call that they make must be a
# sample, or counted as lost. For a machine with many CPUs; two are enough.
#
# shellcheck disable=SC2317 # the tests are called by name

# shellcheck source=perf_lib.sh
. "$(dirname "$(readlink -f "$0")")/perf_lib.sh"

rare=syscalls:sys_enter_getpriority

# The last quarter of the CPUs goes offline, at most eight of them.
present=$(nproc --all)
stay=$((present - present / 4))
[ "$stay" -lt "$present" ] || stay=$((present - 1))
gone=$((present - stay > 8 ? stay + 8 : present))
everybody=/sys/devices/system/cpu/online

# Each of 64 threads forks this number of children. Each child makes ten calls.
children=4
calls=$((64 * children * 10))

# storm - the command: storms, while CPUs go offline and online and their tasks move
storm() {
	cat <<-END
		taskset -c 0-$((stay - 1)) "$load" storms=$children &
		"$load" forks=20 &
		cpu=$stay
		while [ \$cpu -lt $gone ]; do
			echo 0 >/sys/devices/system/cpu/cpu\$cpu/online || exit
			taskset -c 0-$((stay - 1)) "$load" forks=1
			echo 1 >/sys/devices/system/cpu/cpu\$cpu/online || exit
			taskset -c \$cpu "$load" forks=1 || exit
			cpu=\$((cpu + 1))
		done
		wait
	END
}

# record_storm OPTION... - run perf record with these options around the storm
record_storm() {
	storm >"$tmp/storm"
	before=$(cat $everybody)
	record -m 16 "$@" -- sh "$tmp/storm" || return
	expect "$before" "$(cat $everybody)" "CPUs that are online"
	perf report -i "$tmp/data" --stats >"$tmp/report" 2>"$tmp/err" ||
		fail "perf report: status $?: $(head -n 3 "$tmp/err")"
	evidence=$tmp/report
}

# samples_and_lost - print the numbers of samples and of lost samples in the report
samples_and_lost() {
	awk '
		/stats:$/ && !/^Aggregated/ { event = 1 }
		event && /SAMPLES? events:/ { sum += $3 }
		END { print sum + 0 }
	' "$tmp/report"
}

test_whole_machine() {
	record_storm -a -e $rare -c 1 || return
	expect "$calls" "$(samples_and_lost)" "samples, and samples lost,"
}

# An event for each CPU in each task, and child events of all of them in each child.
test_each_task() {
	record_storm -e $rare -c 1 || return
	expect "$calls" "$(samples_and_lost)" "samples, and samples lost,"
}

test_clock() {
	record_storm -a -g -e cpu-clock -c 10000000 || return
	expect_between 100 10000000 "$(samples_and_lost)" "samples of all clocks"
	script comm,cpu,ip,sym || return
	expect_between 1 10000000 "$(lines '^perf_load ')" "samples of the storms"
}

run_tests whole_machine each_task clock
