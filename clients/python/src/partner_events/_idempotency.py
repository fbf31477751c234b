from __future__ import annotations

import hashlib
import re
from urllib.parse import quote

_LONGEST = 255


def idempotency_key_of(*words: str) -> str:
    """Derives the idempotency key of a request from what it reports and your ids of it.

    The same words give the same key in every client, so that a retry after a crash of your process is a
    replay, too. It is up to 255 visible ASCII characters.

    :param words: such as ``purchase`` and the order id; any characters
    :raises ValueError: for half a surrogate pair, which no request can hold
    """
    try:
        # Encoded separately, so that none can contain the colon between them.
        key = ":".join(quote(word, safe="!'()*-._~") for word in words)
    except UnicodeEncodeError as error:
        raise ValueError("an id holds half a surrogate pair, which cannot be sent") from error
    if len(key) <= _LONGEST:
        return key
    return "sha256:" + hashlib.sha256(key.encode()).hexdigest()


def require_sendable(idempotency_key: str) -> str:
    if re.fullmatch(r"[\x21-\x7e]{1,255}", idempotency_key):
        return idempotency_key
    raise ValueError(
        "the idempotency key must be 1 to 255 visible ASCII characters; "
        "without one, it is derived from the ids of the request"
    )
