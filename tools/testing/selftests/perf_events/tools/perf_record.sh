#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The unmodified perf record of the distribution, with perf script and perf report to
# read its recordings: samples of clocks, faults, tracepoints, probes and breakpoints,
# side-band records, and the ways to read a buffer. Numbers that are known, or counted
# in another way, must match exactly. The number of samples of a clock depends on the
# time that an emulated machine gets from its host: there only names and callchains are
# checked.
#
# shellcheck disable=SC2317,SC2086 # the tests are called by name; lists of words

# shellcheck source=perf_lib.sh
. "$(dirname "$(readlink -f "$0")")/perf_lib.sh"

rare=syscalls:sys_enter_getpriority
every_ms="-e cpu-clock -c 1000000"

# chains NAME... - print "N of M": of M callchains with the first function, N have the
# other functions as its callers, in this order
chains() {
	awk -v names="$*" '
		BEGIN { nr = split(names, name, " "); RS = ""; FS = "\n" }
		{
			next_one = 1
			for (i = 2; i <= NF; i++) {
				split($i, word, " ")
				if (word[2] == name[next_one])
					next_one++
			}
			all += next_one > 1
			good += next_one > nr
		}
		END { print good + 0, "of", all + 0 }
	' "$tmp/script"
}

# records_spin OPTION... - record a load that spins, with a sample each millisecond
records_spin() {
	record "$@" $every_ms "$load" spin=$ms || return
	script comm,period,ip,sym || return
	got=$(chains spin_inner)
	at_least 20 "${got#* of }"
}

record_spin() {
	in_longer_tries records_spin "$@"
	[ -z "$failed" ]
}

# expect_chains NAME... - expect ten complete callchains at least, and most of all complete. A
# sample at the start of a function, before it has a frame, has an incomplete callchain.
expect_chains() {
	got=$(chains "$@")
	expect_at_least 10 "${got% of *}" "whole chains in $1, $got"
	expect_at_least "$((${got#* of } / 2))" "${got% of *}" "whole chains in $1, $got"
}

# need_registers - set $registers to the names of those of a frame on this architecture
need_registers() {
	case $(uname -m) in
	x86_64) registers=bp,sp,ip ;;
	aarch64) registers=x29,lr,sp,pc ;;
	*)
		skipped="which registers does $(uname -m) have?"
		return 1
		;;
	esac
}

test_frame_pointers() {
	record_spin -g || return
	expect_chains spin_inner spin_middle spin_outer do_spin main
	perf report -i "$tmp/data" --stdio --no-children -g none >"$tmp/report" 2>&1
	# On a busy host the first lines may be functions of the kernel.
	first=$(awk '/^ +[0-9.]+%.* \[\.\] / { print $NF; exit }' "$tmp/report")
	expect spin_inner "$first" "the first function of the program in perf report"
	# A chain that starts in the kernel continues in the program.
	record -g -e page-faults -c 1 "$load" faults=100 || return
	script comm,ip,sym || return
	expect "100 of 100" "$(chains touch_pages do_faults main)" "chains of faults"
	record -g -e $rare -c 1 "$load" getpriority=20 || return
	script comm,ip,sym || return
	expect "20 of 20" "$(chains syscall main)" "chains of system calls"
}

test_unwind() {
	need_registers || return
	record_spin --call-graph dwarf --user-regs=$registers || return
	expect_chains spin_inner spin_middle spin_outer do_spin main
	record --call-graph dwarf,1024 --user-regs=$registers \
		-e page-faults -c 1 "$load" faults=50 || return
	script comm,ip,sym || return
	expect "50 of 50" "$(chains touch_pages do_faults main)" "chains of faults"
}

# milliseconds COMM - print the number of milliseconds with a sample. Work of a tenth of
# a second can take seconds in QEMU, probably if a page of the stack has contained code.
milliseconds() {
	awk -v comm="$1" '
		$1 == comm { first = first ? first : $2 + 0; last = $2 + 0 }
		END { print int((last - first) * 1000) + 3 }
	' "$tmp/script"
}

# On a busy host a thread may get none of the timer's interrupts.
records_threads() {
	record -e cpu-clock -F 997 "$load" spinners=4 || return
	expect 4 "$(records FORK)" "threads begun"
	expect 5 "$(records EXIT)" "threads ended"
	# COMM records of perf before its exec, of the program, of each thread.
	expect 6 "$(records COMM)" names
	script comm,time,ip,sym || return
	for thread in spin-1 spin-2 spin-3 spin-4; do
		at_least 1 "$(lines "^ *$thread .* spin_inner")" || return
	done
}

