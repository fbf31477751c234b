import { badge, codeBlock, notice, section, table } from './components.ts';
import { type Html, html, nothing } from './html.ts';

/** The response to a request from the console. */
export interface ConsoleAnswer {
  /** Null if there was no response. */
  status: number | null;
  headers: [name: string, value: string][];
  text: string;
  tookMs: number;
}

/** The fields that the console reads from a response, which may lack any of them. */
export interface AnswerFacts {
  eventId?: string;
  rewardId?: string;
  externalOrderId?: string;
  code?: string;
  message?: string;
}

/** Parses a response, which may be anything. */
export function factsOf({ text }: ConsoleAnswer): AnswerFacts {
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
  INSUFFICIENT_SCOPE: ['/keys/test/new', 'Generate a key that can send events'],
  PARTNER_NOT_ACTIVE: ['/profile', 'See your profile'],
  ORIGINAL_PURCHASE_NOT_FOUND: ['/console?type=purchase', 'Report the purchase first'],
};

/** The response, with advice if it is a refusal. */
export function answerSection(answer: ConsoleAnswer, credentialId: string): Html {
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
      columns: [
        { heading: 'Header', cell: ([name]) => name },
        { heading: 'Value', cell: ([, value]) => html`<code>${value}</code>` },
      ],
      rows: headers,
      empty: nothing,
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
