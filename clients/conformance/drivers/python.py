"""Carries out the commands of the conformance suite, one JSON line each: `python.py sync` or `python.py async`."""

import asyncio
import json
import re
import sys

from partner_events import (
    AsyncClient,
    Client,
    PartnerApiError,
    PartnerError,
    WebhookVerificationError,
    canonical_string,
    sign,
    sign_webhook,
    verify_webhook,
)

START = 1_700_000_000.0


def snake(name):
    return re.sub(r"[A-Z]", lambda letter: "_" + letter[0].lower(), name)


def arguments(call):
    request = dict(call.get("request", {}))
    flat = {**request.pop("customer", {}), **request.pop("order", {}), **request}
    if "idempotencyKey" in call:
        flat["idempotencyKey"] = call["idempotencyKey"]
    return {snake(name): as_number(name, value) for name, value in flat.items()}


def as_number(name, value):
    """The client takes ids of digits as int, too."""
    return int(value) if name.startswith("external") and value.isdecimal() else value


def rate_limit(limit):
    return limit and {
        "limit": limit.limit,
        "windowSeconds": limit.window_seconds,
        "remaining": limit.remaining,
        "resetSeconds": limit.reset_seconds,
    }


def ms(seconds):
    return None if seconds is None else round(seconds * 1000)


def kind(error):
    return type(error).__name__.removesuffix("Error")


def told(outcome):
    if isinstance(outcome, (ValueError, TypeError)):
        return {"error": "INVALID", "message": str(outcome)}
    if isinstance(outcome, list):
        return {"items": outcome}
    if not isinstance(outcome, PartnerError):
        return {
            "body": outcome.body,
            "replayed": outcome.replayed,
            "requestId": outcome.request_id,
            "rateLimit": rate_limit(outcome.rate_limit),
        }
    if not isinstance(outcome, PartnerApiError):
        return {
            "error": "NETWORK",
            "kind": kind(outcome),
            "message": outcome.message,
            "key": outcome.idempotency_key,
        }
    return {
        "error": outcome.code,
        "kind": kind(outcome),
        "status": outcome.status,
        "message": outcome.message,
        "requestId": outcome.request_id,
        "retryAfterMs": ms(outcome.retry_after),
        "rateLimit": rate_limit(outcome.rate_limit),
        "key": outcome.idempotency_key,
    }


class Clock:
    """Advances only while the client sleeps."""

    def __init__(self):
        self.slept = []

    def now(self):
        return START + sum(self.slept)

    def sleep(self, seconds):
        self.slept.append(seconds)

    async def sleep_async(self, seconds):
        self.slept.append(seconds)


def limits(options):
    """Options of the suite, whose times are in milliseconds."""
    seconds = {"timeoutMs": "timeout", "maxRetryAfterMs": "max_retry_after"}
    return {
        seconds.get(name, snake(name)): value / 1000 if name in seconds else value
        for name, value in options.items()
    }


def settings(ask, clock, attempts):
    def on_attempt(one):
        attempts.append(
            {
                "method": one.method,
                "path": one.path,
                "attempt": one.attempt,
                "status": one.status,
                "requestId": one.request_id,
                "idempotencyKey": one.idempotency_key,
                "error": one.error and kind(one.error),
                "retryInMs": ms(one.retry_in),
            }
        )
        raise RuntimeError("a logger that fails")

    return {
        "base_url": ask["baseUrl"],
        "key": ask["key"],
        "secret": ask["secret"],
        "now": clock.now,
        "random": lambda: 0.5,
        "on_attempt": on_attempt,
        **limits(ask.get("options", {})),
    }


def is_of_all(call):
    return call["method"].startswith("all")


def run_sync(ask, clock, attempts):
    outcomes = []
    with Client(**settings(ask, clock, attempts), sleep=clock.sleep) as client:
        for call in ask["calls"]:
            try:
                one = client.with_options(**limits(call.get("options", {})))
                returned = getattr(one, snake(call["method"]))(**arguments(call))
                outcomes.append(list(returned) if is_of_all(call) else returned)
            except (PartnerError, TypeError, ValueError) as error:
                outcomes.append(error)
    return outcomes


async def run_async(ask, clock, attempts):
    outcomes = []
    async with AsyncClient(**settings(ask, clock, attempts), sleep=clock.sleep_async) as client:
        for call in ask["calls"]:
            try:
                one = client.with_options(**limits(call.get("options", {})))
                returned = getattr(one, snake(call["method"]))(**arguments(call))
                outcomes.append([one async for one in returned] if is_of_all(call) else await returned)
            except (PartnerError, TypeError, ValueError) as error:
                outcomes.append(error)
    return outcomes


def vector(of):
    body = bytes.fromhex(of["bodyHex"])
    parts = (of["method"], of["pathname"], of["timestamp"], body)
    return {"canonical": canonical_string(*parts), "signature": sign(of["secret"], *parts)}


def webhook(of):
    body = bytes.fromhex(of["bodyHex"])
    try:
        event = verify_webhook(body, of["headers"], of["secrets"], now=lambda: of["now"])
    except WebhookVerificationError as error:
        return {"error": error.code}
    return {"event": event}


def signed(of):
    body = bytes.fromhex(of["bodyHex"])
    return {"headers": sign_webhook(body, id=of["id"], secret=of["secret"], at=of["at"])}


for line in sys.stdin:
    ask = json.loads(line)
    if "vector" in ask:
        reply = vector(ask["vector"])
    elif "sign" in ask:
        reply = signed(ask["sign"])
    elif "webhook" in ask:
        reply = webhook(ask["webhook"])
    else:
        clock = Clock()
        attempts = []
        if sys.argv[1] == "async":
            ran = asyncio.run(run_async(ask, clock, attempts))
        else:
            ran = run_sync(ask, clock, attempts)
        reply = {
            "outcomes": [told(outcome) for outcome in ran],
            "attempts": attempts,
            "sleptMs": [ms(s) for s in clock.slept],
        }
    print(json.dumps(reply), flush=True)
