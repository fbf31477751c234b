import type { Finding, LineComparison } from '../../clients/typescript/doctor/index.ts';
import { say } from '../words/say.ts';
import { badge } from './components.ts';
import { type Html, html, nothing } from './html.ts';

/**
 * Our canonical string beside theirs, line by line; what differs is marked in words too.
 * @param lines with invisible characters shown
 * @param isTheirsKnown without it ours stands alone
 */
export function lineList(lines: readonly LineComparison[], isTheirsKnown: boolean): Html {
  return html`<ol class="lines">${lines.map(
    ({ line, name, ours, theirs, differs }) =>
      html`<li class="${differs ? 'line line-differs' : 'line'}"><p class="line-name">${line}. ${name} ${differs ? badge('REFUSED', say('canonicalLines.differs')) : nothing}</p>
<div class="line-sides">${side(say('canonicalLines.ours'), ours)}${isTheirsKnown ? side(say('canonicalLines.yours'), theirs) : nothing}</div></li>`,
  )}</ol>`;
}

function side(whose: string, text: string | null): Html {
  const shown =
    text === null
      ? html`<span class="muted">${say('canonicalLines.noSuchLine')}</span>`
      : text === ''
        ? html`<span class="muted">${say('canonicalLines.anEmptyLine')}</span>`
        : html`<code>${spelled(veiled(text))}</code>`;
  return html`<p><span class="line-whose">${whose}</span> ${shown}</p>`;
}

/** Few fonts have the pictures of line ends, and none of them at this size can be told apart. */
const pictures: Record<string, string> = { '␊': '⟨LF⟩', '␍': '⟨CR⟩', '␉': '⟨TAB⟩' };
const spelled = (text: string): string => text.replace(/[␊␍␉]/g, (one) => pictures[one] ?? one);

/** A secret that was sent where it does not belong is not shown to whoever may look. */
export const veiled = (text: string): string => text.replace(/sk_[\w-]+/g, 'sk_…');

/** What is wrong, and what to do about it, the most telling first. */
export function findingList(findings: readonly Finding[]): Html {
  return html`<ul class="findings">${findings.map(
    ({ cause, what, advice }) =>
      html`<li><p class="finding-what">${veiled(what)}</p><p>${advice}</p><p class="muted">${cause}</p></li>`,
  )}</ul>`;
}
