"""What Schemathesis needs to know about the service: how a request is signed.

SIGN is "partner", with PARTNER_KEY and PARTNER_SECRET, or "operator", with OPERATOR_TOKEN.
"""

import hashlib
import hmac
import os
import time
from urllib.parse import urlsplit

import requests
import schemathesis


class Partner(requests.auth.AuthBase):
    """Signs the request body once it is final."""

    def __call__(self, request):
        body = request.body or b""
        body = body.encode() if isinstance(body, str) else body
        timestamp = str(int(time.time()))
        body_hash = hashlib.sha256(body).hexdigest()
        pathname = urlsplit(request.url).path
        text = "\n".join(["v1", request.method.upper(), pathname, timestamp, body_hash])
        secret = os.environ["PARTNER_SECRET"].encode()
        signature = hmac.new(secret, text.encode(), hashlib.sha256).hexdigest()
        request.headers["X-Partner-Key"] = os.environ["PARTNER_KEY"]
        request.headers["X-Partner-Timestamp"] = timestamp
        request.headers["X-Partner-Signature"] = "sha256=" + signature
        return request


class Operator(requests.auth.AuthBase):
    def __call__(self, request):
        request.headers["Authorization"] = "Bearer " + os.environ["OPERATOR_TOKEN"]
        return request


@schemathesis.hook
def before_call(context, case, kwargs):
    kwargs["auth"] = Partner() if os.environ["SIGN"] == "partner" else Operator()


@schemathesis.hook
def filter_body(context, body):
    """Forbidden field names at any depth, which a schema cannot express."""
    return "__proto__" not in str(body)
