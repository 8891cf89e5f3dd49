"""The API of an Adit service, for scripts and notebooks."""

from .client import AditClient
from .errors import AditApiError, AditConnectionError, AditError, AditTimeoutError
from .events import WorkspaceEvent
from .galleries import Gallery
from .models import AddedModel, Seen, TriedVersion

__all__ = [
    "AddedModel",
    "AditApiError",
    "AditClient",
    "AditConnectionError",
    "AditError",
    "AditTimeoutError",
    "Gallery",
    "Seen",
    "TriedVersion",
    "WorkspaceEvent",
]
