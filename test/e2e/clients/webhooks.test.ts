import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { canInstallDebian } from '../../../dev/tools/debian.ts';
import { installNodeTools } from '../../../dev/tools/node-tools.ts';
import { installPhp } from '../../../dev/tools/php.ts';
import { installPythonTools } from '../../../dev/tools/python-tools.ts';
import { installRuby } from '../../../dev/tools/ruby.ts';
import { bytesOf, webhookVectors } from '../../clients/conformance/suite.ts';
import { claimTokenOf } from '../../helpers/claim-token.ts';
import { eventually } from '../../helpers/eventually.ts';
import { Operator } from '../../helpers/operator.ts';
import { aPurchase } from '../../helpers/partner-backend.ts';
import { type Service, startService } from '../../helpers/service.ts';

/**
 * Webhooks from the receivers' side: the libraries of standardwebhooks.com must sign the test vectors alike,
 * and the receivers of docs/integrate/webhooks.md must accept what those sign and what the service delivers.
 */
const run = promisify(execFile);
const clients = fileURLToPath(new URL('../../../clients/', import.meta.url));
const source = (program: string) => join(clients, 'receivers', program);

interface Signer {
  sign(id: string, at: Date, body: string): string;
}
let Webhook: new (secret: string) => Signer;
let python: string;
let directory: string;
let service: Service;
test.before(async (t) => {
  t.timeout(10 * 60_000);
  const require = createRequire(join(await installNodeTools(), '../standardwebhooks/'));
  ({ Webhook } = require('standardwebhooks'));
  python = join(await installPythonTools(), 'python');
  directory = await mkdtemp(join(tmpdir(), 'webhooks-'));
  for (const { install } of Object.values(receivers)) {
    if (install && canInstallDebian()) await install();
  }
  service = await startService();
});
test.after.always(async () => {
  await service?.stop();
  if (directory) await rm(directory, { recursive: true, force: true });
});

/** The vectors that a receiver accepts, with their bodies as text. */
const acceptedVectors = webhookVectors
  .filter(({ event }) => event)
  .map(({ headers, ...vector }) => {
    const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    return { ...vector, ...Object.fromEntries(named), text: String(bytesOf(vector.body)) };
  });

test('the libraries of standardwebhooks.com sign the test vectors', async (t) => {
  const asked = acceptedVectors.flatMap((vector) =>
    vector.secrets.map((secret: string) => ({ ...vector, secret })),
  );
  const script = `import json, sys
from datetime import datetime, timezone
from standardwebhooks import Webhook
print(json.dumps([
    Webhook(one["secret"]).sign(one["webhook-id"], datetime.fromtimestamp(int(one["webhook-timestamp"]), timezone.utc), one["text"])
    for one in json.load(open(sys.argv[1]))
]))`;
  const file = join(directory, 'asked.json');
  await writeFile(file, JSON.stringify(asked));
  const { stdout } = await run(python, ['-Bc', script, file]);
  const byPython: string[] = JSON.parse(stdout);
  const byNode = asked.map(({ secret, text, ...vector }) =>
    new Webhook(secret).sign(
      vector['webhook-id'],
      new Date(Number(vector['webhook-timestamp']) * 1000),
      text,
    ),
  );
  t.deepEqual(byPython, byNode);
  for (const vector of acceptedVectors) {
    const signatures = vector['webhook-signature'].split(' ');
    const isSigned = asked.some(
      ({ name }, index) => name === vector.name && signatures.includes(byNode[index]),
    );
    t.true(isSigned, vector.name);
  }
});

interface Receiver {
  program: string;
  /** The command that must be installed. */
  needs: string;
  /** Installs the language and its packages on Debian. */
  install?: () => Promise<void>;
  /** Adds the files that the program imports. @returns the command that starts it */
  prepare(folder: string): Promise<{ command: string; args: string[]; env?: object }>;
}

const receivers: Record<string, Receiver> = {
  TypeScript: {
    program: 'receiver.ts',
    needs: process.execPath,
    async prepare(folder) {
      const file = join(folder, 'receiver.ts');
      const code = await readFile(file, 'utf8');
      const client = JSON.stringify(join(clients, 'typescript/index.ts'));
      await writeFile(file, code.replace("'partner-events'", client));
      return { command: process.execPath, args: [file] };
    },
  },
  Python: {
    program: 'receiver.py',
    needs: 'python3',
    prepare: async (folder) => ({
      command: python,
      args: ['-B', join(folder, 'receiver.py')],
      env: { PYTHONPATH: join(clients, 'python/src') },
    }),
  },
  PHP: {
    program: 'receiver.php',
    needs: 'php',
    install: installPhp,
    async prepare(folder) {
      await mkdir(join(folder, 'vendor'));
      await writeFile(
        join(folder, 'vendor/autoload.php'),
        `<?php spl_autoload_register(fn ($name) =>
          require '${clients}php/src/' . substr($name, strlen('PartnerEvents\\\\')) . '.php');`,
      );
      return { command: 'php', args: ['-S', '127.0.0.1:0', join(folder, 'receiver.php')] };
    },
  },
  Go: {
    program: 'receiver.go',
    needs: 'go',
    async prepare(folder) {
      const binary = join(folder, 'receiver');
      const env = { ...process.env, GOTOOLCHAIN: 'local', GOFLAGS: '-mod=mod' };
      await run('go', ['build', '-o', binary, join(folder, 'receiver.go')], { env });
      return { command: binary, args: [] };
    },
  },
  Ruby: {
    program: 'receiver.rb',
    needs: 'ruby',
    install: installRuby,
    prepare: async (folder) => ({ command: 'ruby', args: [join(folder, 'receiver.rb')] }),
  },
  Java: {
    program: 'Receiver.java',
    needs: 'javac',
    prepare: async (folder) => ({ command: 'java', args: [join(folder, 'Receiver.java')] }),
  },
};

