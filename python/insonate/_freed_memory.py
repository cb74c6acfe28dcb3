"""Memory that was freed and that the allocator keeps."""

from __future__ import annotations

import ctypes


def return_to_system() -> None:
    """Returns freed memory to the operating system, where the C library has a function for it.

    glibc keeps freed memory in an arena for each thread, and every vector of environments has threads of its own: without this,
    programs that make many vectors grow.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
