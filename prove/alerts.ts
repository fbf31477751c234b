import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { program } from 'commander';
import { log } from '../dev/log.ts';
import { stopAllProcesses } from '../dev/managed-process.ts';
import type { ServerOptions } from '../dev/servers/mongo.ts';
import { runUntilShutdown, shutDown, shutdownRequested } from '../dev/shutdown.ts';
import { becomes, type Monitoring, startMonitoring } from './alerts/monitoring.ts';
import { onlyOption, openStage, type Stage } from './support/harness.ts';
import { addTemporal, createProcesses, serverOptions } from './support/processes.ts';
import { hereRelease, runIn } from './support/releases.ts';
import { addReplicaSet, type ReplicaSet } from './support/replica-set.ts';
import { createSteps } from './support/steps.ts';
import { nextPurchase, sendLogged } from './support/traffic.ts';
import { ask } from './support/traffic-log.ts';

const run = promisify(execFile);
/** With traffic of this pace. */
const pauseMs = 300;
/** Longer than any window that has to end, such as two minutes of failed requests. */
const patienceMs = 300_000;
const diskBytes = 512 * 1024 * 1024;

interface Scene {
  stage: Stage;
  set: ReplicaSet;
  monitoring: Monitoring;
  /** The message folder, on a small disk of its own. */
  messageDir: string;
  /** Runs one of the service's commands. */
  command(...args: string[]): Promise<unknown>;
}

interface Breach {
  /** Which has to fire. */
  alert: string;
  /** Which may fire beside it, since they follow from the same. */
  also?: readonly string[];
  /** Which Alertmanager has to hold back meanwhile. */
  heldBack?: readonly string[];
  /** Which look back, so that they can fire once it is mended: nobody is to be told. */
  heldBackAfter?: readonly string[];
  breaks(scene: Scene): Promise<unknown>;
  /** Without it, the alert lasts as long as its window. */
  mends?(scene: Scene): Promise<unknown>;
}

const withoutMongodb = [
  ...['MongodbMemberDown', 'RequestsFail', 'PagesFail', 'FiguresUnread', 'PurchasesSlow'],
  ...['MongodbPoolExhausted', 'ActivitiesFail', 'AuditMissing', 'ReconciliationMissing'],
  'BackupOld',
];
const withoutWorkflows = [
  ...['WorkflowsStartLate', 'WorkflowsDoNotStart', 'FiguresUnread', 'ActivitiesFail'],
  ...['FundingLate', 'WebhooksWait', 'ReconciliationMissing'],
];
const members = ['mongod 1', 'mongod 2', 'mongod 3'];
const filler = 'filler';
/** Fills the disk but for a share of it. */
async function fill({ messageDir }: Scene, left: number): Promise<void> {
  const { bsize, blocks, bavail } = await statfs(messageDir);
  const bytes = Math.floor(bsize * (bavail - blocks * left));
  await writeFile(join(messageDir, filler), Buffer.alloc(bytes));
}
const empty = async ({ messageDir }: Scene) => await rm(join(messageDir, filler));
/** Refused while a file is being written. */
const remount = ({ messageDir }: Scene, how: 'ro' | 'rw') =>
  becomes(() => run('mount', ['-o', `remount,${how}`, messageDir]).then(() => true), patienceMs);

/** On a machine with much other load, after seconds instead of ten minutes. */
const ofLoad = ['EventLoopBlocked', 'MongodbPoolExhausted', 'PurchasesSlow', 'WorkflowsStartLate'];

