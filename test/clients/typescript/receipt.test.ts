import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { verifyReceipt } from '../../../clients/typescript/receipt.ts';
import type { Receipt, SigningKey } from '../../../clients/typescript/types.ts';
import { leafHash } from '../../../domain/merkle.ts';
import { signJws } from '../../../models/receipts/signing-keys.ts';
import { sha256 } from '../../../platform/hashing.ts';
import { runCli } from './run-cli.ts';
import { answer, key, secret, startServer } from './scripted-server.ts';

/** A key of a service, which signs receipts of a log with one entry. */
function aService({
  retiredAt = null,
  ...changes
}: {
  retiredAt?: string | null;
  signedAt?: unknown;
} = {}) {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = privateKey.export({ format: 'jwk' });
  const curve = { crv: 'Ed25519', kty: 'OKP' } as const;
  const keyId = sha256(Buffer.from(JSON.stringify({ ...curve, x }))).toString('base64url');
  const signingKey: SigningKey = {
    ...curve,
    x,
    kid: keyId,
    use: 'sig',
    alg: 'EdDSA',
    createdAt: '2026-11-01T00:00:00.000Z',
    retiredAt,
  };
  const leaf = JSON.stringify({
    id: 'txn_1',
    at: '2026-11-02T00:00:00.000Z',
    kind: 'CLAIM\u001b[2J',
    rewardId: 'PNR_1',
    postings: [{ account: 'reserved', unit: 'CENTS', amount: -499 }],
  });
  const treeHead = signJws(
    { keyId, privateKey },
    {
      log: 'https://rewards.example',
      size: 1,
      rootHash: Buffer.from(leafHash(sha256, Buffer.from(leaf))).toString('base64'),
      signedAt: '2026-11-03T00:00:00.000Z',
      ...changes,
    },
  );
  const stated = { log: 'https://rewards.example', size: 1, rewardId: 'PNR_1' };
  const statement = signJws({ keyId, privateKey }, { ...stated, indexes: [0], pendingEntries: 0 });
  const receipt: Receipt = {
    format: 'partner-events/receipt/1',
    rewardId: 'PNR_1',
    entries: [{ index: 0, leaf, inclusionProof: [] }],
    pendingEntries: 0,
    treeHead,
    previousTreeHead: null,
    consistencyProof: [],
    statement,
    keys: [signingKey],
  };
  return { signingKey, receipt };
}

/** Writes each as JSON into a file of that name. @returns the paths */
async function filesOf<Name extends string>(
  t: ExecutionContext,
  contents: Record<Name, unknown>,
): Promise<Record<Name, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'receipt-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const paths = {} as Record<Name, string>;
  for (const [name, content] of Object.entries(contents) as [Name, unknown][]) {
    paths[name] = join(folder, `${name}.json`);
    await writeFile(paths[name], JSON.stringify(content));
  }
  return paths;
}

test('verify says what a receipt proves by a given key, and what it does not', async (t) => {
  const { signingKey, receipt } = aService();
  const response = { success: true, mode: 'LIVE', receipt };
  const files = await filesOf(t, { receipt, response, keys: { keys: [signingKey] }, signingKey });
  for (const file of [files.receipt, files.response]) {
    for (const given of [files.keys, files.signingKey]) {
      const { code, stdout, stderr } = await runCli(['verify', file, '--key', given]);
      t.is(code, 0, stderr);
      t.is(stderr, '');
      for (const shown of ['PNR_1', '-499 cents', 'Proved', 'Not proved', signingKey.kid]) {
        t.true(stdout.includes(shown), shown);
      }
      t.false(stdout.includes('\u001b'), 'a receipt cannot control the terminal');
    }
  }
  const { stdout } = await runCli(['verify', files.receipt, '--key', files.keys, '--json']);
  t.like(JSON.parse(stdout), { isTrusted: true, rewardId: 'PNR_1', head: { size: 1 } });
});

test('verify warns if the key comes from the receipt itself', async (t) => {
  const files = await filesOf(t, { receipt: aService().receipt });
  const { code, stdout, stderr } = await runCli(['verify', files.receipt]);
  t.is(code, 0);
  t.true(stdout.includes('which only the receipt names'));
  t.regex(stderr, /Warning: the key comes from the receipt itself/);
});

test('verify refuses a changed receipt and one signed by another key, and says why', async (t) => {
  const { signingKey, receipt } = aService();
  const [entry] = receipt.entries;
  const leaf = entry?.leaf.replace('-499', '-9') ?? '';
  const changed = { ...receipt, entries: [{ ...entry, leaf }] };
  const others = { keys: [aService().signingKey] };
  const files = await filesOf(t, { receipt, changed, signingKey, others, nothing: {} });
  for (const [file, keys, problem] of [
    [files.changed, files.signingKey, /Not proved: entry 0 is not in the log/],
    [files.receipt, files.others, /Not proved: .* which is not given/],
    [files.nothing, files.signingKey, /Not proved: the format undefined is unknown/],
  ] as const) {
    const { code, stdout, stderr } = await runCli(['verify', file, '--key', keys]);
    t.is(code, 1);
    t.is(stdout, '');
    t.regex(stderr, problem);
  }
});

test('a head proves nothing unless it says when it was signed, by a key that is not retired', (t) => {
  for (const signedAt of ['never', null, undefined, 1_700_000_000_000, '2026-11-03']) {
    const { receipt, signingKey } = aService({ signedAt });
    t.throws(() => verifyReceipt(receipt, [signingKey]), { message: /does not say when/ });
  }
  const backdated = aService({ retiredAt: '2026-11-04T00:00:00.000Z' });
  t.throws(() => verifyReceipt(backdated.receipt, [backdated.signingKey]), {
    message: /was retired at 2026-11-04/,
  });
});

test('verify cannot read what is no JSON or no key', async (t) => {
  const files = await filesOf(t, { receipt: aService().receipt, nothing: {}, text: 'text' });
  for (const args of [
    [files.text],
    [`${files.receipt}.gone`],
    [files.receipt, '--key', files.nothing],
  ]) {
    const { code } = await runCli(['verify', ...args]);
    t.is(code, 2, args.join(' '));
  }
});

test('receipt prints what verify reads', async (t) => {
  const { receipt } = aService();
  const { baseUrl } = await startServer(t, answer(200, { success: true, mode: 'LIVE', receipt }));
  const env = { PARTNER_URL: baseUrl, PARTNER_KEY: key, PARTNER_SECRET: secret };
  const { code, stdout } = await runCli(['receipt', 'PNR_1'], env);
  t.is(code, 0);
  t.deepEqual(JSON.parse(stdout), receipt);
  t.is((await runCli(['verify', '-'], {}, stdout)).code, 0);
});
