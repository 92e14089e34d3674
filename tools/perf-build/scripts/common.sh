# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Shared by the build scripts, which source it: paths, names, progress messages.

# shellcheck disable=SC2034 # used by the scripts
{
	support=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")
	repo=$(realpath "$support/../..")
	build=$repo/build
	jobs=${JOBS:-$(nproc)}
}
architectures="x86_64 arm64"
variants="default stock debug"
# the pair of kernels that "make bench" compares
bench_variants="bench bench-stock irqsoff irqsoff-stock"
# the base with the first patches of the series, see series-check
series_variants="series"

fail() {
	echo "$(basename "$0"): $*" >&2
	exit 1
}

# check_word NAME VALUE GOOD... - fail if the value is not one of the valid ones
check_word() {
	local name=$1 value=$2 good
	shift 2
	for good; do
		[ "$value" != "$good" ] || return 0
	done
	fail "$name=$value is unknown; good values: $*"
}

# check_target - check ARCH and VARIANT of the environment, and set $arch and $variant
check_target() {
	arch=${ARCH:-x86_64}
	variant=${VARIANT:-default}
	# shellcheck disable=SC2086 # lists of words
	check_word ARCH "$arch" $architectures
	# shellcheck disable=SC2086
	check_word VARIANT "$variant" $variants $bench_variants $series_variants
	check_word ACCEL "${ACCEL:-tcg}" tcg mttcg kvm
	# Name of the directory build/NAME of this kernel.
	name=$arch
	[ "$variant" = default ] || name=$arch-$variant
	case $arch in
	x86_64) image=arch/x86/boot/bzImage cross= ;;
	arm64) image=arch/arm64/boot/Image cross=aarch64-linux-gnu- ;;
	esac
}

# say WHAT - print a progress message with the time since the start of the script, to
# standard error; standard output is for results
say() {
	printf '[%2d:%02d] %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$*" >&2
}
