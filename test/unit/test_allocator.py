"""The C library keeps no memory that nobody uses: seen in processes of their own."""

from __future__ import annotations

import subprocess
import sys

# the C library begins the heaps of threads at multiples of 64 MiB
COUNT_HEAPS = """
import ctypes, re, sys, threading
from charmie_dynamics.ros.allocator import keep_little

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
