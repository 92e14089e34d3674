# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the build scripts share: places, names, progress lines. Sourced by them.

# shellcheck disable=SC2034 # used by the scripts
{
	support=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")
	repo=$(realpath "$support/../..")
	build=$repo/build
	jobs=${JOBS:-$(nproc)}
}
architectures="x86_64 arm64"
variants="default stock debug"
# the pairs that "make bench" compares
bench_variants="bench bench-stock irqsoff irqsoff-stock"

fail() {
	echo "$(basename "$0"): $*" >&2
	exit 1
}

# check_word NAME VALUE GOOD... - refuse a value that is not among the good ones
check_word() {
	local name=$1 value=$2 good
	shift 2
	for good; do
		[ "$value" != "$good" ] || return 0
	done
	fail "$name=$value is unknown; good values: $*"
}

# check_target - ARCH and VARIANT, from the environment, into $arch and $variant
check_target() {
	arch=${ARCH:-x86_64}
	variant=${VARIANT:-default}
	# shellcheck disable=SC2086 # lists of words
	check_word ARCH "$arch" $architectures
	# shellcheck disable=SC2086
	check_word VARIANT "$variant" $variants $bench_variants
	check_word ACCEL "${ACCEL:-tcg}" tcg mttcg kvm
	# The name of build/NAME, in which this kernel lives.
	name=$arch
	[ "$variant" = default ] || name=$arch-$variant
	case $arch in
	x86_64) image=arch/x86/boot/bzImage cross= ;;
	arm64) image=arch/arm64/boot/Image cross=aarch64-linux-gnu- ;;
	esac
}

# say WHAT - a progress line with the time since the script began; standard output is
# left to the results
say() {
	printf '[%2d:%02d] %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$*" >&2
}
