import { createHmac } from 'node:crypto';

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

/** Usual changes to a body's bytes on the way to the verification. */
const bodyChanges: readonly (readonly [what: string, undo: (body: string) => string])[] = [
  ['It ends in a line break that was not sent.', (body) => body.replace(/\r?\n$/, '')],
  ['It has blanks around it that were not sent.', (body) => body.trim()],
  ['It begins with a byte order mark that was not sent.', (body) => body.replace(/^\uFEFF/, '')],
  ['It was parsed and written again, with other blanks or line breaks.', compact],
];

function compact(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body));
  } catch {
    return body;
  }
}

const rawBytes =
  'Verify the raw bytes of the request, before any framework parses or changes them.';

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
  for (const [what, undo] of bodyChanges) {
    if (undo(body) !== body && signerOf(undo(body))) return [wrong(what, rawBytes)];
  }
  if (sent !== null && signerOf(sent)) {
    return [
      isSameJson(sent, body)
        ? wrong('It was parsed and written again: the same content in other bytes.', rawBytes)
        : wrong(
            `It is not the body that was sent: the two differ from character ${firstDifference(sent, body) + 1} on.`,
            `${rawBytes} Look at what was sent on the page of the delivery.`,
          ),
    ];
  }
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
  const bodies = [sent ?? body, body, compact(body), ...bodyChanges.map(([, undo]) => undo(body))];
  for (const { secret, name } of secrets) {
    for (const [keyWords, key] of keysOf(secret)) {
      for (const [place, text] of bodies.entries()) {
        for (const [contentWords, content] of contentsOf(id, timestamp, text)) {
          for (const [formWords, encoding] of forms) {
            if (mac(key, content, encoding) !== bare) continue;
            const isOther = place > 0 && text !== bodies[0];
            const mistakes = [keyWords, contentWords, formWords, isOther && 'over another body'];
            const said = mistakes.filter((one) => one !== null && one !== false);
            return said.length === 0
              ? [fine(`Your code works out the right signature, under ${name}.`, constantTime)]
              : [wrong(`Your code signs ${said.join(', ')}.`, recipe)];
          }
        }
      }
    }
  }
  return [
    wrong(
      'What your code computed matches none of the usual mistakes.',
      `${recipe} Check that it has the secret of this endpoint.`,
    ),
  ];
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

function isSameJson(one: string, other: string): boolean {
  return compact(sorted(one)) === compact(sorted(other));
}

/** A JSON text with its fields sorted. */
function sorted(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), (_name, value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : value,
    );
  } catch {
    return text;
  }
}

function firstDifference(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}
