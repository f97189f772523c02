"""Guards: classifiers that block texts, described by small files and audited on both sides of their threshold."""

from unfool.guards._audit import DEFAULT_ATTACKS, audit_guard
from unfool.guards._decision import Decision
from unfool.guards._figures import AttackFigures, Audit, Bypass, Line
from unfool.guards._profile import Profile, find_profile, profile_names
from unfool.guards._reader import READ_AGAIN, Reader, open_reader
from unfool.guards._transfer import Transferred

__all__ = [
    "DEFAULT_ATTACKS",
    "READ_AGAIN",
    "AttackFigures",
    "Audit",
    "Bypass",
    "Decision",
    "Line",
    "Profile",
    "Reader",
    "Transferred",
    "audit_guard",
    "find_profile",
    "open_reader",
    "profile_names",
]
