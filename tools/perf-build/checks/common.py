# SPDX-License-Identifier: GPL-2.0
"""What the checks share."""


class Tap:
    """Results, as TAP on standard output."""

    def __init__(self):
        self.count = self.failed = 0
        print('TAP version 13')

    def result(self, good, what, notes=(), skip=''):
        """One result, after what there is to say about it."""
        self.count += 1
        self.failed += not good
        for note in notes:
            print('# ' + note)
        print(('ok' if good else 'not ok') + f' {self.count} {what}' + (f' # SKIP {skip}' if skip else ''))

    def finish(self):
        """The plan. Return: the exit status."""
        print(f'1..{self.count}')
        return 1 if self.failed else 0
