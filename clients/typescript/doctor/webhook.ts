import { createHmac } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

/** The parts of a refused webhook that a user pasted. */
export interface PastedWebhook {
  /** One per line, `name: value`. */
  headers: string;
  body: string;
  /** The signature that their code computed, if known. */
  computed?: string | undefined;
}

/** What the service knows about the webhook and its possible signers. */
export interface WebhookKnowledge {
  /** The endpoint's own secrets first. */
  secrets: readonly { secret: string; name: string; isOwn: boolean }[];
  /** The body that was sent with this `webhook-id`; null if it is unknown. */
  sentBodyOf(webhookId: string): string | null;
  nowSeconds: number;
}

export interface WebhookFinding {
  isWrong: boolean;
  what: string;
  advice: string;
}

const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;
const toleranceSeconds = 300;

const wrong = (what: string, advice: string): WebhookFinding => ({ isWrong: true, what, advice });
const fine = (what: string, advice: string): WebhookFinding => ({ isWrong: false, what, advice });

/**
 * Explains why a webhook does not verify, most informative first. Never reveals the correct signature,
 * because the user may not have the secret.
 */
export function diagnoseWebhook(
  { headers, body, computed }: PastedWebhook,
  known: WebhookKnowledge,
): WebhookFinding[] {
  const given = headersOf(headers);
  const missing = names.filter((name) => !given.get(name));
  if (missing.length > 0) {
    return missing.map((name) =>
      wrong(
        `There is no ${name} header.`,
        'Something else sent it, or a proxy in front of your receiver drops the header: let all three through.',
      ),
    );
  }
  const [id = '', timestamp = '', signature = ''] = names.map((name) => given.get(name));
  const signatures = signature.split(/\s+/).filter((one) => one.startsWith('v1,'));
  if (signatures.length === 0) {
    return [
      wrong(
        'webhook-signature holds no signature of the form v1,….',
        'Take the header as it arrives: several signatures have spaces between, and each begins with v1 and a comma.',
      ),
    ];
  }
  const sent = known.sentBodyOf(id);
  const pasted = { id, timestamp, body, signatures, sent };
  return [
    ...findSigner(pasted, known),
    ...(computed === undefined ? [] : findMistake(computed, pasted, known)),
    ...ageOf(timestamp, known.nowSeconds),
  ];
}

