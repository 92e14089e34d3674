# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# For scripts/deb, which sources it: make the packages of what was compiled, into $home/new.

# shellcheck disable=SC2154 # set by the script

# The kernel's own bindeb-pkg. It writes the packages beside the object tree. The user space
# headers, linux-libc-dev, stay Debian's. For another architecture than the host's, programs
# in the headers package, which run where modules are compiled, need a library for it.
package_kernel() {
	local sysroot=$build/root-$arch/usr flags=()
	if [ "$debian_arch" != "$(dpkg --print-architecture)" ]; then
		flags=("HOSTCFLAGS=-idirafter $sysroot/include" "HOSTLDFLAGS=-L$sysroot/lib/aarch64-linux-gnu")
	fi
	rm -f "$build/src"/{linux-*.deb,linux-upstream_*}
	"${kbuild[@]}" "${flags[@]}" KDEB_CHANGELOG_DIST=bookworm KDEB_COMPRESS=xz \
		DPKG_FLAGS=-d bindeb-pkg >>"$log" 2>&1 || show_failure bindeb-pkg
	rm -f "$build/src"/linux-libc-dev_*.deb "$build/src"/linux-upstream_*
	mv "$build/src"/linux-*.deb "$home/new/"
}

# release - print the release of the kernel, such as 6.12.117-perf
release() {
	cat "$tree/include/config/kernel.release"
}

# needed PROGRAM - print the packages of Debian 12 that have the libraries of a program
needed() {
	local library
	"${cross}readelf" -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | while read -r library; do
		case $library in
		libc.so.6 | libm.so.6 | libpthread.so.0 | libdl.so.2 | librt.so.1 | ld-linux-*) echo libc6 ;;
		libgcc_s.so.1) echo libgcc-s1 ;;
		libstdc++.so.6) echo libstdc++6 ;;
		libdw.so.1) echo libdw1 ;;
		libelf.so.1) echo libelf1 ;;
		libslang.so.2) echo libslang2 ;;
		libcap.so.2) echo libcap2 ;;
		libzstd.so.1) echo libzstd1 ;;
		liblzma.so.5) echo liblzma5 ;;
		libz.so.1) echo zlib1g ;;
		libnuma.so.1) echo libnuma1 ;;
		libtraceevent.so.1) echo libtraceevent1 ;;
		*) fail "perf needs $library, of an unknown package" ;;
		esac
	done | sort -u
}

# build_package FOLDER NAME VERSION DESCRIPTION FIELD... - pack a folder
build_package() {
	local folder=$1 name=$2 version=$3 description=$4
	shift 4
	mkdir -p "$folder/DEBIAN"
	{
		printf '%s\n' "Package: $name" "Version: $version" "Architecture: $debian_arch" \
			"Maintainer: perf <perf@perf>" "Section: kernel" "Priority: optional" \
			"Installed-Size: $(du -sk --exclude=DEBIAN "$folder" | cut -f 1)" "$@" \
			"Description: $description"
	} >"$folder/DEBIAN/control"
	dpkg-deb --root-owner-group -Zxz -b "$folder" \
		"$home/new/${name}_${version}_$debian_arch.deb" >>"$log" 2>&1 ||
		show_failure "package $name"
}

# perf of the same tree, with its scripts and manual pages left out
package_perf() {
	local folder=$home/perf-package version compile="" link="" depends perf
	version=$(release | sed 's/-perf$//')-1
	if [ "$debian_arch" = arm64 ]; then
		compile="-idirafter $build/root-arm64/usr/include"
		link="-L$build/root-arm64/usr/lib/aarch64-linux-gnu"
		export PKG_CONFIG_SYSROOT_DIR=$build/root-arm64
		export PKG_CONFIG_LIBDIR=$build/root-arm64/usr/lib/aarch64-linux-gnu/pkgconfig
	fi
	rm -rf "$folder"
	mkdir -p "$home/perf-objects" "$folder"
	# not on make's command line, where perf's Makefile could add nothing to them
	perf=(env "LDFLAGS=$link" make -C "$build/src/tools/perf" "O=$home/perf-objects" "ARCH=$kbuild_arch"
		"CROSS_COMPILE=$cross" "-j$jobs" prefix=/usr "DESTDIR=$folder" WERROR=0
		NO_LIBPYTHON=1 NO_LIBPERL=1 NO_LIBBABELTRACE=1 NO_JVMTI=1 NO_LIBPFM4=1
		NO_LIBUNWIND=1 BUILD_BPF_SKEL=0 "EXTRA_CFLAGS=$compile")
	say "$debian_arch: perf"
	"${perf[@]}" install-tools >>"$log" 2>&1 || show_failure perf
	rm -rf "${folder:?}"/usr/{bin/trace,share,include,lib/perf}
	depends=$(needed "$folder/usr/bin/perf" | tr '\n' , | sed 's/,$//; s/,/, /g')
	# perf without these would lack tracepoints, symbols or its browser
	for library in libtraceevent1 libdw1 libelf1 libslang2; do
		[[ ", $depends," = *" $library,"* ]] || fail "perf was built without $library"
	done
	build_package "$folder" "linux-perf-$(release)" "$version" \
		"performance analysis tool, for Linux $(release)" \
		"Depends: $depends" "Provides: linux-perf" "Conflicts: linux-perf" \
		"Replaces: linux-perf"
}

# perf-events-check: the static program and the script that runs it
package_check() {
	local folder=$home/check-package from=$build/$arch/selftests/perf_events
	local to=$home/check-package/usr/lib/perf-events-check
	say "$debian_arch: perf-events-check"
	ARCH=$arch VARIANT='' "$support/scripts/selftests"
	rm -rf "$folder"
	mkdir -p "$to" "$folder/usr/bin"
	install -m 755 "$from/perf_check" "$from/perf-events-check.sh" "$to/"
	printf '#!/bin/sh\nexec /usr/lib/perf-events-check/perf-events-check.sh "$@"\n' \
		>"$folder/usr/bin/perf-events-check"
	chmod 755 "$folder/usr/bin/perf-events-check"
	build_package "$folder" perf-events-check "$(release | sed 's/-perf$//')-1" \
		"check of the performance events of a real machine"
}
