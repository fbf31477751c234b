"""Receives webhooks, with Python and the client's package.

export WEBHOOK_SECRET=whsec_… PORT=8080
python3 receiver.py
"""

import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from partner_events import WebhookVerificationError, verify_webhook

MAX_BYTES = 64 * 1024
# In your shop a table with a unique index, written in one transaction with what the event changes.
seen: set[str] = set()


class Receiver(BaseHTTPRequestHandler):
    timeout = 10

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        # The bytes as they arrived: what was parsed and written again has another signature.
        body = self.rfile.read(min(length, MAX_BYTES))
        try:
            event = verify_webhook(body, self.headers, os.environ["WEBHOOK_SECRET"])
        except WebhookVerificationError as error:
            self.send_response(400)
            self.end_headers()
            self.wfile.write(error.code.encode())
            return
        webhook_id = self.headers["webhook-id"]
        # It may come twice: the second time there is nothing left to do.
        if webhook_id not in seen:
            seen.add(webhook_id)
            # Only note it here, and work on it after the answer, which is waited for only for seconds.
            print("received", event["type"], webhook_id, flush=True)
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


with ThreadingHTTPServer(("", int(os.environ.get("PORT", "8080"))), Receiver) as server:
    print("listening on port", server.server_port, flush=True)
    server.serve_forever()