function headersOf(text: string): Map<string, string> {
  const lines = text.split('\n').flatMap((line) => {
    const [, name, value] = /^\s*"?([\w-]+)"?\s*[:=]\s*(.*?)\s*$/.exec(line) ?? [];
    return name === undefined || value === undefined
      ? []
      : [[name.toLowerCase(), value.replace(/,$/, '').replace(/^["'](.*)["']$/, '$1')] as const];
  });
  return new Map(lines);
}

interface Pasted {
  id: string;
  timestamp: string;
  body: string;
  signatures: readonly string[];
  sent: string | null;
}

const rawBytes =
  'Verify the raw bytes of the request, before any framework parses or changes them. The page of the delivery shows what was sent.';

/** Finds the secret and the body that the webhook was signed with. */
function findSigner(pasted: Pasted, { secrets }: WebhookKnowledge): WebhookFinding[] {
  const { id, timestamp, body, signatures, sent } = pasted;
  const signerOf = (text: string) =>
    secrets.find(({ secret }) =>
      signatures.includes(`v1,${mac(keyOf(secret), `${id}.${timestamp}.${text}`, 'base64')}`),
    );
  const ownAdvice = 'Your receiver has another secret, or does not verify the raw bytes.';
  const exact = signerOf(body);
  if (exact?.isOwn) {
    return [fine(`The signature holds, under ${exact.name}.`, ownAdvice)];
  }
  if (exact) {
    return [
      wrong(
        `It was signed under ${exact.name}.`,
        'Each endpoint has a secret of its own, and TEST and LIVE have different endpoints: take that one’s.',
      ),
    ];
  }
  if (sent !== null && signerOf(sent)) return [wrong(differenceOf(sent, body), rawBytes)];
  return [
    sent === null
      ? wrong(
          'No webhook with this webhook-id was sent to this endpoint within thirty days.',
          'Choose the endpoint that it was sent to; else somebody else sent it, and your receiver is right to refuse it.',
        )
      : wrong(
          'None of your secrets signed it with this id and time.',
          'The headers are of another try or of another webhook, or its secret was replaced more than a day ago.',
        ),
  ];
}

/** Finds the mistake in the signature that their code computed. */
function findMistake(
  computed: string,
  { id, timestamp, body, sent }: Pasted,
  { secrets }: WebhookKnowledge,
): WebhookFinding[] {
  const bare = computed.trim().replace(/^v1[,=]/, '');
  const right = sent ?? body;
  const bodies = [right, body, body.trim()].map(
    (text) => [text === right ? null : 'over another body', text] as const,
  );
  const tries = secrets.flatMap(({ secret, name }) =>
    keysOf(secret).flatMap(([keyWords, key]) =>
      bodies.flatMap(([bodyWords, text]) =>
        contentsOf(id, timestamp, text).flatMap(([contentWords, content]) =>
          forms.map(([formWords, encoding]) => ({
            name,
            isRight: mac(key, content, encoding) === bare,
            mistakes: [keyWords, contentWords, formWords, bodyWords].filter((one) => one !== null),
          })),
        ),
      ),
    ),
  );
  const found = tries.find(({ isRight }) => isRight);
  if (!found) {
    return [
      wrong(
        'What your code computed matches none of the usual mistakes.',
        `${recipe} Check that it has the secret of this endpoint.`,
      ),
    ];
  }
  return found.mistakes.length === 0
    ? [fine(`Your code works out the right signature, under ${found.name}.`, constantTime)]
    : [wrong(`Your code signs ${found.mistakes.join(', ')}.`, recipe)];
}

const constantTime = 'Compare it with each of the signatures of the header, one after the other.';
const recipe =
  'The key is what follows whsec_, decoded from base64; what is signed is the id, a full stop, the timestamp, a full stop and the raw body; the signature is v1, and the base64 of its HMAC-SHA256.';

const forms = [
  [null, 'base64'],
  ['in hex instead of base64', 'hex'],
  ['in base64url instead of base64', 'base64url'],
] as const;

const keyOf = (secret: string): Buffer => Buffer.from(secret.replace(/^whsec_/, ''), 'base64');

const keysOf = (secret: string) =>
  [
    [null, keyOf(secret)],
    ['with the secret undecoded', Buffer.from(secret.replace(/^whsec_/, ''))],
    ['with the whole secret as text, whsec_ included', Buffer.from(secret)],
  ] as const;

const contentsOf = (id: string, timestamp: string, body: string) =>
  [
    [null, `${id}.${timestamp}.${body}`],
    ['without the webhook-id', `${timestamp}.${body}`],
    ['without the timestamp', `${id}.${body}`],
    ['the body alone', body],
  ] as const;

function mac(key: Buffer, content: string, encoding: 'base64' | 'hex' | 'base64url'): string {
  return createHmac('sha256', key).update(content).digest(encoding);
}

function ageOf(timestamp: string, nowSeconds: number): WebhookFinding[] {
  if (!/^\d{1,12}$/.test(timestamp)) {
    return [wrong('webhook-timestamp is no number of seconds.', 'Take the header as it arrives.')];
  }
  const age = Math.floor(nowSeconds) - Number(timestamp);
  if (Math.abs(age) <= toleranceSeconds) return [];
  return [
    fine(
      `It was signed ${Math.abs(age)} s ${age > 0 ? 'ago' : 'from now'}: a receiver refuses it by now.`,
      `If it was refused when it arrived, compare your clock with ours. ${toleranceSeconds} s are allowed.`,
    ),
  ];
}

function differenceOf(sent: string, body: string): string {
  if (body.trim() === sent) return 'It has a line break or blanks around it that were not sent.';
  if (isSameJson(sent, body)) {
    return 'It was parsed and written again: the same content in other bytes.';
  }
  let at = 0;
  while (at < sent.length && sent[at] === body[at]) at += 1;
  return `It is not the body that was sent: the two differ from character ${at + 1} on.`;
}

function isSameJson(one: string, other: string): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(one), JSON.parse(other));
  } catch {
    return false;
  }
}
