#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The PMU of a guest of KVM, with KVM's own test vpmu_counter_access, unmodified: guests with each
# possible number of counters access all of them. KVM takes counters for guests from perf.
#
# shellcheck disable=SC2317,SC2154 # the tests are called by name; variables of perf_lib.sh

# shellcheck source=perf_lib.sh
. "$(dirname "$(readlink -f "$0")")/perf_lib.sh"

program=vpmu_counter_access
for folder in "$DIR" "$DIR/../../kvm/aarch64" "$DIR/../kvm"; do
	[ ! -x "$folder/$program" ] || break
done

test_guest_accesses_each_counter() {
	evidence=$tmp/out
	"$folder/$program" >"$tmp/out" 2>&1
	status=$?
	if [ $status = "$KSFT_SKIP" ]; then
		skipped=$(sed -n 's/.*SKIP *//p' "$tmp/out")
	else
		expect 0 $status "exit status of $program"
	fi
}

[ -x "$folder/$program" ] || {
	ktap_skip_all "$program is not built: tools/testing/selftests/kvm, on arm64 only"
	exit "$KSFT_SKIP"
}
run_tests guest_accesses_each_counter
