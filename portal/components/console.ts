import type { Finding, LineComparison } from '../../clients/typescript/doctor/index.ts';
import type { SentRequest } from '../../operations/test-console.ts';
import { badge, codeBlock, notice, section, table } from './components.ts';
import { type Html, html, nothing } from './format.ts';

/** The fields that the console reads from a response, which may lack any of them. */
export interface AnswerFacts {
  eventId?: string;
  rewardId?: string;
  externalOrderId?: string;
  code?: string;
  message?: string;
}

/** Parses a response, which may be anything. */
export function factsOf({ text }: SentRequest): AnswerFacts {
  try {
    const { eventId, externalOrderId, reward, error } = JSON.parse(text) ?? {};
    const [rewardId, code, message] = [reward?.id, error?.code, error?.message];
    return textsOf({ eventId, externalOrderId, rewardId, code, message });
  } catch {
    return {};
  }
}

const textsOf = (given: Record<string, unknown>): AnswerFacts =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => typeof value === 'string'));

/** Pages on which the cause of a refusal can be fixed, by error code. */
const ways: Readonly<Record<string, readonly [path: string, text: string]>> = {
  NO_ACTIVE_EARNING_RULE: ['/rules', 'Activate a TEST rule'],
  CURRENCY_MISMATCH: ['/rules', 'See the rules and their currencies'],
  INSUFFICIENT_SCOPE: ['/keys/new?mode=TEST', 'Generate a key that can send events'],
  PARTNER_NOT_ACTIVE: ['/profile', 'See your profile'],
  ORIGINAL_PURCHASE_NOT_FOUND: ['/console?type=purchase', 'Report the purchase first'],
};

/** The response, with advice if it is a refusal. */
export function answerSection(answer: SentRequest, credentialId: string): Html {
  const { status, headers, text, tookMs } = answer;
  if (status === null) {
    return section(
      'Response',
      notice(
        'bad',
        'No response in time. Send it again: with the same idempotency key, it counts only once.',
      ),
    );
  }
  const isGood = status < 300;
  const { code, message } = factsOf(answer);
  const way =
    status === 401
      ? ([`/doctor/${credentialId}`, 'Ask the signature doctor'] as const)
      : ways[code ?? ''];
  return section(
    'Response',
    html`<p>${badge(isGood ? 'ACCEPTED' : 'REFUSED', String(status))} <span class="muted">in ${tookMs} ms</span></p>`,
    isGood
      ? nothing
      : notice(
          'bad',
          html`<strong>${code ?? 'No code'}</strong> ${message ?? ''} ${way ? html`<a href="${way[0]}">${way[1]}</a>` : nothing}`,
        ),
    codeBlock(pretty(text), 'Response body'),
    html`<details><summary>Response headers</summary>${table({
      caption: 'Response headers',
      columns: {
        Header: ([name]) => name,
        Value: ([, value]) => html`<code>${value}</code>`,
      },
      rows: headers,
    })}</details>`,
  );
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

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
