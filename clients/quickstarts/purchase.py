"""Reports purchases and refunds, signed, using only Python's standard library.

export PARTNER_URL=http://127.0.0.1:3000 PARTNER_KEY=pk_test_… PARTNER_SECRET=sk_test_…
python3 purchase.py purchase A1; python3 purchase.py refund A1; python3 purchase.py usage
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
    """The signature header's value. The secret is used exactly as shown; it is not decoded."""
    body_hash = hashlib.sha256(body).hexdigest()
    # Five lines, without a line break at the end.
    text = "\n".join(["v1", method.upper(), path, timestamp, body_hash])
    return "sha256=" + hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()


def send(method: str, path: str, key: str = "", fields: dict | None = None) -> int:
    # Serialized once: every attempt signs and sends exactly these bytes.
    body = b"" if fields is None else json.dumps(fields).encode()
    failure = ""
    for attempt in range(5):
        # Every attempt has a new signature, because the time is signed too.
        timestamp = str(int(time.time()))
        signature = sign(os.environ["PARTNER_SECRET"], method, path, timestamp, body)
        headers = {
            "X-Partner-Key": os.environ["PARTNER_KEY"],
            "X-Partner-Timestamp": timestamp,
            "X-Partner-Signature": signature,
        }
        if body:
            # The same key for every retry, so that none counts twice.
            headers |= {"Content-Type": "application/json", "Idempotency-Key": key}
        url = os.environ["PARTNER_URL"] + path
        request = urllib.request.Request(url, body or None, headers, method=method)
        wait = 2.0**attempt
        try:
            with urllib.request.urlopen(request, timeout=10) as response:
                print(response.read().decode())
                return 0
        except urllib.error.HTTPError as refusal:
            failure = refusal.read().decode()
            if refusal.code not in (408, 429, 500, 502, 503, 504):
                print(failure)  # Its code says what is wrong, its message what to do.
                return 1
            wait = max(wait, float(refusal.headers.get("Retry-After") or 0))
        except OSError as outage:
            failure = str(outage)
        if attempt < 4:
            time.sleep(wait)
    print(f"No success: {failure}. Try again later, with the same key.", file=sys.stderr)
    return 1


def main(what: str = "", order: str = "") -> int:
    if what == "purchase" and order:
        customer = {"email": "ann@example.com"}
        fields = {"externalOrderId": order, "customer": customer, "order": {"subtotalCents": 4990}}
        return send("POST", "/api/v1/partner/purchases", "purchase:" + order, fields)
    if what == "part" and order:
        # One item came back: each part has an id of its own.
        fields = {"externalOrderId": order, "externalRefundId": order + "-1", "amountCents": 1200}
        return send("POST", "/api/v1/partner/refunds", "refund:" + order + ":" + order + "-1", fields)
    if what == "refund" and order:
        return send("POST", "/api/v1/partner/refunds", "refund:" + order, {"externalOrderId": order})
    if what == "usage":
        return send("GET", "/api/v1/partner/usage")
    print("Usage: purchase <order> | part <order> | refund <order> | usage", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
