# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# Shared by the scripts that run perf: expectations, loads in the background, a perf
# that is controlled by commands, recording, and the loop over the tests. A script
# sources this, defines functions test_NAME, and calls run_tests NAME... at its end. A
# test may set "skipped" to a reason, and "evidence" to a file that is printed if it
# fails.

DIR=$(dirname "$(readlink -f "$0")")
# The folder kselftest is beside this folder if the tests are installed, and one level
# higher in the source.
helpers=$DIR/../kselftest/ktap_helpers.sh
[ -e "$helpers" ] || helpers=$DIR/../../kselftest/ktap_helpers.sh
# shellcheck source=/dev/null
. "$helpers"

fail() {
	ktap_print_msg "$current: $*"
	failed=1
}

# expect WANT GOT WHAT
expect() {
	[ "$1" = "$2" ] || fail "$3: expected $1, got $2"
}

# between LOW HIGH GOT - check that it is a number in that range
between() {
	awk -v low="$1" -v high="$2" -v got="$3" 'BEGIN {
		exit !(got ~ /^[0-9.]+$/ && got + 0 >= low + 0 && got + 0 <= high + 0)
	}'
}

# expect_between LOW HIGH GOT WHAT
expect_between() {
	between "$1" "$2" "$3" || fail "$4: expected $1 to $2, got $3"
}

# at_least LOW GOT - check that it is a number, and not a lower one
at_least() {
	awk -v low="$1" -v got="$2" 'BEGIN {
		exit !(got ~ /^[0-9.]+$/ && got + 0 >= low + 0)
	}'
}

# expect_at_least LOW GOT WHAT - for numbers that grow with the time that a run takes, such
# as those of preemptions
expect_at_least() {
	at_least "$1" "$2" || fail "$3: expected at least $1, got $2"
}

# show_tries WHAT NUMBER LIMIT - print which try succeeded, if it was not the first one. If none
# succeeded, the number is that of the last one.
show_tries() {
	[ "$2" = 1 ] || ktap_print_msg "tries: $1: $2 of $3"
}

# in_tries NUMBER FUNCTION ARGUMENT... - run the function until it succeeds, so many times at most,
# or until the test has failed
in_tries() {
	most_tries=$1 this_try=0
	shift
	while [ $this_try -lt "$most_tries" ]; do
		this_try=$((this_try + 1))
		if "$@"; then
			show_tries "$1" $this_try "$most_tries"
			return 0
		fi
		[ -z "$failed" ] || return
	done
	show_tries "$1" $this_try "$most_tries"
	return 1
}

# in_some_try FUNCTION - for what depends on time. Two clocks cannot be read at the same moment,
# nor can a load and perf begin at the same moment. The host may stop the machine in between, but
# it does not do so each time.
in_some_try() {
	in_tries 10 "$@"
}

# when_nothing_is_reclaimed FUNCTION - for two runs that have the same faults, unless the kernel
# has taken pages of the program in between
when_nothing_is_reclaimed() {
	in_tries 3 "$@"
}

# in_longer_tries FUNCTION ARGUMENT... - run the function until it succeeds, three times at most,
# or until the test has failed, with $ms, the milliseconds for which a load spins. On a busy host
# an emulated machine gets few of its interrupts: then the load spins for longer, but not for very
# long, because unwinding is slow.
in_longer_tries() {
	this_try=0
	# shellcheck disable=SC2034 # for the function
	for ms in 300 1000 5000; do
		this_try=$((this_try + 1))
		if "$@"; then
			show_tries "$1" $this_try 3
			return 0
		fi
		[ -z "$failed" ] || return
	done
	show_tries "$1" 3 3
	return 1
}

# until_true COMMAND - wait until the command succeeds. The last resort is a failure after
# two minutes at least.
until_true() {
	tries=2400
	until "$@"; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || {
			fail "waited in vain for: $*"
			return 1
		}
		sleep 0.05
	done
}

said() {
	grep -q "^$1" "$2" 2>/dev/null
}

# start_load WORD... - start a load in the background, and wait for its word say=ready
start_load() {
	: >"$tmp/load"
	"$load" "$@" >"$tmp/load" &
	load_pid=$!
	until_true said ready "$tmp/load"
}

# load_says WORD - print the number of the process that printed the word
load_says() {
	awk -v word="$1" '$1 == word { print $2 }' "$tmp/load"
}

# start_control COMMAND OPTION... - start a perf in the background that is controlled by
# commands
start_control() {
	perf_command=$1
	shift
	perf "$perf_command" -D -1 --control "fifo:$tmp/ctl,$tmp/ack" "$@" 2>"$tmp/err" &
	perf_pid=$!
	control ping
}

# control COMMAND - send a command, and wait until it is executed. The timeout is the last
# resort.
control() {
	echo "$1" >&5
	timeout 1200 dd bs=64 count=1 of=/dev/null <&6 2>/dev/null || {
		fail "perf $perf_command does not obey $1: $(head -n 3 "$tmp/err")"
		kill "$perf_pid" "$load_pid" 2>/dev/null
		return 1
	}
}

