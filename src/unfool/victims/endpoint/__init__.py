"""Models behind an HTTP address."""

from unfool.victims.endpoint._client import Form, retry_after_seconds
from unfool.victims.endpoint._endpoint import Endpoint, check_token_variable, read_address
from unfool.victims.endpoint._insisting import Client, Limits

__all__ = [
    "Client",
    "Endpoint",
    "Form",
    "Limits",
    "check_token_variable",
    "read_address",
    "retry_after_seconds",
]
