# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# What the scripts that drive perf share: expectations, loads in the background, a perf
# that counts on command, recording, and the loop over the tests. A script sources this,
# defines test_NAME functions, and calls run_tests NAME... at its end. A test may set
# "skipped" to a reason, and "evidence" to a file that is shown when it fails.

DIR=$(dirname "$(readlink -f "$0")")
# Beside this folder where the tests are installed, beside the one above in the source.
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

# expect_between LOW HIGH GOT WHAT
expect_between() {
	awk -v low="$1" -v high="$2" -v got="$3" 'BEGIN {
		exit !(got ~ /^[0-9.]+$/ && got + 0 >= low + 0 && got + 0 <= high + 0)
	}' || fail "$4: expected $1 to $2, got $3"
}

# until_true COMMAND - wait for it to come true, 20 s at most
until_true() {
	tries=400
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

# start_load WORD... - a load in the background, up to its word say=ready
start_load() {
	: >"$tmp/load"
	"$load" "$@" >"$tmp/load" &
	load_pid=$!
	until_true said ready "$tmp/load"
}

# load_says WORD - the number of the process that printed it
load_says() {
	awk -v word="$1" '$1 == word { print $2 }' "$tmp/load"
}

# start_control COMMAND OPTION... - a perf in the background that counts on command
start_control() {
	perf_command=$1
	shift
	perf "$perf_command" -D -1 --control "fifo:$tmp/ctl,$tmp/ack" "$@" 2>"$tmp/err" &
	perf_pid=$!
	control ping
}

# control COMMAND - send a command, and wait until it is done
control() {
	echo "$1" >&5
	timeout 30 dd bs=64 count=1 of=/dev/null <&6 2>/dev/null || {
		fail "perf $perf_command does not obey $1: $(head -n 3 "$tmp/err")"
		kill "$perf_pid" "$load_pid" 2>/dev/null
		return 1
	}
}

# end_control - release the load from its last word; perf ends with it
end_control() {
	control disable
	kill -USR1 "$load_pid"
	wait "$load_pid"
	wait "$perf_pid" ||
		fail "perf $perf_command: status $?: $(head -n 3 "$tmp/err")"
}

# need_cgroups CGROUP... - make them, below $hierarchy
need_cgroups() {
	[ -z "$hierarchy" ] || return 0
	dir=$(awk '$3 == "cgroup" && $4 ~ /perf_event/ || $3 == "cgroup2" {
		print $2; exit }' /proc/mounts)
	# Below the unified root there is no perf_event side until the root delegates.
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

# in_cgroup CGROUP WORD... - the command that runs a load in a control group
in_cgroup() {
	group=$1
	shift
	echo "sh -c 'echo \$\$ >$hierarchy/$group/cgroup.procs; exec $load $*'"
}

# record OPTION... [--] COMMAND - perf record into $tmp/data
record() {
	rm -rf "$tmp/data" "$tmp/data.old"
	perf record -q -o "$tmp/data" "$@" >"$tmp/out" 2>"$tmp/err" || {
		fail "perf record $*: status $?: $(head -n 3 "$tmp/err")"
		return 1
	}
}

# script FIELDS [OPTION...] - a line for each sample into $tmp/script
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

# lines PATTERN - how many of the script have it
lines() {
	grep -c -E -e "$1" "$tmp/script"
}

# records TYPE - how many there are in $tmp/data
records() {
	perf report -i "$tmp/data" --stats 2>/dev/null | awk -v type="$1" '
		$1 == type && $2 == "events:" { found = $3; exit }
		END { print found + 0 }
	'
}

# counted EVENT WORD... - what perf stat says about a load
counted() {
	event=$1
	shift
	perf stat -x, -o "$tmp/count" -e "$event" "$load" "$@" 2>"$tmp/err"
	awk -F, -v event="$event" '$3 == event { print $1 }' "$tmp/count"
}

set_up() {
	tmp=$(mktemp -d) || exit "$KSFT_FAIL"
	trap clean_up EXIT
	# In memory, so that a file's pages are resident the second time as well.
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
		ktap_print_msg "$1: $skipped"
		ktap_test_skip "$1"
	else
		ktap_test_pass "$1"
	fi
}

# run_tests NAME... - all of these
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
# One layout of the address space, so that a program faults as often each time.
if [ -z "$PERF_TEST_FIXED" ]; then
	export PERF_TEST_FIXED=1
	exec setarch -R "$0" "$@"
fi
