"""Receives webhooks, with Python and the client's package.

export WEBHOOK_SECRET=whsec_… PORT=8080
python3 receiver.py
"""

import logging
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from partner_events import WebhookVerificationError, verify_webhook

# Unlike print, it writes whole lines, whichever threads do.
logging.basicConfig(format="%(message)s", level=logging.INFO)
MAX_BYTES = 64 * 1024
# In your shop, use a table with a unique index, written in the same transaction as the event's changes.
seen: set[str] = set()
lock = threading.Lock()


class Receiver(BaseHTTPRequestHandler):
    timeout = 10

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        # The bytes as received: re-serialized JSON would have another signature.
        body = self.rfile.read(min(length, MAX_BYTES))
        try:
            event = verify_webhook(body, self.headers, os.environ["WEBHOOK_SECRET"])
        except WebhookVerificationError as error:
            self.send_response(400)
            self.end_headers()
            self.wfile.write(error.code.encode())
            return
        webhook_id = self.headers["webhook-id"]
        # A webhook may arrive twice: ignore the second.
        with lock:
            is_new = webhook_id not in seen
            seen.add(webhook_id)
        if is_new:
            # Only store it here, and process it after the response, which must be sent within seconds.
            logging.info("received %s %s", event["type"], webhook_id)
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


with ThreadingHTTPServer(("", int(os.environ.get("PORT", "8080"))), Receiver) as server:
    print("listening on port", server.server_port, flush=True)
    server.serve_forever()
