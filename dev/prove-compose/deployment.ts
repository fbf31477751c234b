import { execFile } from 'node:child_process';
import { appendFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pMap from 'p-map';
import { PartnerClient } from '../../clients/typescript/client.ts';
import { createOperator } from '../demo/operator.ts';
import { log } from '../log.ts';
import { nextPurchase, nextRefund, sendLogged } from '../prove/traffic.ts';
import {
  ask,
  gapIn,
  isFinal,
  newTrafficLog,
  type SentEvent,
  type SimulatedShop,
  send,
} from '../prove/traffic-log.ts';
import { findExposures } from './exposures.ts';

const baseUrl = 'https://api.localhost';
const adminUrl = 'http://localhost:3002/admin/v1';
const buyers = 4;
const pauseMs = 400;
const quietMs = 5_000;
const settings = { ...process.env, COMPOSE_PROJECT_NAME: 'prove-compose' };

/**
 * From a clone to a restored backup, with the commands of docs/running.md.
 * @param folder empty; the clone is left in it
 */
export async function proveDeployment(folder: string) {
  const cwd = join(folder, 'partner-events');
  const run = async (command: string, ...args: string[]) => {
    const options = { cwd, env: settings, maxBuffer: 64 * 1024 * 1024 };
    try {
      return (await promisify(execFile)(command, args, options)).stdout;
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string };
      const last = (stdout + stderr).split('\n').slice(-20).join('\n');
      throw new Error(`${command} ${args.join(' ')} failed:\n${last}`, { cause: error });
    }
  };
  const docker = (...args: string[]) => run('docker', ...args);
  const compose = (...args: string[]) => docker('compose', ...args);
  const ctl = (...args: string[]) => run('deploy/compose/ctl', ...args);
  const runOnce = (service: string, ...args: string[]) =>
    compose('run', '--rm', '--no-deps', '-T', service, 'node', ...args);
  const faults: string[] = [];
  const expect = (isTrue: boolean, what: string) => void (isTrue || faults.push(what));
  const rows: string[][] = [];
  const timed = async <T>(
    what: string,
    work: () => Promise<T>,
    counts: () => string[] = () => [],
  ) => {
    const beganMs = performance.now();
    const result = await work();
    rows.push([what, ((performance.now() - beganMs) / 1_000).toFixed(1), ...counts()]);
    log(rows.at(-1)?.join(', ') ?? '');
    return result;
  };

  const first = await timed('git clone, setup, ctl up', async () => {
    const source = fileURLToPath(new URL('../../', import.meta.url));
    await promisify(execFile)('git', ['clone', '--quiet', source, cwd]);
    await compose('--profile', '*', 'down', '--volumes', '--remove-orphans');
    await run('deploy/compose/setup', '--cluster', 'localhost', 'ada@shop.example');
    return await ctl('up');
  });
  expect(linksIn(first).length === 1, `ctl up printed ${linksIn(first).length} links`);
  await trustCaddy(compose);
  const [link = ''] = linksIn(first);
  expect((await fetch(link)).status === 200, 'the first operator’s link does not work');
  const again = await timed('ctl up, again', () => ctl('up'));
  expect(linksIn(again).length === 0, 'ctl up printed a link again');

  const made = await runOnce('api', 'cli/create-admin.ts', '--name', 'prover');
  const token = made.trim().split('\n').at(-1) ?? '';
  const shop = await timed('a partner, by the operators’ API', () => openShop(token));
  await timed('a signed purchase, to its claim', () => claimPurchase(shop));
  // Each has a rate limit of its own.
  const shops = await pMap(Array.from({ length: buyers }), () => openShop(token));

  const trafficLog = newTrafficLog();
  const underTraffic = async (what: string, work: () => Promise<unknown>) => {
    const fromMs = Date.now();
    let isOver = false;
    const gap = () => gapIn(trafficLog, { fromMs, toMs: Date.now() });
    const buying = Array.from({ length: buyers }, async () => {
      while (!isOver) {
        const refund = Math.random() < 0.2 ? nextRefund(trafficLog) : undefined;
        await sendLogged(baseUrl, refund ?? nextPurchase(shops), trafficLog);
        await delay(pauseMs);
      }
    });
    const counts = () => {
      const { succeeded, unavailable, refused, silent, longestMs } = gap();
      const longest = (longestMs / 1_000).toFixed(1);
      return [...[succeeded, unavailable, refused, silent].map(String), longest];
    };
    await timed(
      what,
      async () => {
        await work();
        await delay(quietMs);
        isOver = true;
        await Promise.all(buying);
      },
      counts,
    );
    return gap();
  };
  /** Sends everything again: what was answered gets the same answer, and what was not succeeds. */
  const replay = async (sent = trafficLog.sent) => {
    await pMap(
      sent,
      async (event) => {
        let answer = await send(baseUrl, event);
        for (let left = 60; left > 0 && !(answer && isFinal(answer)); left--) {
          await delay(1_000);
          answer = await send(baseUrl, event);
        }
        const { response = answer } = event;
        event.response = answer;
        const isSame = answer?.status === 201 && answer.text === response?.text;
        expect(isSame, `${event.kind} ${event.orderId}: ${response?.text}, then ${answer?.text}`);
      },
      { concurrency: buyers },
    );
  };
  const containers = async () => {
    const ids = (await compose('ps', '--all', '--quiet')).trim().split('\n');
    const found: Container[] = JSON.parse(await docker('inspect', ...ids));
    return found.map((one) => ({
      ...one,
      service: one.Config.Labels['com.docker.compose.service'] ?? '',
    }));
  };
  const startsOf = async () =>
    new Map(
      (await containers()).map(({ service, Id, State }) => [service, `${Id} ${State.StartedAt}`]),
    );

  const primary = await primaryOf(compose);
  await underTraffic(`${primary} killed, the primary`, async () => {
    await compose('kill', primary);
    await delay(quietMs);
  });
  const before = await startsOf();
  const after = await underTraffic('ctl up, after the failover', () => ctl('up'));
  for (const [service, start] of await startsOf()) {
    const isToStart = service === primary || jobs.includes(service);
    expect(isToStart || before.get(service) === start, `ctl up restarted ${service}`);
  }
  expect(after.succeeded > 0 && after.silent === 0, 'ctl up left requests unanswered');
  await replay();

  const former = await startsOf();
  // Another image, so that every process is replaced.
  await appendFile(join(cwd, 'LICENSE'), '\n');
  const upgraded = await underTraffic('ctl upgrade', () => ctl('upgrade'));
  const present = await startsOf();
  for (const service of ['api', 'api-2', 'worker', 'worker-2', 'portal']) {
    expect(former.get(service) !== present.get(service), `ctl upgrade did not replace ${service}`);
  }
  const { succeeded, silent, refused, unavailable } = upgraded;
  expect(
    succeeded > 0 && silent + refused + unavailable === 0,
    'ctl upgrade left requests unanswered',
  );
  await replay();

  const secrets = await secretsIn(join(cwd, 'secrets'));
  faults.push(...findExposures(await containers(), secrets));
  const logs = await compose('logs', '--no-color');
  expect(!secrets.some((secret) => logs.includes(secret)), 'a secret is in the logs');

  let kept: SentEvent[] = [];
  await underTraffic('ctl backup', async () => {
    kept = trafficLog.sent.filter(({ response }) => response);
    await ctl('backup', 'backup');
  });
  await compose('down', '--volumes');
  await timed('ctl restore, into empty volumes', () => ctl('restore', 'backup'));
  await trustCaddy(compose);
  await untilAnswered();
  await replay(kept);
  const since = trafficLog.sent.filter((event) => !kept.includes(event));
  for (const event of since) event.response = undefined;
  for (const kind of ['purchases', 'refunds']) {
    await replay(since.filter((event) => event.kind === kind));
  }
  await claimPurchase(shop);
  await timed('audit', () => runOnce('worker', 'cli/audit.ts')).catch((error) =>
    faults.push(error.message),
  );
  const images = [...new Set((await containers()).map(({ Config }) => Config.Image))];
  const isStandIn = '{{if index .Config.Labels "stand-in"}}yes{{end}}';
  const found = await Promise.all(
    images.map((image) => docker('image', 'inspect', '-f', isStandIn, image)),
  );
  await compose('down', '--volumes');
  return { rows, faults, standIns: images.filter((_, index) => found[index]?.trim()) };
}

