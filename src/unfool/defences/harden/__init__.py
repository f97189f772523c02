"""Hardening by training: methods by name, one short file each, and the training itself."""

from unfool.defences.harden._harden import Hardened, harden
from unfool.defences.harden._method import METHODS, Course, Method, Plan, find_method, method
from unfool.defences.harden._student import Student, student_of

__all__ = [
    "METHODS",
    "Course",
    "Hardened",
    "Method",
    "Plan",
    "Student",
    "find_method",
    "harden",
    "method",
    "student_of",
]
