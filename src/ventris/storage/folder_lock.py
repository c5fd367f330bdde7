"""One fit at a time in a folder: a lock that no dead process holds.

The operating system keeps the lock for as long as the process lives that took it, and lets it go when that
process ends, even by kill −9: a lock file left behind locks nothing. On a network drive it holds among
machines only if the drive passes locks on (NFS does, unless mounted with ``nolock``); where a file system
knows no locks at all, work goes on without one.
"""

from __future__ import annotations

import errno
import os
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ventris.errors import FileFormatError, InUseError
from ventris.storage.files import make_folder

_LOCK = "lock"
_TRIES = 100  # at a folder that others remove as fast as it is made
_TAKEN = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)  # each system has its own word for it

# Who holds which folder in this process: like an RLock, the same thread may enter again.
_holders: dict[str, tuple[int, int]] = {}


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        os.lseek(
            descriptor, 1 << 30, os.SEEK_SET
        )  # bytes that are locked cannot be read: not those that say whose
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def hold_folder(path: str | os.PathLike[str] | None) -> Iterator[None]:
    """Inside, this folder is ours; `InUseError` if it is another's, be it a process or a thread.

    Parameters
    ----------
    path : path or None
        Made if it is not there; None holds nothing.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with hold_folder(folder), hold_folder(folder):  # who holds it may enter again
    ...     [file.name for file in folder.iterdir()]
    ['lock']
    >>> list(folder.iterdir())
    []
    """
    folder = None if path is None else os.path.realpath(path)
    if folder is None or _holders.get(folder) == _me():
        yield
        return
    file, descriptor = _acquire(Path(folder))
    _holders[folder] = _me()
    try:
        yield
    finally:
        del _holders[folder]
        _release(file, descriptor)


def _me() -> tuple[int, int]:
    """This thread; a fork has its parent's number, but not its process's."""
    return os.getpid(), threading.get_ident()


def _acquire(folder: Path) -> tuple[Path, int]:
    """The lock file and its descriptor, locked."""
    for _ in range(_TRIES):
        file = make_folder(folder) / _LOCK
        try:
            descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
        except FileNotFoundError:  # whoever was here last has just removed the folder
            continue
        except OSError as problem:
            raise FileFormatError(
                f"The folder {folder} must take new files",
                f"it does not: {problem.strerror}",
                "Choose another",
            ) from None
        if _is_locked(file, descriptor):
            return file, descriptor
        os.close(descriptor)
    raise _in_use(folder, "others come and go in it")


def _is_locked(file: Path, descriptor: int) -> bool:
    """Lock the file, unless its last holder removed it in the meantime."""
    try:
        _lock(descriptor)
    except OSError as problem:
        if problem.errno in _TAKEN:
            holder = _named_in(descriptor)
            os.close(descriptor)
            raise _in_use(file.parent, f"{holder} is at work in it") from None
    if not _is_same(file, descriptor):
        return False
    with suppress(OSError):  # a full disk takes no name, but it can be locked
        os.ftruncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, f"process {os.getpid()} on {socket.gethostname()}".encode())
    return True


def _is_same(file: Path, descriptor: int) -> bool:
    with suppress(OSError):
        return os.path.samestat(os.fstat(descriptor), os.stat(file))
    return False


def _release(file: Path, descriptor: int) -> None:
    """Remove the lock file and let go of it: in this order, or the next holder's would be removed."""
    ours = _is_same(file, descriptor)
    if sys.platform == "win32":  # no open file can be removed there, so the next holder's cannot either
        os.close(descriptor)
    with suppress(OSError):
        if ours:
            file.unlink()
    if sys.platform != "win32":
        os.close(descriptor)


def _named_in(descriptor: int) -> str:
    """Who has the lock, as it says itself."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    return os.read(descriptor, 200).decode(errors="replace") or "another process"


def _in_use(folder: Path, got: str) -> InUseError:
    return InUseError(
        f"{folder} must be free for this fit",
        got,
        "Wait until that has ended, or choose another folder (on the command line, by -o or --checkpoint)",
    )
