from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._answer import RateLimit


class PartnerError(Exception):
    """What this package raises for a request that was not accepted.

    ``idempotency_key`` is the one that was sent: a later try of the same request must use it again.
    """

    idempotency_key: str | None


class PartnerApiError(PartnerError):
    """The service answered, and refused.

    ``code`` is one of the service's list of errors, or ``UNEXPECTED_RESPONSE`` for an answer that is not
    the service's. Quote ``request_id`` to its operators.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: str,
        request_id: str | None,
        retry_after: float | None,
        rate_limit: RateLimit | None,
        idempotency_key: str | None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.request_id = request_id
        #: Seconds that the service asks to wait, where it does.
        self.retry_after = retry_after
        self.rate_limit = rate_limit
        self.idempotency_key = idempotency_key

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


class PartnerNetworkError(PartnerError):
    """No complete answer came: the service was out of reach or too slow.

    The request may have been carried out all the same; the same request with the same key finds out
    without doing it twice.
    """

    def __init__(self, message: str, *, idempotency_key: str | None) -> None:
        super().__init__(message)
        self.message = message
        self.idempotency_key = idempotency_key
