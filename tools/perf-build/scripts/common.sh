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
# those that "make test" and the other commands take without ARCH
architectures="x86_64 arm64"
# Each architecture: name, ARCH of Kbuild, prefix of the cross compiler (- if none), kernel
# image in the object tree, Debian's name (- if Debian 12 has no packages for it)
# shellcheck disable=SC2034 # used by the scripts
architecture_facts='
x86_64  x86_64  -                       arch/x86/boot/bzImage   amd64
arm64   arm64   aarch64-linux-gnu-      arch/arm64/boot/Image   arm64
riscv64 riscv   riscv64-linux-gnu-      arch/riscv/boot/Image   -
ppc64le powerpc powerpc64le-linux-gnu-  vmlinux                 ppc64el
s390x   s390    s390x-linux-gnu-        arch/s390/boot/bzImage  s390x
'
variants="default stock debug coverage rt kcsan"
# the pair of kernels that "make bench" compares
bench_variants="bench bench-stock irqsoff irqsoff-stock"
# the base with the first patches of the series, see series-check
series_variants="series"

fail() {
	echo "$(basename "$0"): $*" >&2
	exit 1
}

# no_arguments ARGUMENT... - fail if a script that takes no arguments was given some
no_arguments() {
	[ $# = 0 ] ||
		fail "takes no arguments, but variables of the environment, see 'make help': $*"
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

# check_target - check ARCH and VARIANT of the environment, and set $arch and $variant, and
# $kbuild_arch, $cross, $image and $debian_arch from the table of architectures
check_target() {
	local known row
	arch=${ARCH:-x86_64}
	variant=${VARIANT:-default}
	known=$(sed -n 's/ .*//p' <<<"$architecture_facts")
	# shellcheck disable=SC2086 # lists of words
	check_word ARCH "$arch" $known
	# shellcheck disable=SC2086
	check_word VARIANT "$variant" $variants $bench_variants $series_variants
	check_word ACCEL "${ACCEL:-tcg}" tcg mttcg kvm
	# Name of the directory build/NAME of this kernel.
	name=$arch
	[ "$variant" = default ] || name=$arch-$variant
	row=$(grep "^$arch " <<<"$architecture_facts")
	read -r _ kbuild_arch cross image debian_arch <<<"$row"
	[ "$cross" != - ] || cross=
}

# debian_archive - print the URL of the host's archive of Debian 12, without those of updates
debian_archive() {
	# shellcheck disable=SC2016 # apt-get's variables
	apt-get indextargets --format '$(ORIGIN) $(CODENAME) $(SITE)' 'Created-By: Packages' |
		sed -n 's/^Debian bookworm //p' | head -n 1
}

# say WHAT - print a progress message with the time since the start of the script, to
# standard error; standard output is for results
say() {
	printf '[%2d:%02d] %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$*" >&2
}
