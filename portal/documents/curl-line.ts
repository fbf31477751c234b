import { headerNames } from '../../clients/typescript/signature.ts';

interface CurlRequest {
  url: string;
  pathname: string;
  key: string;
  brand: string;
  idempotencyKey: string;
  body: string;
}

/**
 * The request as a shell command that signs it each time it runs. The secret is read from the environment
 * (`SECRET`), so the command does not contain it.
 */
export function curlLine(request: CurlRequest): string {
  const { url, pathname, key, brand, idempotencyKey, body } = request;
  const names = headerNames(brand);
  return `BODY=${quoted(body)}
TIMESTAMP=$(date +%s)
HASH=$(printf '%s' "$BODY" | openssl dgst -sha256 -r | cut -d' ' -f1)
SIGNATURE=$(printf 'v1\\nPOST\\n%s\\n%s\\n%s' ${quoted(pathname)} "$TIMESTAMP" "$HASH" |
  openssl dgst -sha256 -hmac "$SECRET" -r | cut -d' ' -f1)
curl -sS ${quoted(url + pathname)} \\
  -H 'Content-Type: application/json' \\
  -H ${quoted(`Idempotency-Key: ${idempotencyKey}`)} \\
  -H ${quoted(`${names.key}: ${key}`)} \\
  -H "${names.timestamp}: $TIMESTAMP" \\
  -H "${names.signature}: sha256=$SIGNATURE" \\
  --data-binary "$BODY"
`;
}

/** Quotes any text as one word of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
