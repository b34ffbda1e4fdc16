# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""Memory is kept small and steady: seen in processes of their own."""

from __future__ import annotations

import subprocess
import sys

# the C library begins the heaps of threads at multiples of 64 MiB
COUNT_HEAPS = """
import ctypes, re, sys, threading
from charmie_dynamics.ros.process.allocator import keep_little

if sys.argv[1] == "little":
    keep_little()
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
done = threading.Barrier(2)

def allocate():
    libc.malloc(2000)
    done.wait()  # with its heap in use
    done.wait()

thread = threading.Thread(target=allocate)
thread.start()
done.wait()
maps = open("/proc/self/maps").read()
starts = re.findall("^([0-9a-f]+)-[0-9a-f]+ rw-p [0-9a-f]+ 00:00 0 *$", maps, re.M)
print(sum(int(start, 16) % (64 << 20) == 0 for start in starts))
done.wait()
"""


def heaps_of_threads(how: str) -> int:
    command = [sys.executable, "-c", COUNT_HEAPS, how]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def test_threads_share_one_heap() -> None:
    assert heaps_of_threads("usual") == 1
    assert heaps_of_threads("little") == 0


MAKE_SMALL_OBJECTS = """
import os, sys
from charmie_dynamics.ros.process.allocator import RESERVE, reserve_for_small_objects

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

resident()  # what it needs itself at the first time
if sys.argv[1] == "reserved":
    reserve_for_small_objects()
highest = before = resident()
for size in (100, 200, 300):
    objects = [bytes(size) for _ in range(RESERVE // 2 // (size + 48))]
    highest = max(highest, resident())
    del objects
print(highest - before)
"""


def growth_by_small_objects(how: str) -> int:
    command = [sys.executable, "-c", MAKE_SMALL_OBJECTS, how]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def test_small_objects_find_memory_that_was_reserved() -> None:
    assert growth_by_small_objects("usual") > 300_000
    assert growth_by_small_objects("reserved") < 100_000
