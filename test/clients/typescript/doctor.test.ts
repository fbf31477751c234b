import { createHmac, randomBytes } from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import {
  type Cause,
  compareLines,
  diagnose,
  diagnosePasted,
  diagnoseWebhook,
  examineBody,
  type KnownCredential,
  ourString,
  type SuspectRequest,
  showInvisible,
} from '../../../clients/typescript/doctor/index.ts';
import { signWebhook } from '../../../clients/typescript/webhook.ts';
import {
  type Client,
  mistakes,
  type OtherSecrets,
  rightClient,
  signatureOf,
} from '../../helpers/wrong-clients.ts';
import { anyCharacter } from './helpers/any-character.ts';
import { anyPath } from './helpers/any-path.ts';

const nowSeconds = 1_700_000_000;
const secret = 'sk_test_Zm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm9';
const others: OtherSecrets = {
  rotated: 'sk_test_rotated',
  otherMode: 'sk_live_other_mode',
  otherCredential: 'sk_test_other_credential',
};
const known: KnownCredential = {
  apiKey: 'pk_test_key',
  isRevoked: false,
  secrets: [
    { secret: 'sk_test_second', whose: 'ACTIVE', name: 'key_1' },
    { secret, whose: 'ACTIVE', name: 'key_1' },
    { secret: others.rotated, whose: 'REVOKED', name: 'sec_1' },
    { secret: others.otherMode, whose: 'OTHER_MODE', name: 'key_2' },
    { secret: others.otherCredential, whose: 'OTHER_CREDENTIAL', name: 'key_3' },
  ],
};
const aBody = '{"externalOrderId":"A1","customer":{"email":"a@b.co"},"note":"<ü/>"}';
const aClient = (changes: { body?: string; method?: string; path?: string } = {}): Client =>
  rightClient({ key: known.apiKey, secret, body: aBody, nowSeconds, ...changes });

/** A client's request as the service receives it. */
function arrived(client: Client): SuspectRequest {
  const { signature } = signatureOf(client);
  const { method, key, timestamp } = client;
  const [pathname = '', query = null] = client.path.split('?');
  const head = { method, pathname, timestamp, signature: signature.trim() };
  const evidence = examineBody(Buffer.from(client.sentBody as string));
  return {
    ...head,
    query,
    host: 'shop.example',
    key,
    body: evidence,
    receivedAtSeconds: nowSeconds,
  };
}

const causesOf = (found: ReturnType<typeof diagnose>): Cause[] =>
  found?.findings.map(({ cause }) => cause) ?? [];

const aWord = fc.stringMatching(/^[a-z]{1,8}$/);
/** A body that each serializer writes differently. */
const someBody = fc
  .record({ id: aWord, cents: fc.nat(), name: aWord, list: fc.array(fc.nat(), { minLength: 2 }) })
  .map(({ id, cents, name, list }) =>
    JSON.stringify({ z: id, cents, a: { list, text: `</ü>${name}`, none: null } }),
  );

test('a correctly signed request is never diagnosed', (t) => {
  const requests = fc.record({
    method: fc.constantFrom('GET', 'POST', 'PUT'),
    path: anyPath.map((path) => `/${path.replace(/^\/+/, '')}`),
    body: fc.string({ unit: anyCharacter }),
  });
  fc.assert(
    fc.property(requests, (request) => {
      t.is(diagnose(arrived(aClient(request)), known), null);
    }),
  );
});

test('for any body, each mistake is diagnosed by its cause', (t) => {
  for (const [cause, byName] of Object.entries(mistakes)) {
    for (const [name, make] of Object.entries(byName)) {
      const isDiagnosed = fc.property(someBody, (body) => {
        const right = aClient({ body });
        const client = { ...right, ...make(right, others) };
        t.deepEqual(causesOf(diagnose(arrived(client), known)), [cause as Cause], name);
      });
      fc.assert(isDiagnosed, { numRuns: 2 });
    }
  }
});

