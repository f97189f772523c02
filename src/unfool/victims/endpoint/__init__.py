"""Models behind an HTTP address."""

from unfool.victims.endpoint._client import retry_after_seconds
from unfool.victims.endpoint._endpoint import Endpoint, read_address

__all__ = ["Endpoint", "read_address", "retry_after_seconds"]