test_threads() {
	in_some_try records_threads
	for thread in spin-1 spin-2 spin-3 spin-4; do
		expect_between 1 "$(milliseconds "$thread")" \
			"$(lines "^ *$thread .* spin_inner")" "samples of $thread"
	done
	perf report -i "$tmp/data" --stdio --sort comm >"$tmp/report" 2>&1
	expect 4 "$(grep -c -E '% +spin-[1-4] *$' "$tmp/report")" \
		"threads in perf report"
}

records_all_cpus() {
	words=
	for cpu in $(seq 0 $((cpus - 1))); do
		words="$words pin=$cpu spin=$ms"
	done
	record -a -e cpu-clock -F 997 "$load" $words || return
	script comm,cpu,ip,sym || return
	for cpu in $(seq 0 $((cpus - 1))); do
		at_least 1 "$(lines "perf_load +\[00$cpu\] .* spin_")" || return
	done
	[ "$cpus" = 1 ] || at_least 1 "$(lines swapper)"
}

# The exec was on another CPU, so perf may not know the new name.
records_cpu_1() {
	record -C 1 -e cpu-clock -F 997 "$load" pin=0 spin=$ms pin=1 spin=$ms || return
	script comm,cpu,ip,sym || return
	at_least 1 "$(lines '(perf-exec|perf_load) +\[001\]')"
}

test_all_cpus() {
	cpus=$(awk '/^processor/ { nr++ } END { print nr }' /proc/cpuinfo)
	[ "$cpus" -le 4 ] || cpus=4
	in_longer_tries records_all_cpus || {
		fail "no samples of the load on each CPU, and of idle CPUs"
		return
	}
	[ "$cpus" = 1 ] && return
	in_longer_tries records_cpu_1 || fail "no samples of CPU 1"
	expect 0 "$(lines '\[00[^1]\]')" "samples of other CPUs"
}

# Two runs have the same faults, unless the kernel has taken pages of the program in between.
samples_every_fault() {
	record -d -e page-faults -c 1 "$load" faults=500 || return
	script comm,addr,ip,sym || return
	faults=$(counted page-faults faults=500)
	[ "$(lines perf_load)" = "$faults" ]
}

test_every_fault() {
	when_nothing_is_reclaimed samples_every_fault ||
		fail "$(lines perf_load) samples of faults, a count of $faults"
	expect 500 "$(lines touch_pages)" "samples in the function that faults"
	expect 500 "$(awk '/touch_pages/ { print $2 }' "$tmp/script" | sort -u | wc -l)" \
		"different addresses"
	expect 0 "$(awk '/touch_pages/ && $2 !~ /000$/' "$tmp/script" | wc -l)" \
		"addresses that are not those of pages"
}

samples_every_tenth_fault() {
	record --per-thread -e page-faults -c 10 "$load" faults=500 || return
	faults=$(counted page-faults faults=500)
	[ "$(records SAMPLE)" = $((faults / 10)) ]
}

test_every_tenth_fault() {
	when_nothing_is_reclaimed samples_every_tenth_fault ||
		fail "$(records SAMPLE) samples, a count of $faults"
	script period || return
	expect "$(records SAMPLE)" "$(lines '^ *10 *$')" "samples that stand for ten"
}

test_every_call() {
	record -e $rare -c 1 "$load" getpriority=1000 || return
	expect 1000 "$(records SAMPLE)" samples
	record -a -e $rare -c 1 "$load" getpriority=2000 || return
	expect 2000 "$(records SAMPLE)" "samples of the whole system"
	record -e $rare -c 1 sh -c "'$load' getpriority=10 | '$load' getpriority=20 &
		'$load' getpriority=40; wait" || return
	expect 70 "$(records SAMPLE)" "samples of a pipeline"
}

