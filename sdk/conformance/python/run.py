"""Makes the calls of the table, and prints what came of each as a line of JSON."""

import json
import os
import re
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent
if "INSTALLED" not in os.environ:
    sys.path.insert(0, str(FOLDER.parent / "python"))

from turnpike import ApiError, CallOptions, Turnpike, TurnpikeError  # noqa: E402
from turnpike.webhooks import (  # noqa: E402
    SeenInMemory,
    WebhookVerificationError,
    handle_webhook,
)

BASE_URL = os.environ["BASE_URL"]
saved = {"email": os.environ["EMAIL"]}


class ActFailedError(Exception):
    """Raised in place of acting on an event."""


def failing(event):
    raise ActFailedError(event["id"])


def table(name):
    return json.loads((FOLDER / f"{name}.json").read_text())


def filled(value):
    return json.loads(
        re.sub(r"\$\{(\w+)\}", lambda match: saved[match[1]], json.dumps(value))
    )


def at(data, path):
    for name in path.split("."):
        data = data[name]
    return data


def told(error):
    name = type(error).__name__.removeprefix("Turnpike")
    if not isinstance(error, ApiError):
        return {"error": name}
    return {
        "error": name,
        "code": error.code,
        "status": error.status,
        "retryAfter": error.retry_after,
        "details": [one.path for one in error.details],
    }


def outcome_of(client, row):
    timeout = row["timeoutMs"] / 1000 if "timeoutMs" in row else None
    options = CallOptions(request_id=row["step"], timeout=timeout)
    if row.get("list") == "paymentRefunds":
        refunds = client.payment_refunds(saved["orderId"], limit=2, options=options)
        return {"items": sum(1 for _ in refunds)}
    if "list" in row:
        items = client.pages(row["list"], filled(row["query"]), options)
        return {"items": sum(1 for _ in items)}
    data = client.call(
        row["call"],
        path=filled(row.get("path", {})),
        query=filled(row.get("query", {})),
        body=filled(row.get("body")),
        options=options,
    )
    for name, path in row.get("save", {}).items():
        saved[name] = at(data, path)
    return {"data": [at(data, path) for path in row.get("show", [])]}


def main():
    client = Turnpike(BASE_URL)
    for row in table("calls"):
        try:
            outcome = outcome_of(client, row)
        except TurnpikeError as error:
            outcome = told(error)
        print(json.dumps({"step": row["step"], **outcome}))
        if row["step"] == "register":
            client = Turnpike(BASE_URL, saved["keyId"], saved["secret"])
    seen = SeenInMemory()
    for row in table("webhooks"):
        if "claimedForSeconds" in row:
            seen.claim(json.loads(row["body"])["id"], row["claimedForSeconds"])
        try:
            outcome = handle_webhook(
                row["body"].encode(),
                row["signature"],
                row["secrets"],
                seen,
                failing if row.get("actFails") else lambda event: None,
                now=row["now"],
            )
        except WebhookVerificationError as error:
            outcome = error.fault
        except ActFailedError:
            outcome = "act-failed"
        print(json.dumps({"step": row["name"], "outcome": outcome}))


main()
