# SPDX-License-Identifier: GPL-2.0
"""The files "features", "unprovoked", "nowhere" and vm/places, and the names of tests."""
import os
import re

HERE = os.path.dirname(os.path.realpath(__file__))
SELFTESTS = 'tools/testing/selftests/perf_events'
KSELFTEST = re.compile(r'^TEST(_F|_F_TIMEOUT|_SIGNAL|_F_SIGNAL)?\(\s*(\w+)(?:,\s*(\w+))?', re.M)
VARIANT = re.compile(r'^FIXTURE_VARIANT_ADD\(\s*(\w+),\s*(\w+)\)', re.M)
SCRIPT = re.compile(r'^test_(\w+)\(\)', re.M)
KUNIT = re.compile(r'KUNIT_CASE\w*\((\w+)')
SUITE = re.compile(r'struct kunit_suite \w+ = \{.*?\.name\s*=\s*"(\w+)"', re.S)


class Row:
    """A feature: its tests, and where it cannot be, with reasons."""

    def __init__(self, name, tests, line):
        self.name = name
        self.tests = tests      # PROGRAM.CASE
        self.line = line
        self.absent = []        # (pattern of machines, reason, tests that show the refusal)
        self.sometimes = set()  # patterns that a run need not use

    def all_tests(self):
        """Return the tests that the row names anywhere."""
        return self.tests + [test for _, _, shown in self.absent for test in shown]


def read_features(path=os.path.join(HERE, 'features')):
    """Return {section: [Row, ...]}. The file describes its form."""
    sections, rows = {}, None
    with open(path, encoding='utf-8') as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip()
            if not line or line.startswith('#'):
                continue
            if line.startswith('['):
                rows = sections.setdefault(line.strip('[]'), [])
            elif line.lstrip().startswith(('not ', 'sometimes ')):
                kind, where, reason = re.match(r'\s+(\w+) (\S+): (.*)', line).groups()
                if kind == 'sometimes':
                    rows[-1].sometimes.add(where)
                shown = re.search(r' \[([\w. ]+)\]$', reason)
                rows[-1].absent.append((where, reason[:shown.start()] if shown else reason,
                                        shown[1].split() if shown else []))
            elif line[0].isspace():
                rows[-1].tests += line.split()
            else:
                name, *tests = line.split()
                rows.append(Row(name, tests, number))
    return sections


def read_unprovoked(path=os.path.join(HERE, 'unprovoked')):
    """Return {refusal: reason}."""
    out, last = {}, None
    with open(path, encoding='utf-8') as file:
        for line in file:
            line = line.rstrip()
            if not line or line.startswith('#'):
                continue
            if line[0].isspace():
                out[last] = (out[last] + ' ' + line.strip()).strip()
            else:
                last = line
                out[last] = ''
    return out


def read_nowhere(path=os.path.join(HERE, 'nowhere')):
    """Return {pattern of tests: reason}."""
    with open(path, encoding='utf-8') as file:
        return dict(line.rstrip('\n').split(': ', 1) for line in file
                    if line.strip() and not line.startswith('#'))


def fits(machine, program, path=os.path.join(HERE, '../vm/places')):
    """Return whether vm/places permits the program, or suite of KUnit, on the machine."""
    with open(path, encoding='utf-8') as file:
        for line in file:
            found = re.fullmatch(r'([a-z]\S*)\s+(\S+)\s*', line)
            if found and re.fullmatch(found[1], program):
                return bool(re.fullmatch(found[2], machine))
    return program.startswith(('hw_', 'perf_x86_'))


def programs(build, architectures):
    """Return the programs of the selftests that were built."""
    found = set()
    for arch in architectures:
        with open(os.path.join(build, arch, 'selftests/list'), encoding='utf-8') as file:
            found |= set(file.read().split())
    return found


def program_of(test):
    """Return the program of a test."""
    return re.match(r'[^.]*(\.sh(?=\.))?', test)[0]


def in_program(program, text):
    """Return the tests of a program's source."""
    found, variants = set(), VARIANT.findall(text)
    for _, fixture, case in KSELFTEST.findall(text):
        found.add(f'{program}.{case or fixture}')
        found |= {f'{program}.{variant}.{case}' for of, variant in variants if of == fixture}
    return found


def existing_tests(tree):
    """Return the tests of the sources: PROGRAM.CASE, PROGRAM.VARIANT.CASE or SUITE.CASE."""
    found = set()
    for folder, _, files in os.walk(os.path.join(tree, SELFTESTS)):
        for name in files:
            program, suffix = os.path.splitext(name)
            if suffix not in ('.c', '.sh'):
                continue
            with open(os.path.join(folder, name), encoding='utf-8') as file:
                text = file.read()
            if suffix == '.sh':
                found |= {f'{name}.{case}' for case in SCRIPT.findall(text)}
            else:
                found |= in_program(program, text)
    for top in ('kernel/events', 'arch/x86/events', 'arch/arm64/kernel/perf', 'lib/pmu_emulator'):
        for folder, _, files in os.walk(os.path.join(tree, top)):
            for name in files:
                if name.endswith('_test.c'):
                    with open(os.path.join(folder, name), encoding='utf-8') as file:
                        text = file.read()
                    for suite in SUITE.findall(text):
                        found |= {f'{suite}.{case}' for case in KUNIT.findall(text)}
    return found