# An existing process, recorded while perf runs.
test_pid() {
	start_load pin=0 resident say=ready wait faults=300 say=a wait faults=50 \
		say=b wait || return
	start_control record -o "$tmp/data" -d -e page-faults -c 1 -p "$load_pid" ||
		return
	control enable
	kill -USR1 "$load_pid"
	until_true said a "$tmp/load"
	control disable
	kill -USR1 "$load_pid"
	until_true said b "$tmp/load"
	end_control
	script comm,addr,ip,sym || return
	expect 300 "$(lines .)" "faults while enabled"
	expect 300 "$(lines touch_pages)" "faults in the function by name"
}

# ended PID - check whether a child of this shell has exited, waited for or not
ended() {
	case $(sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null) in
	Z | "") ;;
	*) false ;;
	esac
}

# perf runs as long as there is a descendant, and then exits.
test_pid_outlived() {
	start_load say=ready wait getpriority=3 outlive say=child wait getpriority=5 ||
		return
	start_control record -o "$tmp/data" -e $rare -c 1 -p "$load_pid" || return
	control enable
	kill -USR1 "$load_pid"
	wait "$load_pid"
	until_true said child "$tmp/load" || return
	kill -USR1 "$(load_says child)"
	until_true ended "$perf_pid" || kill "$perf_pid"
	wait "$perf_pid" ||
		fail "perf record: status $?: $(head -n 3 "$tmp/err")"
	expect 8 "$(records SAMPLE)" "samples of the process and of its child"
}

test_switch_events() {
	record --switch-events -e context-switches -c 1 "$load" sleeps=20 || return
	script comm,event,ip,sym --show-switch-events || return
	switches=$(lines context-switches)
	expect_at_least 20 "$switches" switches
	expect "$switches" "$(lines 'SWITCH OUT')" "records of going"
	expect "$switches" "$(lines 'SWITCH IN')" "records of coming"
	# Between two calls of the load. When it execs and exits, it has another name in the
	# tracepoint than in the record, and perf disables one event before the other.
	record -a --switch-events -e sched:sched_switch,$rare -c 1 \
		"$load" getpriority=1 sleeps=20 getpriority=1 || return
	script comm,event,trace --show-switch-events || return
	awk '/sys_enter_getpriority:/ { between = !between } between' "$tmp/script" \
		>"$tmp/between"
	mv "$tmp/between" "$tmp/script"
	switches=$(lines 'sched_switch: prev_comm=perf_load')
	expect_at_least 20 "$switches" "switches of the whole system"
	expect "$switches" "$(lines 'perf_load .*SWITCH_CPU_WIDE OUT')" \
		"records of going, of the whole system"
}

test_namespaces() {
	unshare -u true 2>/dev/null || {
		skipped="no namespace of its own to be had"
		return
	}
	record --namespaces -e dummy unshare -u readlink /proc/self/ns/uts || return
	# From perf itself at the start, and at the call.
	expect 2 "$(records NAMESPACES)" records
	script comm --show-namespace-events || return
	number=$(sed -n 's/uts:\[\(.*\)\]/\1/p' "$tmp/out")
	expect 1 "$(lines "uts: [0-9]+/0x$(printf '%x' "$number")")" \
		"records with the new namespace's number"
}

# load_in_report - print the number of lines that the report has of the load in its group
load_in_report() {
	perf report -i "$tmp/data" --stdio --sort cgroup,comm >"$tmp/report" 2>&1
	grep -c -E '% +/perfrecord-a/in +perf_load' "$tmp/report"
}

records_new_cgroup() {
	[ ! -d "$hierarchy/perfrecord-a/in" ] || rmdir "$hierarchy/perfrecord-a/in"
	record -a --all-cgroups -e cpu-clock -F 997 sh -c "
		mkdir $hierarchy/perfrecord-a/in
		$(in_cgroup perfrecord-a/in spin=$ms)" || return
	[ "$(load_in_report)" = 1 ]
}

test_cgroups() {
	need_cgroups perfrecord-a || return
	in_longer_tries records_new_cgroup
	[ -z "$failed" ] || return
	expect 1 "$(load_in_report)" "lines of the load in its group"
	script comm --show-cgroup-events || return
	number=$(stat -c %i "$hierarchy/perfrecord-a/in")
	expect 1 "$(lines "CGROUP cgroup: $number /perfrecord-a/in")" \
		"records of the group that was made"
	expect 1 "$(lines "CGROUP cgroup: [0-9]+ /perfrecord-a$")" \
		"records of the group that was there"
}

