import { execFile, spawn } from 'node:child_process';
import { createSecretKey, generateKeyPairSync, randomBytes, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import fc from 'fast-check';
import { buildVault } from '../../dev/tools/vault.ts';
import { ConfigError } from '../../platform/config.ts';
import { unwrapMasterKeys, wrapMasterKey } from '../../platform/key-providers.ts';
import { formatMasterKey, type GivenKey, parseMasterKey } from '../../platform/master-keys.ts';
import { createSealer } from '../../platform/sealing.ts';
import { startCuttableProxy } from '../helpers/cuttable-proxy.ts';
import { eventually } from '../helpers/eventually.ts';
import { compileCache } from '../helpers/inherited.ts';
import { startOwnProcess } from '../helpers/own-process.ts';
import { type Service, startService } from '../helpers/service.ts';

const run = promisify(execFile);
const rootToken = randomUUID();
const wrappedBy = { provider: 'vault', name: 'transit/events' } as const;
let vault: Awaited<ReturnType<typeof startVault>>;
let service: Service;
/** May encrypt and decrypt, as whoever makes keys; and may decrypt, as a process. */
let tokens: Record<'maker' | 'process', string>;

test.before(async (t) => {
  // The first run builds Vault from source.
  t.timeout(30 * 60_000);
  vault = await startVault();
  service = await startService();
  await vault.write('sys/mounts/transit', { type: 'transit' });
  await vault.write('transit/keys/events', {});
  await allow('maker', ['encrypt', 'decrypt']);
  await allow('process', ['decrypt']);
  tokens = { maker: await tokenFor('maker'), process: await tokenFor('process') };
});
test.after.always(async () => {
  await service?.stop();
  await vault?.stop();
});

/** A development server of Vault, reached through a port that can be cut. */
async function startVault() {
  const program = await buildVault();
  const folder = await mkdtemp(join(tmpdir(), 'vault-'));
  const socket = join(folder, 'vault.sock');
  const config = join(folder, 'vault.hcl');
  await writeFile(config, `listener "unix" { address = "${socket}" }\n`);
  const options = [
    '-log-level=error',
    '-dev-no-store-token',
    '-dev-listen-address=127.0.0.1:0',
    `-config=${config}`,
  ];
  const child = spawn(program, ['server', '-dev', `-dev-root-token-id=${rootToken}`, ...options], {
    env: { HOME: folder },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const server = createServer((client) => {
    const upstream = connect(socket);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => other.destroy());
      one.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await eventually(
    async () => (await fetch(`${address}/v1/sys/health`).catch(() => null))?.ok,
    'Vault answers',
  );
  return {
    address,
    async write(path: string, input: object) {
      const response = await fetch(`${address}/v1/${path}`, {
        method: 'POST',
        headers: { 'X-Vault-Token': rootToken },
        body: JSON.stringify(input),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
      return text === '' ? {} : JSON.parse(text);
    },
    async stop() {
      server.close();
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      await rm(folder, { recursive: true });
    },
  };
}

async function allow(name: string, verbs: readonly string[]): Promise<void> {
  const rules = verbs.map((verb) => `path "transit/${verb}/events" { capabilities = ["update"] }`);
  await vault.write(`sys/policies/acl/${name}`, { policy: rules.join('\n') });
}

const tokenFor = async (policy: string): Promise<string> =>
  (await vault.write('auth/token/create', { policies: [policy] })).auth.client_token;

const settingsOf = (token: string | undefined, more: { role?: string; jwtFile?: string } = {}) => ({
  vault: { address: vault.address, token, role: undefined, jwtFile: '', ...more },
});

const aKey = (id: string) => ({ id, key: createSecretKey(randomBytes(32)) });
const parsed = (text: string): GivenKey[] =>
  text.split(',').map((one) => {
    const key = parseMasterKey(one);
    if (key === null) throw new Error(`${one} is no master key`);
    return key;
  });
const sealerOf = async (masterKeys: string) =>
  createSealer(await unwrapMasterKeys(parsed(masterKeys), settingsOf(tokens.process)));

/** Runs the command that makes and wraps keys. @returns what MASTER_KEYS is to be */
async function masterKey(args: string[], masterKeys = ''): Promise<string> {
  const env = {
    ...compileCache,
    MASTER_KEYS: masterKeys,
    VAULT_ADDR: vault.address,
    VAULT_TOKEN: tokens.maker,
  };
  const { stdout } = await run(process.execPath, ['cli/master-key.ts', ...args], { env });
  return stdout.trim();
}
const byVault = ['--with', 'vault:transit/events'];

test.serial(
  'keys move from a file into Vault, and rotate, and open what was sealed before',
  async (t) => {
    const first = await masterKey(['new', '--id', '2026']);
    const sealed = createSealer(parsed(first)).seal('in a file', 'key_1');

    const wrapped = await masterKey(['wrap', ...byVault], first);
    t.regex(wrapped, /^2026:vault:transit\/events:vault:v1:[A-Za-z0-9+/=]+$/);
    t.is((await sealerOf(wrapped)).open(sealed, 'key_1'), 'in a file');

    const both = await masterKey(['new', '--id', '2027', ...byVault], wrapped);
    t.regex(both, /^2027:vault:[^,]+,2026:vault:[^,]+$/);
    const sealer = await sealerOf(both);
    t.regex(sealer.seal('in Vault', 'key_1'), /^v1\.2027\./);
    t.is(sealer.open(sealed, 'key_1'), 'in a file');
    await t.throwsAsync(masterKey(['new', '--id', '2027', ...byVault], both), { code: 2 });

    await vault.write('transit/keys/events/rotate', {});
    const again = await masterKey(['wrap', ...byVault], both);
    t.regex(again, /^2027:[^,]+:vault:v2:[^,]+,2026:[^,]+:vault:v2:[^,]+$/);
    await vault.write('transit/keys/events/config', { min_decryption_version: 2 });
    await t.throwsAsync(sealerOf(both), { instanceOf: ConfigError, message: /too old/ });
    t.is((await sealerOf(again)).open(sealed, 'key_1'), 'in a file');

    const back = await masterKey(['wrap'], again);
    t.is(createSealer(parsed(back)).open(sealed, 'key_1'), 'in a file');
    t.true(back.endsWith(`,${first}`));
  },
);

test('a key that Vault wrapped opens to itself, under its own id', async (t) => {
  const id = fc.stringMatching(/^[\w-]{1,32}$/);
  await fc.assert(
    fc.asyncProperty(id, id, async (own, other) => {
      const plain = aKey(own);
      const wrapped = await wrapMasterKey(plain, wrappedBy, settingsOf(tokens.maker));
      const [opened] = await unwrapMasterKeys([wrapped], settingsOf(tokens.process));
      t.true(opened?.key.equals(plain.key));
      if (other === own) return;
      const moved = unwrapMasterKeys([{ ...wrapped, id: other }], settingsOf(tokens.process));
      await t.throwsAsync(moved, { instanceOf: ConfigError });
    }),
    { numRuns: 20 },
  );
});

test('a process opens its keys at start, and then needs Vault no more', async (t) => {
  const MASTER_KEYS = await masterKey(['wrap', ...byVault], service.env.MASTER_KEYS);
  const partner = await service.partner();
  const proxy = await startCuttableProxy(new URL(vault.address).host);
  t.teardown(() => proxy.stop());
  const VAULT_ADDR = `http://${proxy.address}`;
  const env = { MASTER_KEYS, VAULT_ADDR, VAULT_TOKEN: tokens.process };
  const api = startOwnProcess(service, ['api/server.ts'], env);
  t.teardown(() => api.end());
  const baseUrl = await api.address('API is listening');
  proxy.cut();
  t.is((await partner.changed({ baseUrl }).purchase()).status, 201);
  t.false(api.output().includes(tokens.process));
});

/** Starts an API that cannot open its keys. @returns its exit code and its output */
async function refusedStart(env: Record<string, string>) {
  const api = startOwnProcess(service, ['api/server.ts'], { VAULT_ADDR: vault.address, ...env });
  await eventually(async () => api.hasEnded(), 'the process ends');
  return { code: await api.end(), output: api.output() };
}

test('a process that cannot open its keys says which and why, and ends', async (t) => {
  const MASTER_KEYS = formatMasterKey(
    await wrapMasterKey(aKey('2026'), wrappedBy, settingsOf(tokens.maker)),
  );
  const { host } = new URL(vault.address);
  const [silent, broken] = [await startCuttableProxy(host), await startCuttableProxy(host)];
  silent.silence();
  broken.cut();
  t.teardown(async () => {
    await Promise.all([silent.stop(), broken.stop()]);
  });
  const VAULT_TOKEN = tokens.process;
  for (const [env, why] of [
    [{ VAULT_TOKEN: 'wrong' }, /Vault answered 403 .*permission denied/],
    [{ VAULT_ADDR: '', VAULT_TOKEN }, /set VAULT_ADDR/],
    [{}, /set VAULT_TOKEN or VAULT_ROLE/],
    [{ VAULT_ROLE: 'events' }, /ENOENT/],
    [{ VAULT_ADDR: `http://${broken.address}`, VAULT_TOKEN }, /SOCKET|ECONNRESET/],
    [{ VAULT_ADDR: `http://${silent.address}`, VAULT_TOKEN }, /Timeout/],
  ] as const) {
    const { code, output } = await refusedStart({ MASTER_KEYS, ...env });
    t.is(code, 2, output);
    t.regex(output, /^The key “2026” in MASTER_KEYS was not unwrapped by vault:transit\/events: /);
    t.regex(output, why);
    t.false(output.includes(VAULT_TOKEN));
  }
});

test('a service account signs in with its own token, and no other does', async (t) => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  // Vault's own `jwt` sign-in, at the place and with the wire form of `kubernetes`, which needs a cluster.
  await vault.write('sys/auth/kubernetes', { type: 'jwt' });
  const pem = publicKey.export({ type: 'spki', format: 'pem' });
  await vault.write('auth/kubernetes/config', { jwt_validation_pubkeys: [pem] });
  await vault.write('auth/kubernetes/role/events', {
    role_type: 'jwt',
    user_claim: 'sub',
    bound_audiences: ['vault'],
    bound_subject: 'system:serviceaccount:rewards:events',
    token_policies: ['process'],
  });
  const wrapped = await wrapMasterKey(aKey('2026'), wrappedBy, settingsOf(tokens.maker));
  const folder = await mkdtemp(join(tmpdir(), 'service-account-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const openAs = async (account: string) => {
    const jwtFile = join(folder, account);
    const iat = Math.floor(Date.now() / 1000);
    const sub = `system:serviceaccount:rewards:${account}`;
    const claims = { sub, aud: 'vault', iat, nbf: iat, exp: iat + 600 };
    const signed = [{ alg: 'ES256' }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const;
    const signature = sign('sha256', Buffer.from(signed), key).toString('base64url');
    await writeFile(jwtFile, `${signed}.${signature}\n`);
    return await unwrapMasterKeys([wrapped], settingsOf(undefined, { role: 'events', jwtFile }));
  };
  t.is((await openAs('events')).length, 1);
  await t.throwsAsync(openAs('another'), { instanceOf: ConfigError, message: /400/ });
});