test('the string that the client signed is reconstructed', (t) => {
  for (const cause of ['METHOD', 'LINES', 'PATH_PREFIX', 'BODY'] as const) {
    const right = aClient();
    const [make] = Object.values(mistakes[cause]);
    const client = { ...right, ...make?.(right, others) };
    t.is(diagnose(arrived(client), known)?.theirs, signatureOf(client).text, cause);
  }
});

test('a GET signed with a body is diagnosed', (t) => {
  const get = aClient({ method: 'GET', body: '', path: '/api/v1/partner/plans' });
  t.is(diagnose(arrived(get), known), null);
  const client = { ...get, hash: () => get.hash('{}') };
  t.deepEqual(causesOf(diagnose(arrived(client), known)), ['BODY']);
});

test('a secret in the key header and a missing one are distinguished', (t) => {
  const right = aClient();
  const withKey = (key: string) => causesOf(diagnose({ ...arrived(right), key }, known));
  t.deepEqual(withKey(secret), ['SECRET_SENT']);
  t.deepEqual(withKey(''), ['HEADER_MISSING']);
  const revoked = diagnose(arrived(right), { ...known, isRevoked: true });
  t.deepEqual(causesOf(revoked), ['CREDENTIAL_REVOKED']);
});

test('a diagnosis reveals neither a secret nor the correct signature', (t) => {
  const right = aClient();
  const digest = signatureOf(right).signature.slice('sha256='.length);
  const secrets = known.secrets.map((one) => one.secret);
  for (const byName of Object.values(mistakes)) {
    for (const make of Object.values(byName)) {
      const client = { ...right, ...make(right, others) };
      const shown = JSON.stringify(diagnose(arrived(client), known));
      t.false([digest, ...secrets].some((one) => shown.includes(one)));
    }
  }
});

test('every cause has a mistake that produces it, and sentences on what is wrong and what to do', (t) => {
  for (const [cause, byName] of Object.entries(mistakes)) {
    if (cause === 'CREDENTIAL_REVOKED') continue;
    t.true(Object.keys(byName).length > 0, cause);
    for (const make of Object.values(byName)) {
      const right = aClient();
      const found = diagnose(arrived({ ...right, ...make(right, others) }), known);
      for (const { what, advice } of found?.findings ?? []) {
        t.regex(what, /^[A-Z].*\.$/);
        t.regex(advice, /^[A-Z].*[.…]$/);
      }
    }
  }
});

test('a request stored without its body’s variants is still diagnosed', (t) => {
  const right = aClient();
  const one = arrived({ ...right, join: (lines) => `${lines.join('\n')}\n` });
  const bare = { ...one, body: { ...one.body, variants: null } };
  t.deepEqual(causesOf(diagnose(bare, known)), ['LINES']);
});

test('a timestamp in any unit is recognized', (t) => {
  for (const timestamp of ['1700000000123', '1700000000123456', '1700000000123456789']) {
    const [finding] = diagnose(arrived({ ...aClient(), timestamp }), known)?.findings ?? [];
    t.is(finding?.cause, 'TIMESTAMP');
    t.regex(finding?.what ?? '', new RegExp(`not in seconds: it has ${timestamp.length} digits`));
  }
});

test('any path can be examined', (t) => {
  for (const path of ['', '/%', '/\ud800', '//', '*']) {
    t.notThrows(() => diagnose(arrived({ ...aClient({ path }), secret: 'sk_other' }), known), path);
  }
});

test('a body that is not JSON, or is endlessly nested, is still examined', (t) => {
  for (const text of ['{', '['.repeat(30_000) + ']'.repeat(30_000), '\ufeff', '']) {
    const { variants, lengthBytes } = examineBody(Buffer.from(text));
    t.is(lengthBytes, Buffer.byteLength(text));
    t.truthy(variants?.plusNewline);
  }
});

const pasted = (client: Client, theirs: string, signature = ''): Cause[] =>
  causesOf(diagnosePasted({ ...arrived(client), signature }, known, theirs));

