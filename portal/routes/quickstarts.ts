import { readFileSync } from 'node:fs';
import Joi from 'joi';
import type { PortalDeps } from '../deps.ts';
import { codeBlock, section } from '../html/components.ts';
import { html, nothing } from '../html/html.ts';
import { view } from '../html/view.ts';
import { wayOn } from '../html/way-on.ts';
import { queryOf } from '../query.ts';
import type { Routes } from '../route-table.ts';

const folder = new URL('../../partner-sdk/quickstarts/', import.meta.url);

interface Quickstart {
  name: string;
  file: string;
  needs: string;
  /** After the environment. */
  run: string;
}

const languages = {
  curl: {
    name: 'curl',
    file: 'purchase.sh',
    needs: 'bash, curl and openssl',
    run: 'bash purchase.sh A1',
  },
  typescript: {
    name: 'TypeScript',
    file: 'purchase.ts',
    needs: 'Node 24',
    run: 'node purchase.ts A1',
  },
  python: { name: 'Python', file: 'purchase.py', needs: 'Python 3', run: 'python3 purchase.py A1' },
  php: { name: 'PHP', file: 'purchase.php', needs: 'PHP 8', run: 'php purchase.php A1' },
  go: { name: 'Go', file: 'purchase.go', needs: 'Go', run: 'go run purchase.go A1' },
  java: { name: 'Java', file: 'Purchase.java', needs: 'Java 17', run: 'java Purchase.java A1' },
} as const satisfies Record<string, Quickstart>;
type Language = keyof typeof languages;
const all = Object.entries(languages);

const querySchema = Joi.object<{ language: Language }>({
  language: Joi.string()
    .valid(...Object.keys(languages))
    .default('curl'),
});

/** Code that signs and sends a purchase, a file for each language. */
export function quickstartPages(routes: Routes, { config }: PortalDeps): void {
  const texts = new Map(
    all.map(([, { file }]) => [file, readFileSync(new URL(file, folder), 'utf8')]),
  );

  routes.page({ path: '/quickstarts', audience: 'partner', permission: 'read' }, async (ctx) => {
    const { language } = queryOf(ctx, querySchema);
    const { name, file, needs, run } = languages[language];
    const environment = [
      `export PARTNER_URL=${config.portal.apiUrl}`,
      "export PARTNER_KEY='pk_test_… (your TEST key)'",
      "export PARTNER_SECRET='sk_test_… (its secret)'",
    ].join('\n');
    view(
      ctx,
      {
        title: 'Quick starts',
        lead: 'A purchase, signed and sent, in one file without dependencies. Copy it, run it, then take the signing into your code.',
      },
      html`<nav class="tabs" aria-label="Languages"><ul>${all.map(
        ([one, { name: text }]) =>
          html`<li class="tab"><a class="tab-link" href="/quickstarts?language=${one}" ${one === language ? html`aria-current="page"` : nothing}>${text}</a></li>`,
      )}</ul></nav>`,
      section(
        'Run it',
        html`<p>It needs ${needs}. Save the file below as <code>${file}</code>; <code>A1</code> stands for your id of the order.</p>`,
        codeBlock(`${environment}\n${run}\n`, 'How to run it'),
      ),
      section(`${file}`, codeBlock(texts.get(file) ?? '', `${name}: ${file}`)),
      wayOn(ctx, [
        ['/keys', 'A TEST key'],
        ['/doctor', 'Signature refused?'],
        ['/reference', 'API reference'],
      ]),
    );
  });
}