test_sched_tracepoints() {
	record -e 'sched:*' -c 1 "$load" forks=20 || return
	script event || return
	for event in process_fork process_wait wakeup_new; do
		expect 20 "$(lines "sched:sched_$event:")" $event
	done
	expect 1 "$(lines sched:sched_process_exec:)" "programs executed"
	expect_at_least 1 "$(lines sched:sched_switch:)" switches
}

test_filters() {
	record -e 'syscalls:sys_enter_*' --filter 'common_pid > 1' \
		"$load" getpriority=50 || return
	script event || return
	expect 50 "$(lines $rare:)" "calls, among all system calls"
	expect 1 "$(lines syscalls:sys_enter_exit_group:)" "calls of the end"
	record -e $rare --filter 'which == 0 && who == 0' "$load" getpriority=30 || return
	expect 30 "$(records SAMPLE)" "calls that pass the filter"
	record -e $rare --filter 'who == 1' "$load" getpriority=30 || return
	expect 0 "$(records SAMPLE)" "calls that do not"
}

test_probes() {
	for probe in "kernel_clone" "-x $load fork_once" "-x $load fork_once%return"; do
		perf probe -q $probe 2>"$tmp/err" ||
			fail "perf probe $probe: $(head -n 3 "$tmp/err")"
	done
	record -g -e 'probe:*,probe_perf_load:*' -c 1 "$load" forks=17 &&
		script comm,event,ip,sym
	for event in probe:kernel_clone probe_perf_load:fork_once \
		probe_perf_load:fork_once__return; do
		expect 17 "$(lines "$event:")" $event
	done
	chained=$(chains do_forks main)
	expect "${chained% of *}" "${chained#* of }" "chains, all of them whole"
	perf probe -q -d 'probe:kernel_clone*' -d 'probe_perf_load:*' 2>"$tmp/err" ||
		fail "perf probe -d: $(head -n 3 "$tmp/err")"
}

# clones - print "N entries, M hits": what the breakpoint at the begin of kernel_clone() saw of
# the load. Hits with no child in between are one entry: if the CPU is interrupted at the
# instruction before it is executed, the breakpoint may hit again when the interrupt returns.
# On arm64, where the kernel steps over the breakpoint, each interrupt at that moment does that.
clones() {
	awk '
		$1 == "perf_load" && /PERF_RECORD_FORK/ { again = 0 }
		$1 == "perf_load" && $NF == "kernel_clone" { hits++; entries += !again; again = 1 }
		END { print entries + 0, "entries,", hits + 0, "hits" }
	' "$tmp/script"
}

test_breakpoint() {
	address=$(awk '$3 == "kernel_clone" { print $1; exit }' /proc/kallsyms)
	perf stat -a -e "mem:0x$address:x" true >"$tmp/out" 2>&1 || {
		skipped="no breakpoints here: $(grep . "$tmp/out" | head -n 2)"
		return
	}
	record -a -e "mem:0x$address:x" -c 1 "$load" forks=7 || return
	script comm,tid,cpu,time,ip,sym --show-task-events || return
	seen=$(clones)
	expect 7 "${seen%% *}" "entries of kernel_clone()"
	[ "$seen" = "7 entries, 7 hits" ] || {
		echo "# breakpoint: $seen:"
		grep -E "kernel_clone|PERF_RECORD_FORK" "$tmp/script" | sed 's/^/# /'
	}
}

# The last pages, without a gap. The first ones were overwritten.
test_overwrite() {
	record --overwrite -m 4 -d -e page-faults -c 1 "$load" pin=0 faults=1000 || return
	script comm,addr || return
	expect_between 200 500 "$(lines .)" "samples kept, in 16 KiB of one CPU or two"
	before=
	gaps=0
	# The program may fault a few times after its pages, when it exits.
	for address in $(tail -n 200 "$tmp/script" | head -n 190 | awk '{ print $2 }'); do
		[ -z "$before" ] || [ $((0x$address - 0x$before)) = "$page_size" ] ||
			gaps=$((gaps + 1))
		before=$address
	done
	expect 0 $gaps "gaps between the pages"
}

