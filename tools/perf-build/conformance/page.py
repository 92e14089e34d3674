# SPDX-License-Identifier: GPL-2.0
"""The page conformance.rst."""
import collections

HEAD = '''.. SPDX-License-Identifier: GPL-2.0
.. Written by tools/perf-build/scripts/conformance from the results of "make test".

===========
Conformance
===========

Each feature of the ABI, the tests that show it, and what they said on the machines of this
run. A test is *program.case*, a program of ``tools/testing/selftests/perf_events``, or a case of
a KUnit suite. ``testing.rst`` describes the machines and the PMU of each. Where a feature
cannot be, the table says why. The names are those of ``include/uapi/linux/perf_event.h``.
``make test`` made this page; ``tools/perf-build/conformance/features`` has its rows.

'''
PASSED, ABSENT, FAILED = '✓', '–', '✗'


def heading(text, line='='):
    """Return a heading."""
    return f'{text}\n{line * len(text)}\n\n'


def list_table(widths, head, rows, header=1):
    """Return a list-table."""
    out = f'.. list-table::\n   :header-rows: {header}\n   :widths: {" ".join(map(str, widths))}\n\n'
    for row in [head] + rows:
        for number, cell in enumerate(row):
            out += ('   * - ' if number == 0 else '     - ') + (cell or '..') + '\n'
    return out + '\n'


def short(machine):
    """Return the name of a machine as the table shows it."""
    return machine.removeprefix('x86_64-')


def escape(text):
    """Return text without markup."""
    return ''.join('\\' + char if char in '\\*`|_<>' else char for char in text)


def of_arch(state, arch):
    """Return the cell of an architecture: passed, or the reason."""
    cells = [(machine, cell) for machine, cell in state.cells.items()
             if machine == arch or machine.startswith(arch + '-')]
    if any(cell[0] == 'failed' for _, cell in cells):
        return '**failed**'
    passed = [machine for machine, cell in cells if cell[0] == 'passed']
    if passed:
        if arch in passed or len(passed) > 3:
            return 'passed'
        return 'passed on ' + ', '.join(map(short, passed))
    reason = state.cells.get(arch, ('', ''))[1]
    shown = [test for where, text, tests in state.row.absent if text == reason for test in tests]
    return escape(reason) + ''.join(f'; ``{test}``' for test in shown)


def features(section, states, archs):
    """Return the table of a section."""
    rows = [[f'``{state.row.name}``',
             ', '.join(f'``{test}``' for test in state.row.tests)] +
            [of_arch(state, arch) for arch in archs] for state in states]
    return heading(section.capitalize()) + list_table(
        [30, 40] + [15] * len(archs), ['feature', 'tests'] + list(archs), rows)


def by_pmu(sections, machines):
    """Return the table of features that depend on the PMU, with a column for each machine."""
    pmus = [each for each in machines if not each.endswith(('-64-cpus', '-late'))]
    reasons, rows = {}, []
    for states in sections.values():
        for state in states:
            columns = [state.cells.get(each) for each in pmus]
            if sum(1 for cell in columns if cell) < 4:
                continue
            row = [f'``{state.row.name}``']
            for cell in columns:
                if not cell:
                    row.append('')
                elif cell[0] == 'absent':
                    number = reasons.setdefault(cell[1], len(reasons) + 1)
                    row.append(f'{ABSENT} [{number}]')
                else:
                    row.append(PASSED if cell[0] == 'passed' else FAILED)
            rows.append(row)
    out = heading('Features by PMU')
    out += (f'{PASSED} passed, {ABSENT} cannot be there for the reason of this number, nothing: '
            'the tests did not run there, because the feature does not depend on the PMU. '
            '``x86_64`` has the emulated PMU ``intel-v2``.\n\n')
    out += list_table([20] + [5] * len(pmus), ['feature'] + [escape(short(each)) for each in pmus],
                      rows)
    for reason, number in reasons.items():
        out += f'{number}. {escape(reason)}\n'
    return out + '\n'


def refusals(refused):
    """Return the tables of the refusals."""
    out = heading('Refusals')
    out += ('What ``/proc/self/perf_event_refusal`` says, as the code has it, and the programs and '
            'KUnit suites that provoked it in this run.\n\n')
    rows = [[f'``{refusal.path}`` {refusal.line}', escape(str(refusal)), by_programs(programs)]
            for refusal, programs, _ in refused if programs]
    out += list_table([25, 45, 30], ['code', 'refusal', 'provoked by'], rows)
    rows = [[f'``{refusal.path}`` {refusal.line}', escape(str(refusal)), escape(reason)]
            for refusal, programs, reason in refused if not programs]
    if rows:
        out += 'No test provokes these.\n\n'
        out += list_table([25, 45, 30], ['code', 'refusal', 'why'], rows)
    return out


def by_programs(programs):
    """Return the names of programs, some if they are many."""
    if len(programs) > 4:
        return ', '.join(f'``{each}``' for each in programs[:3]) + f' and {len(programs) - 3} more'
    return ', '.join(f'``{each}``' for each in programs)


def summary(sections, refused, machines):
    """Return the numbers of the run."""
    counts = collections.Counter()
    for states in sections.values():
        for state in states:
            good = [cell[0] for cell in state.cells.values()]
            counts['failed' if state.faults or 'failed' in good else
                   'passed' if 'passed' in good else 'absent'] += 1
    provoked = sum(1 for _, programs, _ in refused if programs)
    return (f'{sum(counts.values())} features on {len(machines)} machines: {counts["passed"]} passed, '
            f'{counts["absent"]} cannot be on any of them, {counts["failed"]} failed. '
            f'{provoked} of {len(refused)} refusals were provoked.\n\n')


def write(sections, refused, machines):
    """Return the page."""
    archs = [arch for arch in ('x86_64', 'arm64') if arch in machines]
    out = HEAD + summary(sections, refused, machines)
    for section, states in sections.items():
        if states:
            out += features(section, states, archs)
    return out + by_pmu(sections, machines) + refusals(refused)
