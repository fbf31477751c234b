#!/usr/bin/env bash
# Reports a purchase, signed, with curl and openssl.
#   PARTNER_URL=http://127.0.0.1:3000 PARTNER_KEY=pk_test_… PARTNER_SECRET=sk_test_… ./purchase.sh A1
set -euo pipefail

# The signature header's value. The secret is used as it was shown: it is not decoded.
# sign SECRET METHOD PATH TIMESTAMP BODY_FILE
sign() {
  local hash digest
  hash=$(openssl dgst -sha256 -r <"$5" | cut -d' ' -f1)
  # Five lines, and no line break at the end.
  digest=$(printf 'v1\n%s\n%s\n%s\n%s' "${2^^}" "$3" "$4" "$hash" |
    openssl dgst -sha256 -hmac "$1" -r | cut -d' ' -f1)
  printf 'sha256=%s' "$digest"
}

report_purchase() {
  local order=$1 path=/api/v1/partner/purchases timestamp body
  body=$(mktemp)
  trap "rm -f '$body'" EXIT
  # Written once: the bytes that are signed are the bytes that are sent.
  printf '{"externalOrderId":"%s","customer":{"email":"ann@example.com"},"order":{"subtotalCents":4990}}' \
    "$order" >"$body"
  timestamp=$(date +%s)
  # The key of the order is the same for every retry, so that none of them counts twice.
  curl -sS --fail-with-body "$PARTNER_URL$path" --data-binary "@$body" \
    -H 'Content-Type: application/json' \
    -H "Idempotency-Key: purchase:$order" \
    -H "X-Partner-Key: $PARTNER_KEY" \
    -H "X-Partner-Timestamp: $timestamp" \
    -H "X-Partner-Signature: $(sign "$PARTNER_SECRET" POST "$path" "$timestamp" "$body")"
}

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
  report_purchase "${1:?Give your id of the order.}"
fi