/** What is broken in turn. */
const breaches: Record<string, Breach> = {
  'no backup and no audit yet': {
    alert: 'BackupOld',
    also: ['AuditMissing', 'ReconciliationMissing'],
    breaks: async () => undefined,
    async mends({ command }) {
      await command('cli/note-backup.ts');
      await command('cli/audit.ts');
    },
  },
  'an API stopped': {
    alert: 'ApiDown',
    breaks: ({ stage }) => stage.processes.stop(['API 2']),
    mends: ({ stage }) => stage.processes.start(['API 2']),
  },
  'both workers stopped': {
    alert: 'WorkerDown',
    also: withoutWorkflows,
    heldBack: ['WorkflowsStartLate'],
    breaks: ({ stage }) => stage.processes.stop(['worker 1', 'worker 2']),
    mends: ({ stage }) => stage.processes.start(['worker 1', 'worker 2']),
  },
  'the portal stopped': {
    alert: 'PortalDown',
    breaks: ({ stage }) => stage.processes.stop(['portal']),
    mends: ({ stage }) => stage.processes.start(['portal']),
  },
  'a secondary killed': {
    alert: 'MongodbMemberDown',
    breaks: async ({ stage, set }) => stage.processes.kill([(await set.roles())[2]]),
    mends: ({ stage }) => startMissing(stage),
  },
  'a secondary that falls behind': {
    alert: 'ReplicationLags',
    breaks: async ({ set }) => set.fallBehind((await set.roles())[2], true),
    mends: async ({ set }) => set.fallBehind((await set.roles())[2], false),
  },
  'every member killed': {
    alert: 'MongodbDown',
    also: withoutMongodb,
    heldBack: ['FiguresUnread'],
    heldBackAfter: ['RequestsFail'],
    breaks: ({ stage }) => stage.processes.kill(members),
    mends: ({ stage }) => startMissing(stage),
  },
  'Temporal killed': {
    alert: 'TemporalDown',
    // Here, its start takes longer than that waits.
    also: [...withoutWorkflows, 'PostgresqlDown'],
    heldBack: ['WorkflowsStartLate'],
    breaks: ({ stage }) => stage.processes.kill(['Temporal']),
    mends: ({ stage }) => stage.processes.start(['Temporal']),
  },
  'a disk that fills': {
    alert: 'DiskFills',
    breaks: (scene) => fill(scene, 0.1),
    mends: empty,
  },
  'a disk that is full': {
    alert: 'DiskFull',
    also: ['DiskFills'],
    heldBack: ['DiskFills'],
    breaks: (scene) => fill(scene, 0.03),
    mends: empty,
  },
  'emails that cannot be sent': {
    alert: 'ActivitiesFail',
    breaks: (scene) => remount(scene, 'ro'),
    mends: (scene) => remount(scene, 'rw'),
  },
  'a partner without funds': {
    alert: 'FundsMissing',
    breaks: sellWithoutFunds,
    mends: topUp,
  },
  'an entry of the ledger changed': {
    alert: 'LedgerWrong',
    breaks: (scene) => changeEntry(scene, 1),
    mends: (scene) => changeEntry(scene, -1),
  },
  'requests with wrong signatures': {
    alert: 'SignaturesRefused',
    breaks: sendUnsigned,
    // Its window ends.
    mends: async () => undefined,
  },
  'a worker that restarts': {
    alert: 'ProcessesRestart',
    // Here, a start takes longer than it waits.
    also: ['WorkerDown'],
    breaks: restartOften,
  },
};

program
  .name('prove -- alerts')
  .description(
    'Runs the service, Prometheus and Alertmanager with the files of deploy/, breaks one thing after the other, and checks that its alert fires, that no other does, and that operators are told of both its beginning and its end. Alerts fire after seconds instead of minutes here. Needs Go, and root for a small disk. Exits with 1 if anything is wrong.',
  )
  .addOption(onlyOption(breaches))
  .parse();
const { only } = program.opts<{ only: string[] }>();

async function prove(options: ServerOptions): Promise<string[]> {
  const steps = createSteps();
  const { expect, timed, faults } = steps;
  const messageDir = join(options.dataDir, 'messages');
  await mkdir(messageDir);
  await run('mount', ['-t', 'tmpfs', '-o', `size=${diskBytes}`, 'tmpfs', messageDir]);
  try {
    const processes = createProcesses();
    const set = await addReplicaSet(processes, options);
    const temporalAddress = await addTemporal(processes, options);
    const servers = { mongodbUri: set.uri, temporalAddress };
    const stage = await openStage(processes, options, servers, { copies: 2 });
    const release = await hereRelease();
    // An audit that finds something exits with 1.
    const command = (...args: string[]) => runIn(release, args, stage.env).catch(String);
    const domain = new URL(stage.portalUrl).host;
    const monitoring = await startMonitoring(options.dataDir, domain, stage.metricsPorts);
    const scene: Scene = { stage, set, monitoring, messageDir, command };
    // Those that have not been read yet are as good as down.
    await becomes(monitoring.seesAll, patienceMs);
    const stopSelling = sell(stage);
    const lasting: string[] = [];
    let known = 0;
    if (only[0] !== Object.keys(breaches)[0])
      await breaches['no backup and no audit yet']?.mends?.(scene);
    for (const name of only) {
      const breach = breaches[name] as Breach;
      await timed(`${name}: ${breach.alert}`, () => breakOnce({ scene, lasting, expect }, breach));
      for (const fault of faults.slice(known)) log(`  ${fault}`);
      known = faults.length;
    }
    await stopSelling();
    log(steps.table());
    return faults;
  } finally {
    await stopAllProcesses();
    await run('umount', [messageDir]);
  }
}

interface Watch {
  scene: Scene;
  /** Those that fire until their windows end. */
  lasting: string[];
  expect(isTrue: boolean, what: string): void;
}