function isInstalled({ needs, install }: Receiver): boolean {
  if (install && canInstallDebian()) return true;
  try {
    execFileSync('sh', ['-c', `command -v "$0"`, needs], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const someSecret = `whsec_${Buffer.alloc(24, 5).toString('base64')}`;

/** Starts a receiver on any free port. @returns its URL, and the lines that it prints */
async function start(t: ExecutionContext, { program, prepare }: Receiver, secret = someSecret) {
  const folder = await mkdtemp(join(directory, 'receiver-'));
  await copyFile(source(program), join(folder, program));
  const { command, args, env } = await prepare(folder);
  const child: ChildProcess = spawn(command, args, {
    env: { ...process.env, ...env, PORT: '0', WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.teardown(async () => {
    if (child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  });
  const printed: string[] = [];
  const url = new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      if (!stream) continue;
      createInterface({ input: stream }).on('line', (line) => {
        const port = /(?:port |127\.0\.0\.1:)(\d+)/.exec(line)?.[1];
        if (port) resolve(`http://127.0.0.1:${port}/`);
        if (line.includes('received ')) printed.push(line.slice(line.indexOf('received ')));
      });
    }
    child.once('exit', (code) => reject(new Error(`${program} ended with ${code}`)));
  });
  return { url: await url, printed };
}

test('every receiver runs if its language is installed', (t) => {
  const named = (isWanted: boolean) =>
    Object.entries(receivers).flatMap(([name, one]) => (isInstalled(one) === isWanted ? name : []));
  t.log(`tested: ${named(true).join(', ')}; not installed: ${named(false).join(', ') || 'none'}`);
  t.true(named(true).includes('TypeScript') && named(true).includes('Python'));
  const programs = Object.values(receivers).map(({ program }) => program);
  t.deepEqual(readdirSync(join(clients, 'receivers')).toSorted(), programs.toSorted());
});

for (const [language, receiver] of Object.entries(receivers)) {
  if (!isInstalled(receiver)) continue;
  test(`${language}: the receiver accepts a webhook once, and refuses forgeries`, async (t) => {
    t.timeout(10 * 60_000);
    const { url, printed } = await start(t, receiver);
    const body = JSON.stringify({ id: 'whk_1', type: 'reward.available', data: { n: '東京' } });
    const send = async (id: string, { by = someSecret, at = new Date(), sent = body } = {}) => {
      const headers = {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': `v1,${'A'.repeat(43)}= ${new Webhook(by).sign(id, at, body)}`,
      };
      const response = await fetch(url, { method: 'POST', headers, body: sent });
      return `${response.status} ${(await response.text()).trim()}`;
    };
    t.is(await send('whk_1'), '204 ');
    t.is(await send('whk_1'), '204 ');
    const other = `whsec_${Buffer.alloc(24, 6).toString('base64')}`;
    t.is(await send('whk_2', { by: other }), '400 INVALID_SIGNATURE');
    t.is(await send('whk_2', { sent: body.replace('whk_1', 'whk_9') }), '400 INVALID_SIGNATURE');
    const late = new Date(Date.now() - 400_000);
    t.is(await send('whk_2', { at: late }), '400 TIMESTAMP_OUT_OF_RANGE');
    const bare = await fetch(url, { method: 'POST', body });
    t.is(`${bare.status} ${(await bare.text()).trim()}`, '400 MISSING_HEADER');
    t.is(await send('whk_3'), '204 ');
    await eventually(async () => printed.length > 1, 'it prints the received events');
    t.deepEqual(printed, ['received reward.available whk_1', 'received reward.available whk_3']);
  });

  test(`${language}: the receiver accepts the service’s deliveries, and ignores repeats`, async (t) => {
    t.timeout(10 * 60_000);
    const operator = new Operator(service, service.adminToken);
    const partner = await service.partner();
    const endpoints = `/partners/${partner.partnerId}/webhook-endpoints`;
    const eventTypes = ['reward.funded', 'reward.claimed', 'review.opened'];
    // The receiver needs the endpoint's secret to start, and the endpoint then gets its URL.
    const placeholder = { mode: 'TEST', url: 'https://shop.example/', eventTypes };
    const { endpoint, secret } = (await operator.post(endpoints, placeholder)).body;
    const path = `${endpoints}/${endpoint.id}`;
    const { url, printed } = await start(t, receiver, secret);
    await operator.patch(path, { url });

    const purchase = aPurchase();
    const { body } = await partner.purchase(purchase);
    await eventually(async () => printed.length === 1, 'the funding event arrives');
    await service.claim(await claimTokenOf(service, body.eventId));
    await partner.refund({ externalOrderId: purchase.externalOrderId });
    await eventually(async () => printed.length === 3, 'the claim and refund events arrive');
    const delivered = async () =>
      (await operator.get(`${path}/deliveries?state=DELIVERED`)).body.items;
    const items = await eventually(async () => {
      const all = await delivered();
      return all.length === 3 && all;
    }, 'each delivery succeeded');
    const lines = items.map(
      ({ type, eventId }: Record<string, string>) => `received ${type} ${eventId}`,
    );
    t.deepEqual(printed.toSorted(), lines.toSorted());

    await operator.post(`${path}/deliveries/${items[0].id}/resend`);
    await eventually(async () => {
      const again = (await delivered()).find(({ id }: { id: string }) => id === items[0].id);
      return again?.attempts.length === 2;
    }, 'the resent delivery succeeds');
    t.is(printed.length, 3);
  });
}