# Samples that do not fit are lost, and counted as lost.
test_lost() {
	record -m 1 -e raw_syscalls:sys_enter -c 1 "$load" pin=0 getpid=20000 || return
	calls=$(counted raw_syscalls:sys_enter pin=0 getpid=20000)
	perf report -i "$tmp/data" --stats >"$tmp/report" 2>/dev/null
	evidence=$tmp/report
	# The end of the task may be lost, too.
	expect_between "$calls" $((calls + 5)) "$(awk '
		/stats:$/ && !/^Aggregated/ { event = 1 }
		event && /SAMPLES? events:/ { sum += $3 }
		END { print sum + 0 }
	' "$tmp/report")" "samples, and samples lost,"
	lost=$(awk '/LOST_SAMPLES events:/ { nr = $3 } END { print nr + 0 }' "$tmp/report")
	script event --show-lost-events || return
	expect_between 0 "$lost" "$(awk '/RECORD_LOST lost/ { sum += $NF }
		END { print sum + 0 }' "$tmp/script")" "lost by records"
}

# A sample of a function that spins has registers of user mode.
records_registers() {
	record --intr-regs=$registers $every_ms "$load" spin=$ms || return
	script ip,sym,iregs || return
	at_least 1 "$(lines ' spin_')"
}

test_registers() {
	need_registers || return
	in_longer_tries records_registers
	[ -z "$failed" ] || return
	awk '$2 ~ /^spin_/ {
		all++
		for (i = 3; i <= NF; i++)
			if (tolower($i) == "ip:0x" $1 || $i == "pc:0x" $1)
				good++
	} END { print good + 0, "of", all + 0 }' "$tmp/script" >"$tmp/same"
	read -r good _ all <"$tmp/same"
	expect_at_least 1 "$all" samples
	expect "$all" "$good" "samples with the address in the register"
}

# The sample of a leader has the counts of the members. There is a group for each CPU: the
# load must not leave the CPU before the sample that follows its faults.
records_group() {
	record -e '{cpu-clock,page-faults}:S' -c 1000000 "$load" pin=0 faults=200 spin=$ms ||
		return
	script event,period || return
	faults=$(awk '/page-faults/ { sum += $1 } END { print sum + 0 }' "$tmp/script")
	all=$(counted page-faults pin=0 faults=200 spin=$ms)
	between 200 "$all" "$faults"
}

test_group() {
	in_longer_tries records_group
	expect_between 200 "$all" "$faults" "faults that the leader's samples saw"
}

records_to_a_pipe() {
	all=$(counted page-faults faults=300)
	perf record -q -o - -e page-faults -c 1 "$load" faults=300 2>"$tmp/err" |
		perf script -i - -F comm,event >"$tmp/script" 2>"$tmp/err"
	[ "$(lines page-faults)" = "$all" ]
}

# records_with OPTION
records_with() {
	all=$(counted page-faults faults=300)
	record "$1" -e page-faults -c 1 "$load" faults=300 || return
	[ "$(records SAMPLE)" = "$all" ]
}

test_ways_out() {
	when_nothing_is_reclaimed records_to_a_pipe || fail "$(lines page-faults) of $all samples through a pipe"
	for option in -z --aio --threads; do
		when_nothing_is_reclaimed records_with $option ||
			fail "$(records SAMPLE) of $all samples with $option"
	done
}

test_switch_output() {
	start_load pin=0 resident say=ready wait faults=100 say=a wait faults=30 \
		say=b wait || return
	rm -rf "$tmp"/data*
	start_control record --switch-output=signal -o "$tmp/data" -e page-faults -c 1 \
		-p "$load_pid" || return
	control enable
	kill -USR1 "$load_pid"
	until_true said a "$tmp/load"
	# perf reads the buffer once more before it handles the signal
	control ping || return
	kill -USR2 "$perf_pid"
	until_true said "\[ perf record: Dump" "$tmp/err"
	kill -USR1 "$load_pid"
	until_true said b "$tmp/load"
	end_control
	samples=
	for file in "$tmp"/data.*; do
		mv "$file" "$tmp/data"
		samples="$samples $(records SAMPLE)"
	done
	expect " 100 30" "$samples" "samples in the two files"
}

tests="frame_pointers unwind threads all_cpus every_fault every_tenth_fault
every_call pid pid_outlived switch_events namespaces cgroups sched_tracepoints filters
probes breakpoint overwrite lost registers group ways_out switch_output"

page_size=$(getconf PAGESIZE 2>/dev/null || echo 4096)
# Arguments select tests by name.
[ $# -eq 0 ] || tests=$*
run_tests $tests
