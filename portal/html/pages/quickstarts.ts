import type { PageContext } from '../../context.ts';
import { allLanguages, type Language, languages } from '../../documents/quickstarts.ts';
import { say } from '../../words/say.ts';
import { tags } from '../../words/tags.ts';
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
    `export PARTNER_KEY='pk_test_… (${say('quickstarts.yourKey')})'`,
    `export PARTNER_SECRET='sk_test_… (${say('quickstarts.itsSecret')})'`,
  ].join('\n');
  return page(
    {
      title: say('quickstarts.quickstart.title'),
      lead: say('quickstarts.quickstart.lead'),
    },
    html`<nav class="tabs" aria-label="${say('quickstarts.languages')}"><ul>${allLanguages.map(
      ([one, { name: label }]) =>
        html`<li class="tab"><a class="tab-link" href="/quickstarts?language=${one}" ${one === language ? html`aria-current="page"` : nothing}>${label}</a></li>`,
    )}</ul></nav>`,
    section(
      say('quickstarts.section.runIt'),
      html`<p>${say('quickstarts.quickstart.needsSave', { needs, code: tags.code, file })}</p>`,
      codeBlock(`${environment}\n${run}\n`, say('quickstarts.quickstart.howRun')),
    ),
    section(`${file}`, codeBlock(text, `${name}: ${file}`)),
    onwardLinks(ctx, [
      ['/keys', say('quickstarts.aTestKey')],
      ['/doctor', say('quickstarts.signatureRefused')],
      ['/reference', say('quickstarts.apiReference')],
    ]),
  );
}