test('a pasted string is compared with ours line by line, without a signature', (t) => {
  const right = aClient();
  const lines = ourString(arrived(right)).split('\n');
  t.deepEqual(pasted(right, lines.join('\n')), []);
  const cases: [Cause[], string][] = [
    [['METHOD'], lines.with(1, 'post').join('\n')],
    [['LINES'], `${lines.join('\n')}\n`],
    [['LINES'], lines.join('\r\n')],
    [['LINES'], lines.slice(0, 4).join('\n')],
    [['TIMESTAMP'], lines.with(3, `${nowSeconds}000`).join('\n')],
    [['TIMESTAMP'], lines.with(3, '1700000009').join('\n')],
    [['BODY'], lines.with(4, 'f'.repeat(64)).join('\n')],
    [['PATH'], lines.with(2, '/elsewhere').join('\n')],
    [['PATH_PREFIX'], lines.with(2, `/any/prefix${lines[2]}`).join('\n')],
    [['LINES'], lines.with(0, 'v9').join('\n')],
    [['BODY'], lines.with(4, right.hash(`${aBody}\n`)).join('\n')],
    [
      ['METHOD', 'PATH_PREFIX', 'TIMESTAMP'],
      ['v1', 'post', '/purchases', '7', lines[4]].join('\n'),
    ],
  ];
  for (const [expected, text] of cases) t.deepEqual(pasted(right, text), expected, text);
});

test('a pasted signature is checked against the pasted string', (t) => {
  const right = aClient();
  const { text, signature } = signatureOf(right);
  t.deepEqual(pasted(right, text, signature), []);
  t.deepEqual(pasted(right, `${text} `, signature), ['UNKNOWN', 'BODY']);
  const lower = { ...right, join: (lines: string[]) => lines.with(1, 'post').join('\n') };
  const made = signatureOf(lower);
  t.deepEqual(pasted(right, made.text, made.signature), ['METHOD']);
  const old = { ...lower, secret: others.rotated };
  t.deepEqual(pasted(right, made.text, signatureOf(old).signature), ['OTHER_SECRET', 'METHOD']);
  const unknown = signatureOf({ ...right, secret: 'sk_test_unknown' });
  t.deepEqual(pasted(right, text, unknown.signature), ['UNKNOWN']);
  const upper = signature.toUpperCase().replace('SHA256', 'sha256');
  t.deepEqual(pasted(right, text, upper), ['SIGNATURE_FORM']);
});

test('invisible characters in a line are shown', (t) => {
  const cases = [
    ['a b\tc\r\n', 'a·b␉c␍␊'],
    ['\ufeffv1', '⟨BOM⟩v1'],
    ['v1\u200b', 'v1⟨U+200B⟩'],
    ['p\u0430th', 'p\u0430⟨U+0430⟩th'],
    ['🎁', '🎁⟨U+1F381⟩'],
    ['\u00a0', '⟨U+00A0⟩'],
    ['\0', '⟨U+0000⟩'],
    ['plain-text_09~', 'plain-text_09~'],
  ] as const;
  for (const [text, shown] of cases) t.is(showInvisible(text), shown);
});

test('lines are compared side by side, including surplus ones', (t) => {
  const rows = compareLines('v1\nPOST', 'v1\npost\n');
  t.deepEqual(rows, [
    { line: 1, name: 'version', ours: 'v1', theirs: 'v1', differs: false },
    { line: 2, name: 'method', ours: 'POST', theirs: 'post', differs: true },
    { line: 3, name: 'path', ours: null, theirs: '', differs: true },
  ]);
  t.true(compareLines('v1\nPOST', null).every(({ differs }) => !differs));
});