# end_control - let the load end; perf ends with it
end_control() {
	control disable
	kill -USR1 "$load_pid"
	wait "$load_pid"
	wait "$perf_pid" ||
		fail "perf $perf_command: status $?: $(head -n 3 "$tmp/err")"
}

# need_cgroups CGROUP... - make cgroups below $hierarchy
need_cgroups() {
	[ -z "$hierarchy" ] || return 0
	dir=$(awk '$3 == "cgroup" && $4 ~ /perf_event/ || $3 == "cgroup2" {
		print $2; exit }' /proc/mounts)
	# A cgroup of the unified hierarchy has no perf_event side until the root
	# delegates.
	[ ! -e "$dir/cgroup.controllers" ] || {
		read -r name _ <"$dir/cgroup.controllers"
		echo "+$name" >"$dir/cgroup.subtree_control"
	} 2>/dev/null
	for cgroup; do
		mkdir -p "$dir/$cgroup" 2>/dev/null || {
			skipped="no control groups"
			return 1
		}
	done
	hierarchy=$dir
	cgroups=$*
}

# in_cgroup CGROUP WORD... - set the command that runs a load in a cgroup
in_cgroup() {
	group=$1
	shift
	echo "sh -c 'echo \$\$ >$hierarchy/$group/cgroup.procs; exec $load $*'"
}

# record OPTION... [--] COMMAND - run perf record into $tmp/data
record() {
	rm -rf "$tmp/data" "$tmp/data.old"
	perf record -q -o "$tmp/data" "$@" >"$tmp/out" 2>"$tmp/err" || {
		fail "perf record $*: status $?: $(head -n 3 "$tmp/err")"
		return 1
	}
}

# script FIELDS [OPTION...] - write a line for each sample to $tmp/script
script() {
	evidence=$tmp/script
	fields=$1
	shift
	perf script --no-inline -i "$tmp/data" -F "$fields" "$@" \
		>"$tmp/script" 2>"$tmp/err" || {
		fail "perf script $fields: status $?: $(head -n 3 "$tmp/err")"
		return 1
	}
}

# lines PATTERN - print the number of lines of the script that match
lines() {
	grep -c -E -e "$1" "$tmp/script"
}

# records TYPE - print the number of records of that type in $tmp/data
records() {
	perf report -i "$tmp/data" --stats 2>/dev/null | awk -v type="$1" '
		$1 == type && $2 == "events:" { found = $3; exit }
		END { print found + 0 }
	'
}

# counted EVENT WORD... - print the count of perf stat for a load
counted() {
	event=$1
	shift
	perf stat -x, -o "$tmp/count" -e "$event" "$load" "$@" 2>"$tmp/err"
	awk -F, -v event="$event" '$3 == event { print $1 }' "$tmp/count"
}

set_up() {
	tmp=$(mktemp -d) || exit "$KSFT_FAIL"
	trap clean_up EXIT
	# In memory, so that the file's pages are resident in the second run as well.
	load=$tmp/perf_load
	cp "$DIR/perf_load" "$load" || exit "$KSFT_FAIL"
	"$load" faults=1
	mkfifo "$tmp/ctl" "$tmp/ack"
	exec 5<>"$tmp/ctl" 6<>"$tmp/ack"
	hierarchy=
	cgroups=
}

clean_up() {
	for cgroup in $cgroups; do
		[ ! -d "$hierarchy/$cgroup" ] ||
			find "$hierarchy/$cgroup" -depth -type d -exec rmdir {} +
	done 2>/dev/null
	rm -rf "$tmp"
}

run_test() {
	current=$1
	failed=
	skipped=
	evidence=/dev/null
	"test_$1"
	if [ -n "$failed" ]; then
		[ ! -e "$evidence" ] || head -n 25 "$evidence" | sed 's/^/# | /'
		ktap_test_fail "$1"
	elif [ -n "$skipped" ]; then
		# ktap_test_skip() takes no reason
		__ktap_test ok "$1" "SKIP $skipped"
		KTAP_CNT_SKIP=$((KTAP_CNT_SKIP + 1))
	else
		ktap_test_pass "$1"
	fi
}

# run_tests NAME... - run the tests
run_tests() {
	export LC_ALL=C
	set_up
	ktap_print_header
	ktap_set_plan $#
	for test; do
		run_test "$test"
	done
	ktap_finished
}

for program in perf setarch taskset timeout mkfifo awk; do
	command -v $program >/dev/null || {
		ktap_skip_all "no $program here"
		exit "$KSFT_SKIP"
	}
done
if [ "$(id -u)" != 0 ]; then
	ktap_skip_all "needs to be root"
	exit "$KSFT_SKIP"
fi
# One layout of the address space, so that a program has the same faults each time.
if [ -z "$PERF_TEST_FIXED" ]; then
	export PERF_TEST_FIXED=1
	exec setarch -R "$0" "$@"
fi
