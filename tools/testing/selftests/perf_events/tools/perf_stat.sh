#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The unmodified perf stat of the distribution, with software events and tracepoints: by
# task, thread, CPU and cgroup, in intervals, repeated, grouped, inherited, delayed and
# controlled. Numbers that are known, or that the kernel counts in another way, must
# match exactly.
#
# shellcheck disable=SC2317,SC2086 # the tests are called by name; lists of words

# shellcheck source=perf_lib.sh
. "$(dirname "$(readlink -f "$0")")/perf_lib.sh"

calls=syscalls:sys_enter_getpid
# A call that no other program makes, for system-wide counts.
rare=syscalls:sys_enter_getpriority
groups="perfstat-a perfstat-a/in perfstat-b"

# count OPTION... [--] COMMAND - run perf stat into $tmp/count, with one line per event
count() {
	evidence=$tmp/count
	perf stat -x, -o "$tmp/count" "$@" 2>"$tmp/err" || {
		fail "perf stat $*: status $?: $(head -n 3 "$tmp/err")"
		return 1
	}
}

# rows EVENT [FILE] - print the lines of an event, from its count on
rows() {
	awk -F, -v event="$1" '
		!/^#/ { for (i = 3; i <= NF; i++) if ($i == event) print }
	' "${2:-$tmp/count}"
}

# value EVENT [FILE] - print its count, or the sum of its counts
value() {
	awk -F, -v event="$1" '
		/^#/ { next }
		{ for (i = 3; i <= NF; i++) if ($i == event) {
			found = 1
			if ($(i - 2) !~ /^[0-9.]+$/) bad = $(i - 2)
			sum += $(i - 2)
		} }
		END {
			if (bad != "") print bad
			else if (!found) print "none"
			else printf (sum == int(sum) ? "%d\n" : "%.2f\n"), sum
		}
	' "${2:-$tmp/count}"
}

# value_with TEXT EVENT - print the count of the event in lines with a field TEXT
value_with() {
	awk -F, -v text="$1" '{ for (i = 1; i <= NF; i++) if ($i == text) print }' \
		"$tmp/count" >"$tmp/with"
	value "$2" "$tmp/with"
}

# start_stat OPTION... - start a perf stat in the background that is controlled by
# commands
start_stat() {
	evidence=$tmp/count
	start_control stat -x, -o "$tmp/count" "$@"
}

test_without_events() {
	count "$load" faults=100 burn=10
	for event in context-switches cpu-migrations page-faults; do
		expect_at_least 0 "$(value $event)" $event
	done
	expect_at_least 1 "$(value task-clock)" task-clock
	expect_between 100 1000 "$(value page-faults)" page-faults
}

test_task_tracepoint() {
	count -e $calls "$load" getpid=12345
	expect 12345 "$(value $calls)" calls
	count -e $calls "$load" getpid=0
	expect 0 "$(value $calls)" "calls of none"
}

