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
    return {snake(name): value for name, value in flat.items()}


def rate_limit(limit):
    return limit and {
        "limit": limit.limit,
        "windowSeconds": limit.window_seconds,
        "remaining": limit.remaining,
        "resetSeconds": limit.reset_seconds,
    }


def ms(seconds):
    return None if seconds is None else round(seconds * 1000)


def told(outcome):
    if isinstance(outcome, (ValueError, TypeError)):
        return {"error": "INVALID", "message": str(outcome)}
    if not isinstance(outcome, PartnerError):
        return {
            "body": outcome.body,
            "replayed": outcome.replayed,
            "requestId": outcome.request_id,
            "rateLimit": rate_limit(outcome.rate_limit),
        }
    if not isinstance(outcome, PartnerApiError):
        return {"error": "NETWORK", "message": outcome.message, "key": outcome.idempotency_key}
    return {
        "error": outcome.code,
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


def settings(ask, clock):
    options = ask.get("options", {})
    given = {snake(name): value for name, value in options.items() if name != "timeoutMs"}
    return {
        "base_url": ask["baseUrl"],
        "key": ask["key"],
        "secret": ask["secret"],
        "timeout": options.get("timeoutMs", 10_000) / 1000,
        "now": clock.now,
        "random": lambda: 0.5,
        **given,
    }


def run_sync(ask, clock):
    outcomes = []
    with Client(**settings(ask, clock), sleep=clock.sleep) as client:
        for call in ask["calls"]:
            try:
                outcomes.append(getattr(client, snake(call["method"]))(**arguments(call)))
            except (PartnerError, TypeError, ValueError) as error:
                outcomes.append(error)
    return outcomes


async def run_async(ask, clock):
    outcomes = []
    async with AsyncClient(**settings(ask, clock), sleep=clock.sleep_async) as client:
        for call in ask["calls"]:
            try:
                outcomes.append(await getattr(client, snake(call["method"]))(**arguments(call)))
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


for line in sys.stdin:
    ask = json.loads(line)
    if "vector" in ask:
        reply = vector(ask["vector"])
    elif "webhook" in ask:
        reply = webhook(ask["webhook"])
    else:
        clock = Clock()
        ran = asyncio.run(run_async(ask, clock)) if sys.argv[1] == "async" else run_sync(ask, clock)
        reply = {
            "outcomes": [told(outcome) for outcome in ran],
            "sleptMs": [ms(s) for s in clock.slept],
        }
    print(json.dumps(reply), flush=True)
