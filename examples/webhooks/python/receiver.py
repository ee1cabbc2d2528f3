"""A receiver of Turnpike's webhooks. Run: PORT=8081 WEBHOOK_SECRET=whsec_... python3 receiver.py"""

import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from turnpike_webhooks import WebhookVerificationError, verify_webhook

MAX_BODY_BYTES = 1_048_576
# Two, separated by a comma, while you change from one to the other.
SECRETS = [secret for secret in os.environ.get("WEBHOOK_SECRET", "").split(",") if secret]

# In a shop this is a unique column, written in the transaction that acts on the event.
seen = set()
seen_lock = threading.Lock()


def act(event):
    with seen_lock:
        if event["id"] in seen:
            return
        seen.add(event["id"])
    payment = event.get("data", {}).get("payment", {})
    print(" ".join(filter(None, [event["id"], event["type"], payment.get("orderId")])), flush=True)


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 10  # seconds of silence, after which the connection is given up

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()) or int(length) > MAX_BODY_BYTES:
            self.close_connection = True
            return self.answer(400, b'{"status":"refused"}')
        try:
            act(verify_webhook(self.rfile.read(int(length)), self.headers.get("X-PGW-Signature"), SECRETS))
        except WebhookVerificationError as error:
            print("refused: %s" % error, file=sys.stderr, flush=True)
            return self.answer(400, b'{"status":"refused"}')
        self.answer(200, b'{"status":"ok"}')

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass  # one line an event is enough


if __name__ == "__main__":
    if not SECRETS:
        sys.exit("WEBHOOK_SECRET is not set")
    port = int(os.environ.get("PORT", "8081"))
    print("listening on 127.0.0.1:%d" % port, file=sys.stderr, flush=True)
    ThreadingHTTPServer(("127.0.0.1", port), Receiver).serve_forever()
