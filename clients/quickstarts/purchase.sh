#!/usr/bin/env bash
# Reports purchases and refunds, signed, with curl and openssl.
#   export PARTNER_URL=http://127.0.0.1:3000 PARTNER_KEY=pk_test_… PARTNER_SECRET=sk_test_…
#   ./purchase.sh purchase A1; ./purchase.sh refund A1; ./purchase.sh usage
set -euo pipefail

# The signature header's value. The secret is used exactly as shown; it is not decoded.
# sign SECRET METHOD PATH TIMESTAMP BODY_FILE
sign() {
  local hash digest
  hash=$(openssl dgst -sha256 -r <"$5" | cut -d' ' -f1)
  # Five lines, without a line break at the end.
  digest=$(printf 'v1\n%s\n%s\n%s\n%s' "${2^^}" "$3" "$4" "$hash" |
    openssl dgst -sha256 -hmac "$1" -r | cut -d' ' -f1)
  printf 'sha256=%s' "$digest"
}

# send METHOD PATH [KEY BODY]
send() {
  local method=$1 path=$2 key=${3:-} folder timestamp status=0 event=()
  folder=$(mktemp -d)
  trap "rm -rf '$folder'" EXIT
  # Serialized once: every attempt signs and sends exactly these bytes.
  printf '%s' "${4:-}" >"$folder/body"
  timestamp=$(date +%s)
  if [[ -n $key ]]; then
    # The same key for every retry, so that none counts twice.
    event=(--data-binary "@$folder/body" -H 'Content-Type: application/json' -H "Idempotency-Key: $key")
  fi
  # It retries an outage, 408, 429, 500 and 503, and waits as Retry-After says; a signature holds for 300 seconds.
  curl -sS --fail-with-body --max-time 10 --retry 4 --retry-connrefused --retry-max-time 60 \
    -X "$method" "$PARTNER_URL$path" -o "$folder/answer" "${event[@]}" \
    -H "X-Partner-Key: $PARTNER_KEY" \
    -H "X-Partner-Timestamp: $timestamp" \
    -H "X-Partner-Signature: $(sign "$PARTNER_SECRET" "$method" "$path" "$timestamp" "$folder/body")" || status=1
  # For a refusal: the code of the error, and what to do.
  if [[ -s $folder/answer ]]; then cat "$folder/answer"; fi
  if ((status)); then echo 'No success. After an outage, try again later, with the same key.' >&2; fi
  return "$status"
}

main() {
  local what=${1:-} order=${2:-}
  case $what in
    purchase | part | refund) : "${order:?Pass the ID of the order.}" ;;
  esac
  case $what in
    purchase)
      send POST /api/v1/partner/purchases "purchase:$order" \
        "{\"externalOrderId\":\"$order\",\"customer\":{\"email\":\"ann@example.com\"},\"order\":{\"subtotalCents\":4990}}"
      ;;
    part) # One item came back: each part has an id of its own.
      send POST /api/v1/partner/refunds "refund:$order:$order-1" \
        "{\"externalOrderId\":\"$order\",\"externalRefundId\":\"$order-1\",\"amountCents\":1200}"
      ;;
    refund) send POST /api/v1/partner/refunds "refund:$order" "{\"externalOrderId\":\"$order\"}" ;;
    usage) send GET /api/v1/partner/usage ;;
    *)
      echo 'Usage: purchase <order> | part <order> | refund <order> | usage' >&2
      return 2
      ;;
  esac
}

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
  main "$@"
fi
