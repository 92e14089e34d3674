#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The programs of Documentation/perf/using.rst. Each checks its own result. What it prints
# must be what the page shows, the file NAME.txt, up to numbers.

DIR=$(dirname "$(readlink -f "$0")")
# The folder kselftest is beside this folder if the tests are installed, and two levels
# higher in the source.
helpers=$DIR/../kselftest/ktap_helpers.sh
[ -e "$helpers" ] || helpers=$DIR/../../kselftest/ktap_helpers.sh
# shellcheck source=/dev/null
. "$helpers"

# same_form - replace what differs from run to run: numbers, and the spaces that align them
same_form() {
	sed -E 's/0x[0-9a-f]+|[0-9]+(\.[0-9]+)?/N/g; s/ +/ /g; s/^ //'
}

# try NAME - run the program and compare
try() {
	tries=0
	limit=1
	# A host that stops the machine between two clocks changes the scaled counts.
	[ "$1" != scale_counts ] || limit=5
	status=1
	while [ $status = 1 ] && [ $tries -lt $limit ]; do
		output=$(timeout -k 5 600 "$DIR/$1" 2>&1)
		status=$?
		tries=$((tries + 1))
		[ $status != 1 ] || [ $tries = $limit ] ||
			printf '%s\n' "$1: failed, again:" "$output" | sed 's/^/# /'
	done
	[ $tries = 1 ] || ktap_print_msg "tries: $1: $tries of $limit"
	if [ $status = "$KSFT_SKIP" ]; then
		# ktap_test_skip() takes no reason
		__ktap_test ok "$1" "SKIP $output"
		KTAP_CNT_SKIP=$((KTAP_CNT_SKIP + 1))
		return
	fi
	expected=$(same_form <"$DIR/$1.txt")
	# Another kernel has no reasons, which are the indented lines.
	if [ "$1" = explain_errors ] && [ ! -e /proc/self/perf_event_refusal ]; then
		expected=$(grep -v '^    ' "$DIR/$1.txt" | same_form)
		output=$(printf '%s\n' "$output" | grep -v '^    ')
	fi
	if [ $status = 0 ] && [ "$(printf '%s\n' "$output" | same_form)" = "$expected" ]; then
		ktap_test_pass "$1"
		return
	fi
	printf '%s\n' "$output" "exit status $status" | sed 's/^/# /'
	printf '%s\n' "the form of $1.txt:" "$expected" | sed 's/^/# /'
	ktap_test_fail "$1"
}

# What the programs need is permitted, and put back at the end.
access=/proc/sys/kernel/perf_user_access
controllers=/sys/fs/cgroup/cgroup.subtree_control
put_back() {
	[ -z "$user_access" ] || echo "$user_access" >$access
	[ -z "$delegated" ] || echo -cpu >$controllers
}
user_access=
delegated=
trap put_back EXIT

# the attribute of user access on arm64
if [ -e $access ]; then
	user_access=$(cat $access)
	echo 1 >$access
fi

# A cgroup has events when the root delegates any controller, as systemd has it do.
if [ -w $controllers ] && ! grep -qw cpu $controllers; then
	echo +cpu >$controllers && delegated=yes
fi

ktap_print_header
# shellcheck disable=SC2012 # names are words
programs=$(cd "$DIR" && ls -- *.txt | sed 's/\.txt$//')
# shellcheck disable=SC2086 # a list of words
set -- $programs
ktap_set_plan $#
for program; do
	try "$program"
done
ktap_finished
