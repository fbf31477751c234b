import { readFileSync } from 'node:fs';

const folder = new URL('../../clients/quickstarts/', import.meta.url);

interface Quickstart {
  name: string;
  file: string;
  needs: string;
  /** The command, to be put after the environment variables. */
  run: string;
}

export const languages = {
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
export type Language = keyof typeof languages;
export const allLanguages = Object.entries(languages);

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
