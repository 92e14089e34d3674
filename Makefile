# SPDX-License-Identifier: GPL-2.0
#
# The doors to everything; "make help" lists them. The work is done by the
# scripts in tools/perf-build.

# The scripts read these; empty means their default.
export ARCH VARIANT CMD SMP MEMORY APPEND ACCEL TIMEOUT JOBS TESTS ROWS
export SEED COUNT FILES CASES CASE CPU SIGNOFF MINUTES TIMES TRIES DEBUG_INFO CONFIG
export CONFIGS LOAD MACHINE PMUS PLACES PARTS BUDGET COMMANDS

scripts := tools/perf-build/scripts

.PHONY: main help packages kernel run shell profile bench test test-all perf-test \
	abi-diff fuzz mutate coverage pmu-diff debian-check arch-check deb distro-test series \
	check-bare docs clean

main: packages
	@$(scripts)/main

help:
	@cat tools/perf-build/help.txt

packages:
	@$(scripts)/packages

kernel: packages
	@$(scripts)/kernel

run: kernel
	@$(scripts)/run "$$CMD"

shell: kernel
	@$(scripts)/run --shell

profile: packages
	@$(scripts)/profile

bench: packages
	@$(scripts)/bench

test: packages
	@$(scripts)/test

test-all: packages
	@$(scripts)/test-all

perf-test: packages
	@$(scripts)/perf-test

abi-diff: packages
	@$(scripts)/abi-diff

fuzz: packages
	@$(scripts)/fuzz

mutate: packages
	@$(scripts)/mutate

coverage: packages
	@$(scripts)/coverage

pmu-diff: packages
	@$(scripts)/pmu-diff

debian-check: packages
	@$(scripts)/debian-check

arch-check: packages
	@$(scripts)/arch-check

deb: packages
	@$(scripts)/deb

distro-test: packages
	@$(scripts)/distro-test

series: packages
	@$(scripts)/source-tree
	@$(scripts)/series
	@[ -z "$(CHECK)" ] || $(scripts)/series-check "$(CHECK)"

check-bare:
	@$(scripts)/check-bare

docs: packages
	@$(scripts)/source-tree
	@tools/perf-build/checks/htmldocs build/docs
	@echo "docs: build/docs/index.html build/docs/perf_event_open.2"

clean:
	rm -rf build