async function breakOnce({ scene, lasting, expect }: Watch, breach: Breach): Promise<void> {
  const { monitoring } = scene;
  const { alert, also = [], heldBack = [], heldBackAfter = [], breaks, mends } = breach;
  const firing = new Set<string>();
  const untold = new Set<string>();
  const others = async () =>
    (await monitoring.firing()).filter((one) => ![...lasting, ...ofLoad].includes(one));
  const isQuiet = async () => (await others()).length === 0;
  const until = (isSo: () => Promise<boolean> | boolean) =>
    becomes(async () => {
      for (const one of await others()) firing.add(one);
      for (const one of await monitoring.suppressed()) untold.add(one);
      return await isSo();
    }, patienceMs);
  const expectUntold = async (names: readonly string[]) => {
    for (const one of names) {
      expect(await until(() => untold.has(one)), `${one} is not held back by ${alert}`);
      expect(!monitoring.wasTold(one, 'firing'), `${one} is told beside ${alert}`);
    }
  };

  // Those of a new installation are broken from the beginning.
  const isExpected = (one: string) => alert === 'BackupOld' && [alert, ...also].includes(one);
  expect(
    await becomes(async () => (await others()).every(isExpected), patienceMs),
    `${alert}: ${await others()} fire before it`,
  );
  monitoring.forget();
  await breaks(scene);
  expect(await until(() => firing.has(alert)), `${alert} does not fire`);
  expect(
    await until(() => monitoring.wasTold(alert, 'firing')),
    `nobody is told that ${alert} fires`,
  );
  await expectUntold(heldBack);
  if (mends === undefined) lasting.push(alert);
  else {
    monitoring.forget();
    await mends(scene);
    expect(await until(isQuiet), `${alert}: ${await others()} do not end`);
    expect(
      await until(() => monitoring.wasTold(alert, 'resolved')),
      `nobody is told that ${alert} is over`,
    );
    await expectUntold(heldBack);
    for (const one of heldBackAfter) {
      expect(!monitoring.wasTold(one, 'firing'), `${one} is told after ${alert}`);
    }
  }
  const strangers = [...firing].filter((one) => one !== alert && !also.includes(one));
  expect(strangers.length === 0, `${alert}: ${strangers.join(', ')} fire, too`);
}

/** A rich shop sells, and a person reads pages. @returns how to stop */
function sell({ baseUrl, portalUrl, shops, readers, trafficLog }: Stage): () => Promise<void> {
  const rich = shops.filter(({ isTight, mode }) => !isTight && mode === 'LIVE');
  const [reader] = readers;
  let isOver = false;
  const selling = (async () => {
    while (!isOver) {
      await sendLogged(baseUrl, nextPurchase(rich), trafficLog);
      const headers = { cookie: reader?.cookie ?? '' };
      await ask(portalUrl + reader?.paths[0], { headers, redirect: 'manual' });
      await delay(pauseMs);
    }
  })();
  return async () => {
    isOver = true;
    await selling;
  };
}

/** At once: what waits for the service would wait for a majority. */
const startMissing = ({ processes }: Stage): Promise<void> =>
  processes.start(members.filter((name) => !processes.isRunning(name)));

const purchasesWithoutFunds = 60;

async function sellWithoutFunds({ stage }: Scene): Promise<void> {
  const tight = stage.shops.filter(({ isTight }) => isTight);
  for (let left = purchasesWithoutFunds; left > 0; left--) {
    await sendLogged(stage.baseUrl, nextPurchase(tight), stage.trafficLog);
  }
}

async function topUp({ stage }: Scene): Promise<void> {
  const tight = stage.shops.find(({ isTight }) => isTight);
  await ask(`${stage.adminUrl}/partners/${tight?.partnerId}/top-ups`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${stage.adminToken}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      amountCents: 10_000_000,
      currency: 'USD',
      externalReference: randomUUID(),
    }),
  });
}

/** As nobody can who uses the service. */
async function changeEntry({ stage, command }: Scene, byMs: number): Promise<void> {
  const { collection } = stage.models.ledger;
  const first = await collection.findOne({}, { sort: { _id: 1 } });
  if (first === null) throw new Error('The ledger is empty.');
  const at = new Date(first.at.getTime() + byMs);
  await collection.updateOne({ _id: first._id }, { $set: { at } });
  await command('cli/audit.ts');
}

const unsignedRequests = 20;

/** So many at a time, for as long as it takes to be noticed. */
async function sendUnsigned({ stage, monitoring }: Scene): Promise<void> {
  const [shop] = stage.shops;
  const wrong = shop && {
    ...shop,
    secret: shop.secret.slice(0, -4).padEnd(shop.secret.length, 'A'),
  };
  await becomes(async () => {
    for (let left = unsignedRequests; left > 0; left--) {
      await sendLogged(stage.baseUrl, nextPurchase(wrong ? [wrong] : []), stage.trafficLog);
    }
    return (await monitoring.firing()).includes('SignaturesRefused');
  }, patienceMs);
}

async function restartOften({ stage, monitoring }: Scene): Promise<void> {
  for (let starts = await monitoring.workerStarts(); starts < 4; starts++) {
    await stage.processes.stop(['worker 2']);
    await stage.processes.start(['worker 2']);
    await becomes(async () => (await monitoring.workerStarts()) > starts, patienceMs);
  }
}

const work = async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'prove-alerts-'));
  const faults = await prove(serverOptions(dataDir, log));
  for (const fault of faults) log(`  ${fault}`);
  if (faults.length === 0) await rm(dataDir, { recursive: true, force: true });
  else log(`The data is kept in ${dataDir}.`);
  return faults.length;
};
const count = await runUntilShutdown(shutdownRequested(), work, 130);
log(count === 0 ? 'Each alert fired for its reason alone.' : `${count} FAULTS`);
await shutDown(count === 0 ? 0 : 1);
