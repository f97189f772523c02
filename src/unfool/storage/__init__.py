"""Work that outlives the process: folders with settings and a lock, files written whole, records line by line."""

from unfool.storage._changes import ConfigChange, as_stored, config_changes, describe_changes, is_config, settings
from unfool.storage._files import (
    Log,
    check_place,
    cut_torn_end,
    explaining,
    index,
    lines_at,
    locked,
    put_in_order,
    replacing,
    whole_lines,
)
from unfool.storage._ids import Ids
from unfool.storage._json import (
    JSON,
    as_plain,
    by_name,
    check_fields,
    finite,
    fits,
    id_in,
    parse_line,
    read_json,
    to_json,
)
from unfool.storage._work import Kind, WorkFolder, reading

__all__ = [
    "JSON",
    "ConfigChange",
    "Ids",
    "Kind",
    "Log",
    "WorkFolder",
    "as_plain",
    "as_stored",
    "by_name",
    "check_fields",
    "check_place",
    "config_changes",
    "cut_torn_end",
    "describe_changes",
    "explaining",
    "finite",
    "fits",
    "id_in",
    "index",
    "is_config",
    "lines_at",
    "locked",
    "parse_line",
    "put_in_order",
    "read_json",
    "reading",
    "replacing",
    "settings",
    "to_json",
    "whole_lines",
]