const secretOf = () => `whsec_${randomBytes(32).toString('base64')}`;
const [own, other] = [secretOf(), secretOf()];
const id = 'whk_1';
const atSeconds = 1_800_000_000;
const body = '{"id":"whk_1","type":"reward.funded","data":{"points":499}}';
const knownOfWebhookDoctor = {
  secrets: [
    { secret: own, name: 'this endpoint’s secret', isOwn: true },
    { secret: other, name: 'the secret of other.example', isOwn: false },
  ],
  sentBodyOf: (webhookId: string) => (webhookId === id ? body : null),
  nowSeconds: atSeconds + 5,
};

async function headersOf(secret = own, changes: Record<string, string | undefined> = {}) {
  const signed = { ...(await signWebhook(body, { id, secret, atSeconds })), ...changes };
  return Object.entries(signed)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]))
    .join('\n');
}

test('the webhook doctor names the differences and shows no signature', async (t) => {
  const headers = await headersOf();
  const rows: [string, { headers?: string; body?: string; nowSeconds?: number }, RegExp][] = [
    ['unchanged', {}, /The signature holds, under this endpoint’s secret/],
    ['another endpoint', { headers: await headersOf(other) }, /signed under .*other\.example/],
    ['a line break', { body: `${body}\n` }, /line break or blanks around it/],
    ['surrounding whitespace', { body: ` ${body}` }, /blanks around it/],
    [
      'reformatted',
      { body: JSON.stringify(JSON.parse(body), null, 2) },
      /the same content in other bytes/,
    ],
    [
      'reordered',
      { body: '{"type":"reward.funded","id":"whk_1","data":{"points":499}}' },
      /the same content in other bytes/,
    ],
    ['changed', { body: body.replace('499', '999') }, /differ from character 55 on/],
    [
      'an unknown id',
      { headers: await headersOf(own, { 'webhook-id': 'whk_2' }) },
      /No webhook with/,
    ],
    ['an unknown secret', { headers: await headersOf(secretOf()) }, /None of your secrets/],
    [
      'a missing header',
      { headers: await headersOf(own, { 'webhook-timestamp': undefined }) },
      /no webhook-timestamp header/,
    ],
    [
      'a truncated header',
      { headers: await headersOf(own, { 'webhook-signature': 'abc' }) },
      /no signature of/,
    ],
    ['an old webhook', { nowSeconds: atSeconds + 900 }, /signed 900 s ago/],
  ];
  for (const [
    name,
    { nowSeconds = knownOfWebhookDoctor.nowSeconds, ...pasted },
    expected,
  ] of rows) {
    const found = diagnoseWebhook(
      { headers, body, ...pasted },
      { ...knownOfWebhookDoctor, nowSeconds },
    );
    t.regex(found.map(({ what }) => what).join(' '), expected, name);
    t.notRegex(JSON.stringify(found), /v1,[\w+/]{20}|whsec_[\w+/]{20}/, name);
  }
});

test('the webhook doctor explains a wrong signature', async (t) => {
  const headers = await headersOf();
  const key = Buffer.from(own.slice('whsec_'.length), 'base64');
  const mac = (by: Buffer | string, content: string, encoding: 'base64' | 'hex' = 'base64') =>
    createHmac('sha256', by).update(content).digest(encoding);
  const content = `${id}.${atSeconds}.${body}`;
  const rows: [string, RegExp][] = [
    [mac(key, content), /right signature/],
    [`v1,${mac(key, content)}`, /right signature/],
    [mac(key, content, 'hex'), /hex instead of base64/],
    [mac(own, content), /whole secret as text/],
    [mac(own.slice('whsec_'.length), content), /secret undecoded/],
    [mac(key, `${atSeconds}.${body}`), /without the webhook-id/],
    [mac(own, body, 'hex'), /whole secret as text, whsec_ included, the body alone, in hex/],
    ['anything', /none of the usual mistakes/],
  ];
  for (const [computed, expected] of rows) {
    const found = diagnoseWebhook({ headers, body, computed }, knownOfWebhookDoctor);
    t.regex(found.map(({ what }) => what).join(' '), expected);
  }
});
