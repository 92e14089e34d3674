# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The machines of make test, which scripts/test sources after common.sh: what they are, which of
# them run, and which programs run on each.

# shellcheck disable=SC2154,SC2034 # set by the script that sources this, or used there

# PMUs that our x86 kernel emulates, see lib/pmu_emulator/x86. All tests run on
# the first one.
main_pmu=intel-v2
# Tests of hardware events run on these. Only they show some rows of the conformance page, or
# some refusals.
constant_pmus=(intel-icelake amd-zen3)
# The same tests run on these. One run has every third of them, from one that scripts/turn
# chooses, and those of a vendor whose drivers have changed of late. PMUS=all: all of them;
# PMUS=others: those that a run at this commit leaves out, and nothing else.
pmus_in_turn=(intel-v1 intel-v5 intel-v6 intel-v6-hybrid intel-haswell intel-alderlake
	intel-p-only intel-meteorlake intel-arrowlake-h amd-legacy amd-zen amd-perfmonv2)

# PMUs on which only these tests run. On intel-skylake: those that its counter for transactions
# affects; its records have no groups of fields. On intel-westmere: those of registers that
# threads share, and of counters that must be cleared before they get another event; its records
# have the next instruction. On both: records and traces of branches, and precise events.
# On two more: records of branches only, or of loads and stores as well. On those with a plus sign:
# what is not offered, records that come late, what is no record, and counters that do not count.
branch_programs='x86_(models|core_pmu|branches|bts|trace\.sh|precise|memory)|hw_generic'
offer_programs='x86_offer(\.sh)?'
counting_programs='x86_counting'
partial_pmus=(
	"intel-skylake $branch_programs|x86_memory\.sh|faults_open"
	"intel-westmere $branch_programs"
	"intel-lunarlake x86_branches"
	"intel-tremont x86_(branches|memory)"
	"intel-skylake+late x86_precise"
	"intel-icelake+late x86_precise"
	"intel-icelake+broken x86_breaker"
	"intel-skylake+broken x86_breaker\.sh"
	"intel-icelake+untested $offer_programs"
	"intel-icelake+mixed $offer_programs"
	"amd-perfmonv2+untested $offer_programs"
	"intel-v5+stuck $counting_programs"
	"amd-perfmonv2+stuck $counting_programs"
	"intel-v2+stuck $counting_programs"
)

# Machines of arm64 with -icount, by CPU: their time is the number of executed
# instructions. QEMU counts instructions only on these, of all CPUs together. Without
# -icount, QEMU 7.2 sometimes sets a counter back to zero. Tests of hardware events run
# on them as well. The KUnit suite that cannot distinguish such a zero from a lost
# register runs only on them. They have EL2 for guests of KVM: the kernel of the first
# machine runs in EL2, that of the second one below it. The PMU of the second machine
# has an NMI.
counted_cpus=("max,pauth-impdef=on" cortex-a57)

# PMUs of x86 that count executed instructions, on machines with -icount. The emulator counts
# two ticks of the time stamp counter per instruction. Tests of hardware events run on them
# as well.
counted_pmus=(intel-v5 amd-zen)

# PMUs with faults of hardware, on such machines as well, and the tests that must hold.
hostile_pmus=(intel-v5 amd-zen amd-perfmonv2)
hostile_programs='hw_sample|x86_core_pmu|x86_counted'
hostile_seed=1

# of_vendor VENDOR PMU... - print those of the vendor
of_vendor() {
	local vendor=$1
	shift
	printf '%s\n' "$@" | grep "^$vendor-"
}

# changed_vendors - print the vendors whose drivers or emulators changed in the last 20 commits, or
# are changed
changed_vendors() {
	local driver=arch/x86/events/ emulator=lib/pmu_emulator/x86/
	{
		git -C "$repo" log -n 20 --format= --name-only
		git -C "$repo" status --porcelain -uall | cut -c 4-
	} | sed -En "s,^($driver|$emulator)(tests/)?(intel|amd)[/._].*,\3,p
		t
		s,^($driver|$emulator).*[.][chS]$,intel\namd,p" | sort -u
}

