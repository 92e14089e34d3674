# SPDX-License-Identifier: GPL-2.0
"""The refusals in the code, as "FIELD: REASON" with numbers replaced by 0."""
import os
import re

FOLDERS = ('kernel/events', 'arch/x86/events', 'arch/arm64/kernel/perf')
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*', re.S)
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
# a call, or a function that passes its text to one
CALL = re.compile(r'\b(perf_refuse|perf_attr_refuse_size)\(')
RULE = re.compile(r'\.field\s*=\s*"(\w+)".*?\.reason\s*=\s*((?:"[^"]*"|\w+|\s)+),', re.S)
MACRO_RULE = re.compile(r'_rule\("(\w+)",\s*\w+,\s*\\?\s*((?:"[^"]*"\s*\\?\s*)+)\)')
# a function that returns the text of a refusal
FAULTS = re.compile(r'^const char \*(\w+)\([^;{]*\)\n\{\n(.*?)^\}', re.M | re.S)
CONVERSION = re.compile(r'%[-#0]*(?:\d+|\*)?(?:\.\d+|\.\*)?(?:hh|h|ll|l|z)?([diuxXscp][A-Za-z]*)')
NUMBER = re.compile(r'0x[0-9a-f]+|\d+')


class Refusal:
    """One place in the code that refuses."""

    def __init__(self, path, line, fields, reason):
        self.path, self.line, self.fields, self.reason = path, line, fields, reason
        field = '|'.join(map(pattern_of, fields))
        self.pattern = re.compile(f'({field}): {pattern_of(reason)}\\Z')

    def __str__(self):
        return f'{" or ".join(self.fields)}: {self.reason}'


def pattern_of(form):
    """Return a regular expression for what a format prints, numbers being 0."""
    out, at = '', 0
    for found in CONVERSION.finditer(form):
        out += re.escape(NUMBER.sub('0', form[at:found.start()]))
        out += '-?0' if found[1][0] in 'diuxX' and len(found[1]) == 1 else '.*'
        at = found.end()
    return out + re.escape(NUMBER.sub('0', form[at:].replace('%%', '%')))


def arguments(text, start):
    """Return the arguments of a call whose parenthesis opens before start."""
    out, depth, last, at, quoted = [], 0, start, start, False
    while True:
        char = text[at]
        if quoted:
            at += char == '\\'
            quoted = char != '"'
        elif char == '"':
            quoted = True
        elif char in '([{':
            depth += 1
        elif char in ')]}' and depth:
            depth -= 1
        elif char == ')' or (char == ',' and not depth):
            out.append(text[last:at].strip())
            last = at + 1
            if char == ')':
                return out
        at += 1


def literal(text, constants):
    """Return the string that an expression of literals stands for, or None if it is a choice."""
    parts = re.findall(r'"(?:[^"\\]|\\.)*"|\w+', text)
    if '"' not in text or '?' in text:
        return None
    return ''.join(part[1:-1] if part[0] == '"' else constants.get(part, '%s')
                   for part in parts)


def texts_of(text, at, name, functions):
    """Return the strings that a variable can have at a position of the text."""
    before = text[:at]
    before = before[before.rfind('\n}\n') + 1:]
    out = []
    for value in re.findall(rf'\b{name}\s*=\s*([^;]*);', before):
        call = re.match(r'(\w+)\(', value)
        out += functions.get(call[1], []) if call else STRING.findall(value)
    return out


def reasons_of(args, text, at, functions):
    """Return the texts of a call's reason."""
    constants = {'STACK_MOST_TEXT': '0'}
    form = literal(args[2], constants)
    if form is None:
        return STRING.findall(args[2])
    if form == '%s' and len(args) == 4:
        return STRING.findall(args[3]) or texts_of(text, at, args[3], functions) or [form]
    return [form]


def in_file(path, text, functions):
    """Yield the refusals of a file. functions: {name: strings that the function returns}."""
    constants = {'STACK_MOST_TEXT': '0'}

    def line_of(at):
        return text.count('\n', 0, at) + 1

    for found in CALL.finditer(text):
        args = arguments(text, found.end())
        if found[1] == 'perf_attr_refuse_size':
            args = ['', '"size"'] + args[1:]
        # Not definitions; and a table has its texts itself.
        if 'char' in args[2] or 'rule' in args[1] or args[2] == 'reason':
            continue
        for reason in reasons_of(args, text, found.start(), functions):
            yield Refusal(path, line_of(found.start()), STRING.findall(args[1]), reason)
    for found in RULE.finditer(text):
        yield Refusal(path, line_of(found.start()), [found[1]], literal(found[2], constants))
    for found in MACRO_RULE.finditer(text):
        yield Refusal(path, line_of(found.start()), [found[1]],
                      literal(found[2].replace('\\', ''), constants))


def in_tree(tree, folders=FOLDERS):
    """Return the refusals of the code, without those of tests."""
    texts = {}
    for top in folders:
        for folder, _, files in sorted(os.walk(os.path.join(tree, top))):
            for name in sorted(files):
                if not name.endswith('.c') or name.endswith('_test.c') or \
                   os.path.basename(folder) == 'tests':
                    continue
                path = os.path.join(folder, name)
                with open(path, encoding='utf-8') as file:
                    texts[os.path.relpath(path, tree)] = COMMENT.sub(
                        lambda found: '\n' * found[0].count('\n'), file.read())
    functions = {found[1]: re.findall(r'return "([^"]*)"', found[2])
                 for text in texts.values() for found in FAULTS.finditer(text)}
    out = [refusal for path, text in texts.items() for refusal in in_file(path, text, functions)]
    return sorted(out, key=lambda each: (each.path, each.line))
