#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Turn the lists of Intel's core events in tools/perf/pmu-events into a C header.

usage: pmu-events.py tools/perf/pmu-events/arch/x86 >pmu-events.h

intel_model_test.c compares the driver's tables with it. Only what the driver can know
is kept: which event select values there are, on which counters, with which value
in which register beside, and whether they are precise.
"""

import csv
import json
import os
import re
import sys

# Units that are cores, and their type in CPUID leaf 0x1a.
CORE_TYPES = {"cpu_core": 0x40, "cpu_atom": 0x20}
FIXED = 32


def number(text):
    """A number as the files have it, 0 for an absent one."""
    return int(text, 0) if text else 0


def numbers(text):
    """A list of numbers, separated by commas."""
    return [int(word, 0) for word in (text or "0").replace(" ", "").split(",")]


def select_values(event):
    """The event select values that count an event: one, or one for each register."""
    umask = number(event.get("UMask"))
    fields = ((umask & 0xff) << 8 | (umask >> 8) << 40 |
              number(event.get("CounterMask")) << 24 | number(event.get("Invert")) << 23 |
              number(event.get("AnyThread")) << 21 | number(event.get("EdgeDetect")) << 18)
    return [code | fields for code in numbers(event.get("EventCode"))]


def counters(event):
    """Mask of the counters of an event, fixed ones from bit 32."""
    text = event["Counter"]
    if text.startswith("Fixed"):
        return 1 << (FIXED + int(text.split()[-1]))
    return sum(1 << int(word) for word in text.split(","))


def read_folder(path):
    """All core events of a folder: [(unit, event)]."""
    found = []
    for name in sorted(os.listdir(path)):
        if not name.endswith(".json") or "uncore" in name or "metric" in name:
            continue
        with open(os.path.join(path, name), encoding="utf-8") as file:
            found += [(event.get("Unit", ""), event) for event in json.load(file)
                      if "EventName" in event and not event.get("Deprecated")]
    return found


def rows(events):
    """The rows of a table: (name, select value, counters, registers, their value, precise)."""
    fixed = [counters(event) for event in events if event["Counter"].startswith("Fixed")]
    # Older folders number the fixed counters from 1, and give them no event.
    from_one = not any(mask == 1 << FIXED for mask in fixed)
    found = []
    on_counters = {}
    precise = set()
    for event in events:
        mask = counters(event)
        if mask >> FIXED and (from_one or event.get("AnyThread")):
            continue
        registers = numbers(event.get("MSRIndex"))
        value = numbers(event.get("MSRValue"))[0]
        for select in select_values(event):
            found.append((event["EventName"], select, registers, value))
            on_counters[select] = on_counters.get(select, 0) | mask
            if number(event.get("PEBS")):
                precise.add(select)
    return [(name, select, on_counters[select], registers, value, select in precise)
            for name, select, registers, value in found]


def models_of(pattern):
    """The models of family 6 that a pattern of mapfile.csv stands for."""
    pattern = re.compile(pattern)
    return [model for model in range(256)
            if any(pattern.fullmatch(f"GenuineIntel-6-{model:02X}{stepping}")
                   for stepping in [""] + [f"-{step:X}" for step in range(16)])]


def print_table(name, core_type, models, table):
    """One folder, or one kind of cores of it."""
    symbol = f"{name}_{core_type:x}".replace("-", "_")
    print(f"static const u8 models_{symbol}[] = {{ "
          + ", ".join(f"{model:#x}" for model in models) + " };")
    print(f"static const struct json_event events_{symbol}[] = {{")
    for event, select, mask, registers, value, precise in table:
        registers = (registers + [0])[:2]
        print(f'\t{{ "{event}", {select:#x}, {mask:#x}, '
              f"{{ {registers[0]:#x}, {registers[1]:#x} }}, {value:#x}, {precise:d} }},")
    print("};\n")
    return (f'\t{{ "{name}", {core_type:#x}, models_{symbol}, ARRAY_SIZE(models_{symbol}), '
            f"events_{symbol}, ARRAY_SIZE(events_{symbol}) }},")


def main():
    """pmu-events.py FOLDER"""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    top = sys.argv[1]
    print("/* Made by pmu-events.py out of tools/perf/pmu-events. */\n")
    folders = []
    with open(os.path.join(top, "mapfile.csv"), encoding="utf-8") as file:
        lines = [line for line in csv.reader(file) if line[0].startswith("GenuineIntel")]
    for pattern, _, name, _ in lines:
        events = read_folder(os.path.join(top, name))
        for unit in sorted({unit for unit, _ in events}):
            folders.append(print_table(name, CORE_TYPES.get(unit, 0), models_of(pattern),
                                       rows([event for of, event in events if of == unit])))
    print("static const struct json_folder json_folders[] = {")
    print("\n".join(folders))
    print("};")


if __name__ == "__main__":
    main()
