# SPDX-License-Identifier: GPL-2.0
"""Code that the checks share."""


class Tap:
    """Writes results as TAP to standard output."""

    def __init__(self):
        self.count = self.failed = 0
        print('TAP version 13')

    def result(self, good, what, notes=(), skip=''):
        """Write one result, after its notes."""
        self.count += 1
        self.failed += not good
        for note in notes:
            print('# ' + note)
        print(('ok' if good else 'not ok') + f' {self.count} {what}' + (f' # SKIP {skip}' if skip else ''))

    def finish(self):
        """Write the plan. Return the exit status."""
        print(f'1..{self.count}')
        return 1 if self.failed else 0
