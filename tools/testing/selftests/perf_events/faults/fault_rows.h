/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A test for each row of a program with faults:
 *
 *	FAULT_ROW(open_task, .act = open_event, .undo = close_event, .copies = 1);
 */
#ifndef FAULT_ROWS_H
#define FAULT_ROWS_H

#include "../lib/faults.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"

FIXTURE(faults)
{
	const char *missing;
};

FIXTURE_VARIANT(faults)
{
	const struct fault_row *row;
};

FIXTURE_SETUP(faults)
{
}

FIXTURE_TEARDOWN_PARENT(faults)
{
	fault_restore();
}

/* In the test, and not in the fixture: faults are made only in the thread that has set them up. */
TEST_F(faults, each)
{
	const struct fault_row *row = variant->row;

	if (row->missing)
		self->missing = row->missing();
	if (self->missing)
		SKIP(return, "%s", self->missing);
	SKIP_WITHOUT_FAULTS();
	EXPECT_FAULTS(row);
}

#define FAULT_ROW(_row, ...)						\
	static const struct fault_row _row = { .name = #_row, ##__VA_ARGS__ }; \
	FIXTURE_VARIANT_ADD(faults, _row) { .row = &_row }

#endif /* FAULT_ROWS_H */
