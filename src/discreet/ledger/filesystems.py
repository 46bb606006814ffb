"""Which file systems a ledger's file may lie on: those whose locks hold for all who can reach it.

On Linux the mount tells. A network file system whose `flock` holds only on this machine, or not at all, is refused; one
that cannot be told is taken at its word.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from discreet.errors import LedgerError

MOUNTS = Path("/proc/self/mountinfo")

UNSAFE = re.compile(r"cifs|smb3|smbfs|9p|virtiofs|afs|ncpfs|fuse\.(sshfs|s3fs|gcsfuse|goofys|rclone|davfs2?|smbnetfs)")
"""File systems between machines that keep `flock` to one of them."""


def require_locks(place: Path, name: str) -> None:
    """Refuse a place where a lock would not keep other machines out."""
    kind, options = mount_of(place)
    if UNSAFE.fullmatch(kind) or (kind.startswith("nfs") and "local_lock=none" not in options):
        raise LedgerError(
            f"{name} lies on a file system ({kind}) whose locks hold on one machine only",
            hint="keep the ledger on a local disk, or on PostgreSQL",
        )


def mount_of(place: Path) -> tuple[str, list[str]]:
    """The kind of the file system that a file lies on, and its options; nothing where that cannot be told."""
    try:
        device = place.stat().st_dev
        mounts = MOUNTS.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return "", []
    wanted = f"{os.major(device)}:{os.minor(device)}"
    for mount in mounts:
        before, _, after = mount.partition(" - ")
        if before.split()[2:3] == [wanted]:
            kind, _, options = after.split(maxsplit=2)
            return kind, options.split(",")
    return "", []
