from __future__ import annotations

from ._rate_limit import RateLimit


class PartnerError(Exception):
    """The error for a request that was not accepted.

    ``idempotency_key`` is the key that was sent: a retry of the same request must use it again.
    """

    idempotency_key: str | None


class PartnerApiError(PartnerError):
    """The service refused the request.

    ``code`` is from the service's list of errors, or ``UNEXPECTED_RESPONSE`` if the response is not
    the service's. Give ``request_id`` to its operators when you ask about it.
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
        #: Seconds that the service asks to wait, if it does.
        self.retry_after = retry_after
        self.rate_limit = rate_limit
        self.idempotency_key = idempotency_key

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


class PartnerNetworkError(PartnerError):
    """No complete response arrived: the service was unreachable or too slow.

    The request may have been carried out anyway; repeating it with the same key gives its result
    without doing it twice.
    """

    def __init__(self, message: str, *, idempotency_key: str | None) -> None:
        super().__init__(message)
        self.message = message
        self.idempotency_key = idempotency_key
