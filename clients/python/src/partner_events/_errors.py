from __future__ import annotations

from ._rate_limit import RateLimit


class PartnerError(Exception):
    """The error for a request that was not accepted.

    ``idempotency_key`` is the key that was sent: a retry of the same request must use it again.
    """

    idempotency_key: str | None


class PartnerApiError(PartnerError):
    """The service refused the request; each kind of refusal has a class.

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


class InvalidRequestError(PartnerApiError):
    """400, 405, 413, 415: the request itself is wrong; correct it."""


class AuthenticationError(PartnerApiError):
    """401: the key, the signature or the clock is wrong."""


class PermissionDeniedError(PartnerApiError):
    """403: the key lacks a scope, or the partner is not active."""


class NotFoundError(PartnerApiError):
    """404: there is no such order, reward or redemption in the key's mode."""


class ConflictError(PartnerApiError):
    """409: it was reported before in another way, or has ended."""


class UnprocessableError(PartnerApiError):
    """422: it is understood, and cannot be done, such as too few points."""


class RateLimitError(PartnerApiError):
    """429: above the rate limit, also after the last attempt."""


class UnavailableError(PartnerApiError):
    """408, 5xx: the service could not do it, also after the last attempt; send the same again later."""


class UnexpectedResponseError(PartnerApiError):
    """The response is not the service's: check the base URL, and what is in between."""


_KINDS: dict[int, type[PartnerApiError]] = {
    400: InvalidRequestError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    405: InvalidRequestError,
    408: UnavailableError,
    409: ConflictError,
    413: InvalidRequestError,
    415: InvalidRequestError,
    422: UnprocessableError,
    429: RateLimitError,
}


def kind_of(status: int, code: str) -> type[PartnerApiError]:
    """The class of a refusal."""
    if code == "UNEXPECTED_RESPONSE":
        return UnexpectedResponseError
    return _KINDS.get(status, UnavailableError if status >= 500 else PartnerApiError)


class ConnectionError(PartnerError):
    """No complete response arrived: the service was unreachable or too slow.

    The request may have been carried out anyway; repeating it with the same key gives its result
    without doing it twice.
    """

    def __init__(self, message: str, *, idempotency_key: str | None) -> None:
        super().__init__(message)
        self.message = message
        self.idempotency_key = idempotency_key