# choose_pmus - print the PMUs in turn that run, one per line
choose_pmus() {
	local first number vendor
	case ${PMUS:-} in
	all)
		printf '%s\n' "${pmus_in_turn[@]}"
		return
		;;
	others)
		# those that are left out otherwise
		printf '%s\n' "${pmus_in_turn[@]}" | grep -vxF -f <(PMUS='' choose_pmus)
		return
		;;
	esac
	first=$("$support/scripts/turn" 3)
	{
		for ((number = first; number < ${#pmus_in_turn[@]}; number += 3)); do
			echo "${pmus_in_turn[number]}"
		done
		for vendor in $(changed_vendors); do
			of_vendor "$vendor" "${pmus_in_turn[@]}"
		done
	} | sort -u
}

# Boot parameters of machines with a plus sign. "untested": the driver behaves as on hardware that
# is new to it. "mixed" has it take another value for two of the three. "late": precise records come
# some register accesses after their counters were stopped. "broken": one of them is none, and one
# branch is traced outside of the buffer.
untested_parameters="x86_pmu_emulator_untested"
mixed_parameters="$untested_parameters perf_x86_precise=on perf_x86_trace=off"
late_parameters="x86_pmu_emulator_late_records=3"
broken_parameters="x86_pmu_emulator_spoil=counters,trace"

# Boot parameters of machines with "+stuck": counters that do not count.
declare -A stuck_counters=(
	[intel-v5]="still:1,forgets:3,off:5,faults:6,still:f1,still:f2"
	[amd-perfmonv2]="still:0,forgets:2"
	[intel-v2]="still:all"
)

# describe_machine - set for $pmu what belongs to its machine: $suffix of its name, kernel
# parameters in $append, $options of QEMU, $smp and $memory, $within, which is put before the
# command, and $timeout and $each, the seconds of the machine and of a program. They are the
# caller's.
#
# The PMU may be "many": a machine with 64 CPUs, for the tests of that name. PMU+icount is a
# machine with -icount, PMU+icount+hostile one with faults. While it is idle, its clock follows
# that of the host (sleep=on). Otherwise the clock jumps to the next timer: hours pass in a machine
# that waits some seconds for a file of a busy host.
describe_machine() {
	[ "$variant" = stock ] || append=kunit.enable=1
	# the machine with all programs
	[ -n "$pmu" ] && [ "$pmu" != "$main_pmu" ] || timeout=3600
	if [ "$pmu" = many ]; then
		# its CPUs share one CPU of the host, which other programs may use as
		# well
		append="nosoftlockup rcupdate.rcu_cpu_stall_timeout=300" smp=64 memory=${MEMORY:-2G}
		timeout=3600 each=1800
		suffix+=-64-cpus
		options=(--boot-timeout 1800)
	elif [ "$arch" = arm64 ] && [ -n "$pmu" ]; then
		append="kunit.enable=1 kunit.filter_glob=perf_arm64_power" smp=1
		[ "$pmu" != cortex-a57 ] || append+=" irqchip.gicv3_pseudo_nmi=1"
		suffix+=-counted-${pmu%%,*}
		options=(--qemu "-machine virtualization=on -icount shift=0,sleep=on -cpu $pmu")
	elif [ "$arch" = arm64 ] && [ "$variant" != stock ]; then
		append+=" kunit.filter=module!=power_test"
	elif [ -n "$pmu" ]; then
		append="x86_pmu_emulator=${pmu%%+*}"
		if [ "$pmu" = "$main_pmu" ]; then
			append+=" kunit.enable=1"
		else
			# only the tests of what differs between the PMUs
			append+=" kunit.enable=1 kunit.filter_glob=perf_x86_[ipst]*"
			suffix+=-$pmu
		fi
	fi
	# KUnit expects that everything is offered, and lets records come late by itself.
	case $pmu in
	*+untested) append="x86_pmu_emulator=${pmu%%+*} $untested_parameters" ;;
	*+mixed) append="x86_pmu_emulator=${pmu%%+*} $mixed_parameters" ;;
	*+late) append="x86_pmu_emulator=${pmu%%+*} $late_parameters" ;;
	*+broken) append="x86_pmu_emulator=${pmu%%+*} $broken_parameters" ;;
	*+stuck)
		append="x86_pmu_emulator=${pmu%%+*}"
		append+=" x86_pmu_emulator_stuck=${stuck_counters[${pmu%%+*}]}"
		;;
	esac
	# KUnit expects registers without faults.
	[[ $pmu != *+hostile ]] ||
		append="x86_pmu_emulator=${pmu%%+*} x86_pmu_emulator_hostile=$hostile_seed"
	if [[ $pmu == *+icount* ]]; then
		append+=" x86_pmu_emulator_clock=instructions" smp=1
		options=(--qemu "-icount shift=1,sleep=on")
	fi
	# Two machines have cores with two threads, because the PMUs have registers that
	# threads share. QEMU's own CPU is AMD's, without such threads. Here it is a
	# Haswell for libraries.
	case $pmu in
	intel-haswell | intel-westmere)
		smp=${SMP:-4,sockets=1,cores=2,threads=2}
		options=(--qemu "-cpu max,vendor=GenuineIntel,family=6,model=60")
		;;
	esac
	# Two packages, with a CPU that the drivers of its uncore PMUs support. These
	# drivers find no PMU under a hypervisor, so it is hidden.
	case $pmu in
	intel-pt)
		smp=${SMP:-4,sockets=2,cores=2}
		options=(--qemu "-cpu ${cpu:-Haswell,model=63},-hypervisor,check=off")
		suffix+=${cpu:+-$cpu}
		;;
	amd-ibs)
		smp=${SMP:-4,sockets=2,cores=2}
		options=(--qemu "-cpu max,vendor=AuthenticAMD,family=25,model=17")
		;;
	# perf mem and perf c2c use the events of the CPU's vendor, and perf traces on CPUs of Intel
	intel-skylake | intel-skylake+broken)
		options=(--qemu "-cpu max,vendor=GenuineIntel,family=6,model=85")
		;;
	# a family with CPUs that report their power
	amd-legacy) options=(--qemu "-cpu max,vendor=AuthenticAMD,family=21") ;;
	esac
	# An event without a kind of cores counts on cores of the first kind.
	case $pmu in
	*hybrid | intel-alderlake | intel-meteorlake | intel-arrowlake-h | intel-lunarlake)
		# shellcheck disable=SC2016 # for the shell in the machine
		within='taskset -c "$(cat /sys/devices/cpu_core/cpus)"' ;;
	esac
	# What security modules decide lasts until the machine ends. KUnit does not run here.
	if [ -n "${modules_of_security:-}" ]; then
		append="lsm=$modules_of_security"
		# The other cases of permission_matrix run without these modules.
		within="PERF_TEST_LOCKDOWN=1 CASES_OF_permission_matrix='-f locked_down'"
		suffix+=-security
	fi
	# Only these kinds of events need what this PMU has.
	[ "$pmu" != intel-skylake ] ||
		within="CASES_OF_faults_open='-v branch_stack -v precise_event'"
	# The test sets the other CPUs online.
	if [ -n "${cpus_at_boot:-}" ]; then
		append+=" maxcpus=$cpus_at_boot"
		suffix+=-late
	fi
}

# fits MACHINE PROGRAM - does vm/places permit the program on the machine?
fits() {
	local programs machines
	while read -r programs machines; do
		[[ $programs != [a-z]* ]] || [[ ! $2 =~ ^($programs)$ ]] || {
			[[ $1 =~ ^($machines)$ ]]
			return
		}
	done <"$support/vm/places"
}

# fitting MACHINE PROGRAM... - print the programs that vm/places permits on the machine
fitting() {
	local machine=$1 program
	shift
	for program; do
		! fits "$machine" "$program" || echo "$program"
	done
}

# matching REGEX PROGRAM... - print the programs whose names match
matching() {
	local regex=$1
	shift
	[ $# = 0 ] || printf '%s\n' "$@" | grep -Ex "$regex" || true
}
