import { type PlainKey, say } from '../words/say.ts';
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
const ways: Readonly<Record<string, readonly [path: string, text: PlainKey]>> = {
  NO_ACTIVE_EARNING_RULE: ['/rules', 'consoleAnswer.ways.activateTest'],
  CURRENCY_MISMATCH: ['/rules', 'consoleAnswer.ways.seeRules'],
  INSUFFICIENT_SCOPE: ['/keys/test/new', 'consoleAnswer.ways.generateKey'],
  PARTNER_NOT_ACTIVE: ['/profile', 'consoleAnswer.seeYourProfile'],
  ORIGINAL_PURCHASE_NOT_FOUND: ['/console?type=purchase', 'consoleAnswer.ways.reportPurchase'],
};

/** The response, with advice if it is a refusal. */
export function answerSection(answer: ConsoleAnswer, credentialId: string): Html {
  const { status, headers, text, tookMs } = answer;
  if (status === null) {
    return section(
      say('consoleAnswer.section.theAnswer'),
      notice('bad', say('consoleAnswer.answer.notice')),
    );
  }
  const isGood = status < 300;
  const { code, message } = factsOf(answer);
  const way =
    status === 401
      ? ([`/doctor/${credentialId}`, 'consoleAnswer.answer.askSignature'] as const)
      : ways[code ?? ''];
  return section(
    say('consoleAnswer.section.theAnswer'),
    html`<p>${badge(isGood ? 'ACCEPTED' : 'REFUSED', String(status))} <span class="muted">${say('consoleAnswer.inMs', { tookMs })}</span></p>`,
    isGood
      ? nothing
      : notice(
          'bad',
          html`<strong>${code ?? say('consoleAnswer.noCode')}</strong> ${message ?? ''} ${way ? html`<a href="${way[0]}">${say(way[1])}</a>` : nothing}`,
        ),
    codeBlock(pretty(text), say('consoleAnswer.answer.bodyAnswer')),
    html`<details><summary>${say('consoleAnswer.answer.headersAnswer')}</summary>${table({
      caption: say('consoleAnswer.answer.caption'),
      columns: [
        { heading: say('consoleAnswer.header'), cell: ([name]) => name },
        { heading: say('consoleAnswer.value'), cell: ([, value]) => html`<code>${value}</code>` },
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