/** What `docker inspect` says of a container. */
export interface Container {
  Id: string;
  Config: { Image: string; User: string; Labels: Record<string, string> };
  State: { Status: string; ExitCode: number; StartedAt: string; Health?: { Status: string } };
  HostConfig: {
    ReadonlyRootfs: boolean;
    CapAdd: string[] | null;
    CapDrop: string[] | null;
    SecurityOpt: string[] | null;
    Memory: number;
    PidsLimit: number | null;
    LogConfig: { Config: Record<string, string> };
  };
}

/** They run at each start, and exit. */
export const jobs = [
  ...['migrate', 'mongodb-users', 'mongodb-members'],
  ...['temporal-schema', 'temporal-certificates'],
];

const linksIn = (output: string) => output.match(/https:\S+\/sign-in\/link\/\S+/g) ?? [];

type Compose = (...args: string[]) => Promise<string>;

/** As a person who tries it accepts Caddy's own authority. */
async function trustCaddy(compose: Compose): Promise<void> {
  const file = '/data/caddy/pki/authorities/local/root.crt';
  const authority = await compose('exec', '-T', 'caddy', 'cat', file);
  setDefaultCACertificates([...getCACertificates('bundled'), authority]);
}

async function primaryOf(compose: Compose): Promise<string> {
  const hello = 'print(db.hello().primary)';
  const answer = await compose('exec', '-T', 'mongodb', 'mongosh', '--quiet', '--eval', hello);
  return answer.trim().split(':')[0] ?? '';
}