# Without address space randomisation a program has the same faults each time.
faults_add_up() {
	faults=
	for pages in 1 1 2 4001; do
		count -e page-faults "$load" faults=$pages || return
		faults="$faults $(value page-faults)"
	done
	one=${faults##* }
	one=$((one - 4000))
	[ "$faults" = " $one $one $((one + 1)) $((one + 4000))" ]
}

test_task_faults() {
	when_nothing_is_reclaimed faults_add_up || fail "faults for 1, 1, 2 and 4001 pages:$faults"
	expect_between 10 500 "$one" "faults of a small program"
}

test_faults_by_kind() {
	count -e page-faults,minor-faults,major-faults,page-faults:u,page-faults:k \
		"$load" faults=500
	all=$(value page-faults)
	expect_between 500 1500 "$all" page-faults
	expect "$all" $(($(value minor-faults) + $(value major-faults))) \
		"minor and major faults"
	expect "$all" $(($(value page-faults:u) + $(value page-faults:k))) \
		"faults of user and kernel mode"
	expect_between 500 "$all" "$(value page-faults:u)" page-faults:u
}

# alone, in a group, and in one with another leader
groups_have_the_faults() {
	faults=
	for events in page-faults,context-switches '{page-faults,context-switches}' \
		'{context-switches,page-faults,dummy}'; do
		count -e "$events" "$load" faults=300 sleeps=20 || return
		faults="$faults $(value page-faults)"
		expect_at_least 20 "$(value context-switches)" "switches of $events"
	done
	expect 0 "$(value dummy)" dummy
	one=${faults##* }
	[ "$faults" = " $one $one $one" ]
}

test_group() {
	when_nothing_is_reclaimed groups_have_the_faults || fail "faults alone and in two groups:$faults"
}

kinds_have_the_faults() {
	count -e "{task-clock,page-faults,$calls,cpu-clock}" \
		"$load" getpid=111 faults=300 || return
	mixed=$(value page-faults)
	expect 111 "$(value $calls)" calls
	count -e page-faults "$load" getpid=111 faults=300 || return
	[ "$(value page-faults)" = "$mixed" ]
}

test_group_of_kinds() {
	when_nothing_is_reclaimed kinds_have_the_faults ||
		fail "$mixed faults beside clocks, $(value page-faults) alone"
}

test_sched_switch() {
	count -e '{sched:sched_switch,context-switches}' "$load" sleeps=50
	expect_at_least 50 "$(value sched:sched_switch)" switches
	expect "$(value sched:sched_switch)" "$(value context-switches)" \
		"event and tracepoint"
}

# The CPU time that the load sees includes the switches to it, an event's time does not. perf lets
# the load run before it reads the clock from which the duration counts. On an emulated machine
# that was interrupted when it measured its clocks at boot, the scheduler's clock and the time of
# day differ by a percent or two.
burns() {
	count -e dummy,task-clock,cpu-clock,duration_time "$load" burn=100 || return
	elapsed=$(awk -v ns="$(value duration_time)" 'BEGIN { print ns / 1e6 * 1.05 }')
	between 100 "$elapsed" "$(value task-clock)" &&
		between 100 "$elapsed" "$(value cpu-clock)"
}

# A sleeper is on the CPU until it has left it. That takes time of its sleep.
sleeps() {
	count -e task-clock,duration_time sleep 0.5 || return
	at_least 5e8 "$(value duration_time)" || return
	awake=$(awk -v ns="$(value duration_time)" 'BEGIN { print ns / 1e6 * 1.05 - 500 }')
	between 0 "$awake" "$(value task-clock)"
}

test_clocks() {
	in_some_try burns || fail "task-clock $(value task-clock), cpu-clock $(value cpu-clock)," \
		"expected 100 to $elapsed"
	expect 0 "$(value dummy)" dummy
	in_some_try sleeps || fail "a sleeper of $(value duration_time) ns," \
		"task-clock $(value task-clock)"
}

# No event is multiplexed: each counts all the time that the task runs.
test_every_software_event() {
	events=alignment-faults,bpf-output,cgroup-switches,context-switches
	events=$events,cpu-clock,cpu-migrations,dummy,emulation-faults
	events=$events,major-faults,minor-faults,page-faults,task-clock
	count -e $events,$events "$load" faults=100 sleeps=5
	expect 24 "$(grep -c ,100.00, "$tmp/count")" "lines with 100 %"
	for event in dummy alignment-faults emulation-faults bpf-output; do
		expect 0 "$(value $event)" $event
	done
}

test_exec_enables() {
	count -e $calls,sched:sched_process_exec \
		sh -c "'$load' getpid=70; exec '$load' getpid=7"
	expect_between 77 87 "$(value $calls)" calls
	expect 3 "$(value sched:sched_process_exec)" "programs executed"
}

pipeline() {
	echo "'$load' getpriority=100 faults=50 say=x |" \
		"'$load' getpriority=200 faults=50 sleeps=5 say=x |" \
		"cat & '$load' getpriority=400 faults=50 & wait"
}

test_inherit_pipeline() {
	for _ in 1 2 3; do
		count -e "$rare,page-faults,task-clock,sched:sched_process_fork" \
			sh -c "$(pipeline)" >/dev/null
		expect 700 "$(value $rare)" calls
		expect_between 150 20000 "$(value page-faults)" faults
		# The shell may fork another shell behind the pipeline, or not.
		expect_between 4 5 "$(value sched:sched_process_fork)" forks
	done
}

test_inherit_group() {
	count -e "{page-faults,$rare,context-switches}" sh -c "$(pipeline)" \
		>/dev/null
	expect 700 "$(value $rare)" calls
	expect_between 150 20000 "$(value page-faults)" faults
	expect_at_least 5 "$(value context-switches)" switches
}

test_inherit_forks() {
	count -e $calls,sched:sched_process_fork "$load" forks=100 getpid=5
	expect 1005 "$(value $calls)" calls
	expect 100 "$(value sched:sched_process_fork)" forks
}

test_inherit_threads() {
	count -e $calls,page-faults "$load" threads=8 release join getpid=5
	expect 3605 "$(value $calls)" calls
	expect_between 360 2000 "$(value page-faults)" faults
}

test_no_inherit() {
	count --no-inherit -e $rare sh -c "$(pipeline)" >/dev/null
	expect 0 "$(value $rare)" "calls of the shell itself"
	count -i -e $calls,sched:sched_process_fork "$load" forks=100 getpid=5
	expect 5 "$(value $calls)" "calls of the parent"
	expect 100 "$(value sched:sched_process_fork)" forks
	count -i -e $calls "$load" threads=8 release getpid=5 join
	expect 5 "$(value $calls)" "calls of the first thread"
}

# asleep - check that the load waits for its signal, and has left its CPU: the switch is
# counted then
asleep() {
	grep -q "^State:.S" "/proc/$load_pid/status" &&
		! grep -q running "/proc/$load_pid/syscall"
}

# account - print the load's page faults and context switches, as the kernel counts them
account() {
	until_true asleep
	faults=$(awk '{ print $10 + $12 }' "/proc/$load_pid/stat")
	switches=$(awk '/ctxt_switches/ { sum += $2 } END { print sum }' \
		"/proc/$load_pid/status")
}

test_pid() {
	start_load pin=0 resident say=ready wait faults=700 sleeps=20 \
		getpid=300 pin=1 pin=0 pin=1 say=done wait || return
	start_stat -p "$load_pid" -e page-faults,context-switches \
		-e $calls,cpu-migrations || return
	account
	faults_before=$faults
	switches_before=$switches
	control enable
	kill -USR1 "$load_pid"
	until_true said "done" "$tmp/load"
	account
	end_control
	expect 700 "$((faults - faults_before))" "faults by the kernel's account"
	expect 700 "$(value page-faults)" faults
	expect "$((switches - switches_before))" "$(value context-switches)" \
		switches
	# And one call of "say", which prints its own number.
	expect 301 "$(value $calls)" calls
	expect 3 "$(value cpu-migrations)" migrations
}

test_pid_exits() {
	start_load say=ready wait getpid=321 || return
	start_stat -p "$load_pid" -e $calls || return
	control enable
	kill -USR1 "$load_pid"
	wait "$load_pid"
	wait "$perf_pid" || fail "perf stat: status $?"
	expect 321 "$(value $calls)" calls
}

# thread_names - print NAME-TID of each thread of the load but the first
thread_names() {
	for task in /proc/"$load_pid"/task/*; do
		read -r name <"$task/comm"
		case $name in load-*) echo "$name-${task##*/}" ;; esac
	done
}

test_per_thread() {
	start_load resident threads=4 say=ready wait release say=done wait ||
		return
	start_stat --per-thread -p "$load_pid" -e page-faults,$calls || return
	control enable
	kill -USR1 "$load_pid"
	until_true said "done" "$tmp/load"
	threads=$(thread_names)
	end_control
	for name in $threads; do
		number=${name#load-}
		number=${number%-*}
		expect $((number * 100)) "$(value_with "$name" $calls)" \
			"calls of $name"
		# And a few faults of its own stack.
		expect_between $((number * 10)) $((number * 10 + 6)) \
			"$(value_with "$name" page-faults)" "faults of $name"
	done
	expect 1001 "$(value $calls)" "calls of all"
}

test_tid() {
	start_load resident threads=4 say=ready wait release say=done wait ||
		return
	tid=$(thread_names | sed -n 's/^load-3-//p')
	start_stat -t "$tid" -e $calls || return
	control enable
	kill -USR1 "$load_pid"
	until_true said "done" "$tmp/load"
	end_control
	expect 300 "$(value $calls)" "calls of the third thread"
}

# perf begins to measure the duration after it has enabled the events
counts_all_cpus() {
	count -a -e "$rare,page-faults,cpu-clock,duration_time" \
		-e sched:sched_process_fork "$load" getpriority=5000 forks=50
	expect 5000 "$(value $rare)" calls
	expect_at_least 50 "$(value page-faults)" faults
	expect_at_least 50 "$(value sched:sched_process_fork)" forks
	all=$(awk -v ns="$(value duration_time)" -v cpus="$cpus" \
		'BEGIN { print cpus * ns / 1e6 }')
	least=$(awk -v all="$all" 'BEGIN { print all * 0.5 }')
	most=$(awk -v all="$all" 'BEGIN { print all * 2 + 1000 }')
	between "$least" "$most" "$(value cpu-clock)"
}

test_all_cpus() {
	cpus=$(getconf _NPROCESSORS_ONLN 2>/dev/null || nproc)
	in_some_try counts_all_cpus
	expect_between "$least" "$most" "$(value cpu-clock)" "the time of all CPUs"
}

test_one_cpu() {
	for cpu in 0 1; do
		count -C 1 -e $rare,page-faults taskset -c $cpu \
			"$load" getpriority=777 faults=900
		expect $((cpu * 777)) "$(value $rare)" "calls on CPU $cpu"
		[ $cpu = 0 ] ||
			expect_at_least 900 "$(value page-faults)" faults
	done
}

test_cpus_apart() {
	count -A -C 0,1 -e $rare "$load" pin=0 getpriority=30 pin=1 \
		getpriority=50 pin=0 getpriority=1
	expect 31 "$(value_with CPU0 $rare)" "CPU 0"
	expect 50 "$(value_with CPU1 $rare)" "CPU 1"
	count --per-socket -a -e $rare "$load" getpriority=60
	expect 60 "$(value $rare)" "the sockets"
	count --per-core -a -e $rare "$load" getpriority=70
	expect 70 "$(value $rare)" "the cores"
}

test_cgroup() {
	need_cgroups $groups || return
	count -a -e $rare,$rare,$rare -G perfstat-a,perfstat-a/in,perfstat-b \
		sh -c "$(in_cgroup perfstat-a getpriority=100)
			$(in_cgroup perfstat-a/in getpriority=20) &
			$(in_cgroup perfstat-b getpriority=3) & wait
			$load getpriority=4000"
	expect 120 "$(value_with perfstat-a $rare)" "a group and its child"
	expect 20 "$(value_with perfstat-a/in $rare)" "the child"
	expect 3 "$(value_with perfstat-b $rare)" "the other"
}

counts_of_cgroup() {
	count -a -e page-faults,context-switches,task-clock,page-faults \
		-G perfstat-a,perfstat-a,perfstat-a,perfstat-b \
		sh -c "$(in_cgroup perfstat-a faults=600 sleeps=30 burn=50)"
	expect_between 600 3000 "$(value_with perfstat-a page-faults)" faults
	expect_at_least 30 "$(value_with perfstat-a context-switches)" switches
	# No task ran, so there was no time to count in.
	expect "<not counted>" "$(value_with perfstat-b page-faults)" "empty group"
	at_least 50 "$(value_with perfstat-a task-clock)"
}

test_cgroup_events() {
	need_cgroups $groups || return
	in_some_try counts_of_cgroup
	expect_at_least 50 "$(value_with perfstat-a task-clock)" clock
}

test_each_cgroup() {
	need_cgroups $groups || return
	count -a --for-each-cgroup perfstat-a,perfstat-b -e "{$rare,page-faults}" \
		sh -c "$(in_cgroup perfstat-a getpriority=100) &
			$(in_cgroup perfstat-b getpriority=3 faults=50) & wait"
	expect 100 "$(value_with perfstat-a $rare)" "the first"
	expect 3 "$(value_with perfstat-b $rare)" "the second"
	expect_between 50 1000 "$(value_with perfstat-b page-faults)" faults
}

# total EVENT - print the sum over the intervals; in some the program may not have run
total() {
	rows "$1" | awk -F, '$2 ~ /^[0-9.]+$/ { sum += $2 } END { print sum + 0 }'
}

total_is() {
	[ "$(total "$1")" = "$2" ]
}

intervals_of() {
	[ "$(rows "$1" | wc -l)" -ge "$2" ]
}

# count_intervals CALLS OPTION... - count until that sum, then let the program exit.
# perf omits the interval in which it finds that the program has exited.
count_intervals() {
	evidence=$tmp/count
	sum=$1
	shift
	: >"$tmp/load"
	: >"$tmp/count"
	perf stat -x, -o "$tmp/count" -I 100 "$@" >"$tmp/load" 2>"$tmp/err" &
	perf_pid=$!
	until_true said ready "$tmp/load"
	until_true total_is "$2" "$sum"
	until_true intervals_of "$2" 2
	kill -USR1 "$(load_says ready)"
	wait "$perf_pid" || fail "perf stat -I: status $?"
	expect "$sum" "$(total "$2")" "sum of the intervals"
}

# "say" makes one more call.
intervals_of_clock() {
	count_intervals 112 -e $calls -e task-clock "$load" getpid=100 burn=150 \
		getpid=10 burn=150 getpid=1 say=ready wait
	at_least 300 "$(total task-clock)"
}

# The program does not end before perf has ended the second interval. perf then waits for it.
count_two_intervals() {
	: >"$tmp/load"
	: >"$tmp/count"
	perf stat -x, -o "$tmp/count" -I 100 --interval-count 2 -e dummy "$load" say=ready \
		wait >"$tmp/load" 2>"$tmp/err" &
	perf_pid=$!
	until_true said ready "$tmp/load"
	until_true intervals_of dummy 2
	kill -USR1 "$(load_says ready)"
	wait "$perf_pid" || fail "perf stat -I: status $?"
	expect 2 "$(rows dummy | wc -l)" "intervals asked for"
}

test_interval() {
	in_some_try intervals_of_clock
	expect_at_least 300 "$(total task-clock)" "sum of the clocks"
	count_intervals 110 -e $rare -a "$load" getpriority=100 sleeps=200 \
		getpriority=10 say=ready wait
	count_two_intervals
}

repeated_faults_agree() {
	count -r 3 -e $calls,page-faults "$load" getpid=321 faults=99 || return
	expect 321 "$(value $calls)" "calls, on average"
	constant=$(grep -c ,0.00%, "$tmp/count")
	repeated=$(value page-faults)
	count -e page-faults "$load" getpid=321 faults=99 || return
	[ "$constant, $repeated" = "2, $(value page-faults)" ]
}

test_repeat() {
	when_nothing_is_reclaimed repeated_faults_agree ||
		fail "$constant of 2 counts do not vary, $repeated faults on average," \
			"$(value page-faults) once"
	count -r 3 -a -e $rare "$load" getpriority=50
	expect 50 "$(value $rare)" "calls of all CPUs, on average"
}

# count_delayed MS - count the calls of a program from so many milliseconds on
count_delayed() {
	: >"$tmp/load"
	: >"$tmp/err"
	perf stat -x, -o "$tmp/count" -D "$1" -e $calls "$load" getpid=50 \
		say=ready wait getpid=7 >"$tmp/load" 2>"$tmp/err" &
	perf_pid=$!
	until_true said ready "$tmp/load"
	until_true said "Events enabled" "$tmp/err"
	kill -USR1 "$(load_says ready)"
	wait "$perf_pid" || fail "perf stat: status $?"
}

# On a busy host the program may need more than a second for its first calls.
test_delay() {
	this_try=0
	for delay in 1000 10000 60000; do
		this_try=$((this_try + 1))
		count_delayed $delay
		[ "$(value $calls)" != 7 ] || break
	done
	show_tries count_delayed $this_try 3
	expect 7 "$(value $calls)" "calls after the delay"
}

test_control() {
	start_load say=ready wait getpid=1000 say=a wait getpid=100 say=b wait \
		getpid=10 say=c wait || return
	start_stat -p "$load_pid" -e $calls || return
	for word in a b c; do
		[ $word = b ] || control enable
		kill -USR1 "$load_pid"
		until_true said $word "$tmp/load"
		[ $word = b ] || control disable
	done
	end_control
	# Each "say" makes one more call.
	expect 1012 "$(value $calls)" "calls while enabled"
}

tests="without_events task_tracepoint task_faults faults_by_kind group
group_of_kinds sched_switch clocks every_software_event exec_enables
inherit_pipeline inherit_group inherit_forks inherit_threads no_inherit pid
pid_exits per_thread tid all_cpus one_cpu cpus_apart cgroup cgroup_events
each_cgroup interval repeat delay control"

# Arguments select tests by name.
[ $# -eq 0 ] || tests=$*
run_tests $tests
