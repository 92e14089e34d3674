#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Choose lines of C files to change, and change them.

usage: mutants.py list SEED COUNT FILE...	print "FILE LINE OPERATOR", one per line
       mutants.py apply FILE LINE OPERATOR	change the file, and print the change

The choice depends on SEED and on the files only. Each change compiles in most cases. Lines that
only state what is known (assertions, barriers that no emulator needs, hints) are left alone.
"""

import random
import re
import sys

# Statements without an effect that a test can see.
SILENT = re.compile(r"\b(lockdep_|WARN|BUILD_BUG|smp_|barrier|cond_resched|might_sleep|prefetch|"
                    r"cpu_relax|KUNIT|EXPORT_|MODULE_|static_assert|DEFINE_|DECLARE_)")

CALL = re.compile(r"^\t+[a-z_]\w*(\([^;]*\))+;$")
ASSIGNMENT = re.compile(r"^\t+\*?[a-z_]\w*((->|\.)\w+|\[[^]]*\])+ [-+|&]?= [^;]*;$")
CONDITION = re.compile(r"^(\t+(?:\} else )?(?:if|while) )\((.*)\)( \{)?$")


def is_balanced(text):
    """Return whether the parentheses of an expression close within it."""
    depth = 0
    for char in text:
        depth += (char == "(") - (char == ")")
        if depth < 0:
            return False
    return depth == 0


def negate(line):
    """Negate a condition."""
    match = CONDITION.match(line)
    if not match or not is_balanced(match[2]):
        return None
    return f"{match[1]}(!({match[2]})){match[3] or ''}"


def drop_call(line):
    """Drop a statement that is a call."""
    if not CALL.match(line) or not is_balanced(line):
        return None
    return re.match(r"\t+", line)[0] + ";"


def drop_assignment(line):
    """Drop the change of a member or of an element."""
    if not ASSIGNMENT.match(line) or not is_balanced(line):
        return None
    return re.match(r"\t+", line)[0] + ";"


def replace_with(old, new):
    """Return an operator that replaces the only occurrence of some text."""
    def operator(line):
        if line.count(old) != 1 or line.lstrip().startswith("for ("):
            return None
        return line.replace(old, new)
    return operator


OPERATORS = {
    "negate": negate,
    "drop-call": drop_call,
    "drop-assignment": drop_assignment,
    "less": replace_with(" < ", " <= "),
    "less-or-equal": replace_with(" <= ", " < "),
    "greater": replace_with(" > ", " >= "),
    "greater-or-equal": replace_with(" >= ", " > "),
    "equal": replace_with(" == ", " != "),
    "and": replace_with(" && ", " || "),
    "or": replace_with(" || ", " && "),
    "plus-one": replace_with(" + 1", ""),
    "minus-one": replace_with(" - 1", ""),
    "true": replace_with("return true;", "return false;"),
    "false": replace_with("return false;", "return true;"),
}


def code_lines(path):
    """Iterate over the lines of a file that are code: their index and text."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    in_comment = in_macro = False
    for index, line in enumerate(lines):
        text = line.strip()
        if in_comment or text.startswith("/*"):
            in_comment = "*/" not in text
            continue
        if in_macro or text.startswith("#"):
            in_macro = text.endswith("\\")
            continue
        if line.startswith("\t") and '"' not in line and not SILENT.search(line):
            yield index, line


def mutants_of(path):
    """Return the changes that are possible in a file."""
    return [(path, index + 1, name) for index, line in code_lines(path)
            for name, operator in OPERATORS.items() if operator(line) is not None]


def main():
    """Run the command."""
    command, *rest = sys.argv[1:]
    if command == "list":
        seed, count, *paths = rest
        found = [mutant for path in sorted(paths) for mutant in mutants_of(path)]
        random.Random(int(seed)).shuffle(found)
        for path, number, name in found[:int(count)]:
            print(path, number, name)
    elif command == "apply":
        path, number, name = rest
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        old = lines[int(number) - 1]
        lines[int(number) - 1] = OPERATORS[name](old)
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
        print(f"-{old}\n+{lines[int(number) - 1]}")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