async function untilAnswered(): Promise<void> {
  const status = () =>
    fetch(`${baseUrl}/statusz`).then(
      ({ ok }) => ok,
      () => false,
    );
  for (let left = 60; left > 0 && !(await status()); left--) await delay(1_000);
}

/** The values, and the passwords within them. */
async function secretsIn(folder: string): Promise<string[]> {
  const values = await Promise.all(
    (await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')),
  );
  return values.flatMap((value) => (value === 'none' ? [] : [/:(\w+)@/.exec(value)?.[1] ?? value]));
}

/** A partner whose shop delivers the claim links itself, in TEST. */
async function openShop(token: string): Promise<SimulatedShop> {
  const { ask } = createOperator(adminUrl, token);
  const name = 'shop';
  const { partnerId } = await ask<{ partnerId: string }>('POST', '/partners', {
    name,
    contactEmail: 'owner@shop.example',
    currency: 'USD',
  });
  const of = `/partners/${partnerId}`;
  const integrations = `${of}/integrations`;
  const { integrationId } = await ask<{ integrationId: string }>('POST', integrations, { name });
  await ask('PATCH', `${integrations}/${integrationId}`, { delivery: 'PARTNER' });
  const earning = { mode: 'TEST', currency: 'USD', kind: 'PER_AMOUNT', points: 10, unitCents: 100 };
  const { ruleId } = await ask<{ ruleId: string }>('POST', `${of}/earning-rules`, earning);
  await ask('POST', `/earning-rules/${ruleId}/activate`);
  await ask('POST', `/integrations/${integrationId}/test-funding`, {
    amountCents: 100_000_000,
    externalReference: 'first funds',
  });
  const { credential, secret } = await ask<{ credential: { apiKey: string }; secret: string }>(
    'POST',
    `${of}/credentials`,
    { integrationId, mode: 'TEST', scopes: ['events:write', 'events:read'] },
  );
  return { name, partnerId, mode: 'TEST', key: credential.apiKey, secret, isTight: false };
}

/** With the partners' own client, by way of Caddy. @throws Error unless the customer has the points */
async function claimPurchase({ key, secret }: SimulatedShop): Promise<void> {
  const client = new PartnerClient({ baseUrl, key, secret });
  const { reward } = await client.purchase({
    externalOrderId: `first-${Date.now()}`,
    customer: { email: 'bea@customers.example' },
    order: { subtotalCents: 4_990 },
  });
  // Until its workflow has begun, the claim is refused.
  const claim = () =>
    ask(reward.claimUrl ?? '', { method: 'POST', headers: { accept: 'application/json' } });
  let claimed = await claim();
  for (let left = 30; left > 0 && claimed?.status !== 200; left--) {
    await delay(1_000);
    claimed = await claim();
  }
  const { reward: found } = await client.reward(reward.id);
  if (claimed?.status !== 200 || found.status !== 'AVAILABLE') {
    throw new Error(`the claim returned ${claimed?.text}, and the reward is ${found.status}`);
  }
}
