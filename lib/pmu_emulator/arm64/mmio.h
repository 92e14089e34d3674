/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Macros that turn a driver's accesses to memory-mapped registers into calls of an emulator.
 *
 * A driver's wrapper includes this last of all headers, so that the macros apply to the driver
 * alone. Before, it defines EMU_READ(address, bytes) and EMU_WRITE(value, address, bytes), of
 * 4 or 8 bytes.
 */
#undef readl
#define readl(_at)			((u32)EMU_READ(_at, 4))
#undef readl_relaxed
#define readl_relaxed(_at)		readl(_at)
#undef readq
#define readq(_at)			EMU_READ(_at, 8)
#undef readq_relaxed
#define readq_relaxed(_at)		readq(_at)
#undef writel
#define writel(_value, _at)		EMU_WRITE(_value, _at, 4)
#undef writel_relaxed
#define writel_relaxed(_value, _at)	writel(_value, _at)
#undef writeq
#define writeq(_value, _at)		EMU_WRITE(_value, _at, 8)
#undef writeq_relaxed
#define writeq_relaxed(_value, _at)	writeq(_value, _at)
