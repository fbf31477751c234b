import { readFileSync } from 'node:fs';
import { headerNames } from '../../clients/typescript/signature.ts';

const folder = new URL('../../clients/quickstarts/', import.meta.url);

interface Quickstart {
  name: string;
  file: string;
  needs: string;
  /** The command, to be put after the environment variables. */
  run: string;
}

export const programmingLanguages = {
  curl: {
    name: 'curl',
    file: 'purchase.sh',
    needs: 'bash, curl and openssl',
    run: 'bash purchase.sh purchase A1',
  },
  typescript: {
    name: 'TypeScript',
    file: 'purchase.ts',
    needs: 'Node 24',
    run: 'node purchase.ts purchase A1',
  },
  python: {
    name: 'Python',
    file: 'purchase.py',
    needs: 'Python 3',
    run: 'python3 purchase.py purchase A1',
  },
  php: { name: 'PHP', file: 'purchase.php', needs: 'PHP 8', run: 'php purchase.php purchase A1' },
  go: { name: 'Go', file: 'purchase.go', needs: 'Go', run: 'go run purchase.go purchase A1' },
  java: {
    name: 'Java',
    file: 'Purchase.java',
    needs: 'Java 17',
    run: 'java Purchase.java purchase A1',
  },
} as const satisfies Record<string, Quickstart>;
export type ProgrammingLanguage = keyof typeof programmingLanguages;
export const allLanguages = Object.entries(programmingLanguages);

/** The files' contents. */
export const readQuickstarts = (): ReadonlyMap<string, string> =>
  new Map(allLanguages.map(([, { file }]) => [file, readFileSync(new URL(file, folder), 'utf8')]));

/** The sample order as it stands in the files, with the quotes of each language around its field. */
const sampleOrder = /(\\?["']?)subtotalCents\1( ?(?::|=>) ?)4990/;

/**
 * A quick start whose purchase is in the partner's currency. Without one, an order is in US dollars, which
 * a partner with another currency has no rule for.
 */
export const inCurrency = (text: string, currency: string): string =>
  currency === 'USD'
    ? text
    : text.replace(sampleOrder, (order, quote: string, separator: string) => {
        const comma = separator.endsWith(' ') ? ', ' : ',';
        const around = quote === '' ? "'" : quote;
        return `${order}${comma}${quote}currency${quote}${separator}${around}${currency}${around}`;
      });

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

/** A sample of the file that `domain/orders.ts` reads, for people who prepare an export. */
export const sampleOrders = [
  'externalOrderId,subtotal,currency,occurredAt,refunded',
  'ORDER-1001,49.90,USD,2026-01-31T09:30:00+01:00,no',
  'ORDER-1002,120.00,USD,2026-01-31T10:12:45+01:00,no',
  'ORDER-1003,8.50,USD,,yes',
  '',
].join('\r\n');
