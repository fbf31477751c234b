import type { Finding, LineComparison } from '../../clients/typescript/doctor/index.ts';
import { badge } from './components.ts';
import { type Html, html, nothing } from './html.ts';

/**
 * Our canonical string next to theirs, line by line, with differences also marked in words.
 * @param lines with invisible characters made visible
 * @param isTheirsKnown false to show only ours
 */
export function lineList(lines: readonly LineComparison[], isTheirsKnown: boolean): Html {
  return html`<ol class="lines">${lines.map(
    ({ line, name, ours, theirs, differs }) =>
      html`<li class="${differs ? 'line line-differs' : 'line'}"><p class="line-name">${line}. ${name} ${differs ? badge('REFUSED', 'differs') : nothing}</p>
<div class="line-sides">${side('Ours', ours)}${isTheirsKnown ? side('Yours', theirs) : nothing}</div></li>`,
  )}</ol>`;
}

function side(whose: string, text: string | null): Html {
  const shown =
    text === null
      ? html`<span class="muted">no such line</span>`
      : text === ''
        ? html`<span class="muted">an empty line</span>`
        : html`<code>${spellOutLineEnds(hideSecrets(text))}</code>`;
  return html`<p><span class="line-whose">${whose}</span> ${shown}</p>`;
}

/** Few fonts have glyphs for line ends, and none is legible at this size. */
const pictures: Record<string, string> = { '␊': '⟨LF⟩', '␍': '⟨CR⟩', '␉': '⟨TAB⟩' };
const spellOutLineEnds = (text: string): string =>
  text.replace(/[␊␍␉]/g, (one) => pictures[one] ?? one);

/** Hides a secret that was sent in the wrong place. */
export const hideSecrets = (text: string): string => text.replace(/sk_[\w-]+/g, 'sk_…');

/** The findings and what to do about each, most relevant first. */
export function findingList(findings: readonly Finding[]): Html {
  return html`<ul class="findings">${findings.map(
    ({ cause, what, advice }) =>
      html`<li><p class="finding-what">${hideSecrets(what)}</p><p>${advice}</p><p class="muted">${cause}</p></li>`,
  )}</ul>`;
}
