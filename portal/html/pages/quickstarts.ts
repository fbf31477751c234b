import type { PageContext } from '../../context.ts';
import { allLanguages, type Language, languages } from '../../documents/quickstarts.ts';
import { codeBlock, section } from '../components.ts';
import { html, nothing } from '../html.ts';
import { onwardLinks } from '../onward-links.ts';
import { type Page, page } from '../view.ts';

/** @param text the source file for the language */
export function quickstartPage(
  ctx: PageContext<'partner'>,
  language: Language,
  { text, apiUrl }: { text: string; apiUrl: string },
): Page {
  const { name, file, needs, run } = languages[language];
  const environment = [
    `export PARTNER_URL=${apiUrl}`,
    `export PARTNER_KEY='pk_test_… (your TEST key)'`,
    `export PARTNER_SECRET='sk_test_… (its secret)'`,
  ].join('\n');
  return page(
    {
      title: 'Quick starts',
      lead: 'A purchase, signed and sent, in one file without dependencies. Copy it, run it, then move the signing into your own code.',
    },
    html`<nav class="tabs" aria-label="Languages"><ul>${allLanguages.map(
      ([one, { name: label }]) =>
        html`<li class="tab"><a class="tab-link" href="/quickstarts?language=${one}" ${one === language ? html`aria-current="page"` : nothing}>${label}</a></li>`,
    )}</ul></nav>`,
    section(
      'Run it',
      html`<p>It needs ${needs}. Save the file below as <code>${file}</code>; <code>A1</code> is your order ID.</p>`,
      codeBlock(`${environment}\n${run}\n`, 'How to run it'),
    ),
    section(`${file}`, codeBlock(text, `${name}: ${file}`)),
    onwardLinks(ctx, [
      ['/keys', 'A TEST key'],
      ['/doctor', 'Signature refused?'],
      ['/reference', 'API reference'],
    ]),
  );
}
