# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Shared by debian-check and arch-check, which source it after common.sh: compile the objects
# that include one of our headers.

# shellcheck disable=SC2154 # set by the scripts
ours_in_messages='(kernel|arch/[^/]*)/events/|kernel/perf/|(linux|asm|kvm)/(perf/)?(perf_event[a-z_]*|hw_breakpoint|arm_pmu[a-z0-9]*)\.h'
passed=0 failed=0

# set by begin() for one configuration
config="" home="" objects="" log="" srcarch="" compiler="" kbuild=()

# users ARCHITECTURE - print the sources of the tree that directly include one of our
# headers, or a header that does little more than include one
users() {
	local ours='(uapi/)?linux/perf_event(_[a-z]+)?|asm/perf_event|linux/hw_breakpoint'
	ours="($ours|linux/perf/arm_pmu|linux/perf/arm_pmuv3|kvm/arm_pmu)\.h"
	(cd "$build/src" && grep -rlE --include='*.c' \
		"^[[:space:]]*#[[:space:]]*include[[:space:]]*(<${ours}>|\"([./a-z]*/perf_event|uncore)\.h\")" \
		block crypto drivers fs init io_uring ipc kernel lib mm net security sound virt \
		"arch/$1" | sort)
}

# begin NAME KBUILD_ARCH SRCARCH COMPILER_PREFIX - set the paths and the make command for one
# configuration
begin() {
	config=$1
	home=$build/compile-check/$1
	objects=$build/src/obj-$1
	log=$home/log
	srcarch=$3
	mkdir -p "$home" "$objects"
	: >"$log"
	compiler=$4gcc
	if command -v ccache >/dev/null; then
		compiler="ccache $compiler"
	fi
	kbuild=(make -C "$build/src" "O=obj-$1" "ARCH=$2" "CROSS_COMPILE=$4"
		"CC=$compiler" "-j$jobs")
	say "$1: configuring"
}

# compile_users - compile these sources with the .config in $objects, whatever is there already: a
# file that does not compile any more leaves its old object
compile_users() {
	local wanted made object
	"${kbuild[@]}" prepare >>"$log" 2>&1 || show_failure
	users "$srcarch" | sed 's/\.c$/.o/' >"$home/users"
	(cd "$objects" && "$support/scripts/enabled-objects" "$srcarch" "${compiler##* }") \
		<"$home/users" >"$home/objects" 2>>"$log"
	mapfile -t wanted <"$home/objects"
	say "$config: ${#wanted[@]} objects"
	[ ${#wanted[@]} -gt 0 ] || fail "$config: no object includes our headers"
	(cd "$objects" && rm -f "${wanted[@]}")
	"${kbuild[@]}" -k "${wanted[@]}" >>"$log" 2>&1 || true
	made=0
	for object in "${wanted[@]}"; do
		if [ -e "$objects/$object" ]; then
			made=$((made + 1))
		else
			echo "failed: $config: $object"
		fi
	done
	say "$config: $made of ${#wanted[@]} objects compile"
	passed=$((passed + made))
	failed=$((failed + ${#wanted[@]} - made))
	[ "$made" = ${#wanted[@]} ] || show_failure
}

# check_warnings - fail if the compiler has warned about a file of ours
check_warnings() {
	if grep -aE "($ours_in_messages).*warning:" "$log" >"$home/warnings"; then
		echo "failed: $config: warnings"
		cat "$home/warnings" >&2
		failed=$((failed + 1))
	fi
}

show_failure() {
	grep -aE -A6 'error:|undefined reference|\*\*\* ' "$log" | head -n 60 >&2 || true
	echo "$(basename "$0"): $config: the whole log: $log" >&2
}

# finish - print the sum, and fail if an object has failed
finish() {
	echo "$(basename "$0"): $passed objects compile, $failed do not"
	[ "$failed" = 0 ]
}
