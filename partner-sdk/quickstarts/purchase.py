"""Reports a purchase, signed, with nothing but Python's standard library.

PARTNER_URL=http://127.0.0.1:3000 PARTNER_KEY=pk_test_… PARTNER_SECRET=sk_test_… python3 purchase.py A1
"""

import hashlib
import hmac
import json
import os
import sys
import time
import urllib.error
import urllib.request


def sign(secret: str, method: str, path: str, timestamp: str, body: bytes) -> str:
    """The signature header's value. The secret is used as it was shown: it is not decoded."""
    body_hash = hashlib.sha256(body).hexdigest()
    # Five lines, and no line break at the end.
    text = "\n".join(["v1", method.upper(), path, timestamp, body_hash])
    return "sha256=" + hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()


def report_purchase(order: str) -> int:
    path = "/api/v1/partner/purchases"
    # Written once: the bytes that are signed are the bytes that are sent.
    body = json.dumps(
        {
            "externalOrderId": order,
            "customer": {"email": "ann@example.com"},
            "order": {"subtotalCents": 4990},
        }
    ).encode()
    timestamp = str(int(time.time()))
    request = urllib.request.Request(
        os.environ["PARTNER_URL"] + path,
        data=body,
        headers={
            "Content-Type": "application/json",
            # The same for every retry of this order, so that none of them counts twice.
            "Idempotency-Key": "purchase:" + order,
            "X-Partner-Key": os.environ["PARTNER_KEY"],
            "X-Partner-Timestamp": timestamp,
            "X-Partner-Signature": sign(os.environ["PARTNER_SECRET"], "POST", path, timestamp, body),
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            print(response.read().decode())
            return 0
    except urllib.error.HTTPError as refusal:
        print(refusal.read().decode())
        return 1


if __name__ == "__main__":
    sys.exit(report_purchase(sys.argv[1]))
