import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parse, stringify } from 'yaml';
import { startProcess } from '../../dev/managed-process.ts';
import { choosePort } from '../../dev/servers/ports.ts';
import { buildPrograms } from './programs.ts';

const run = promisify(execFile);
const deploy = fileURLToPath(new URL('../../deploy/', import.meta.url));
const graceMs = 10_000;

export type Monitoring = Awaited<ReturnType<typeof startMonitoring>>;

interface Alert {
  labels: { alertname: string; partner_events?: string };
  state: string;
}

/** Long enough that a slow answer is not a missing one. */
const scrapeSeconds = 5;
/** What a rule waits for, in the same order as with minutes, and longer than one scrape that failed. */
const waitSeconds = (minutes: number) => Math.min(30, 4 + 2 * minutes);
/** Of several scrapes. What is longer stays as it is. */
const windowSeconds = (minutes: number) => 10 + 5 * minutes;
const longMinutes = 20;
/** Longer than the windows, and than a worker takes to start and do what was due. */
const keepSeconds = 120;

interface Rule {
  expr: string;
  for?: string;
  keep_firing_for?: string;
}

const minutesOf = (duration: string) =>
  Number.parseInt(duration, 10) * (duration.endsWith('h') ? 60 : 1);

/** A rule in which seconds stand for minutes. */
function hasten(rule: Rule): void {
  rule.expr = rule.expr.replaceAll(/\[(\d+m)\]/g, (whole, window) => {
    const minutes = minutesOf(window);
    return minutes < longMinutes ? `[${windowSeconds(minutes)}s]` : whole;
  });
  if (rule.for !== undefined) rule.for = `${waitSeconds(minutesOf(rule.for))}s`;
  if (rule.keep_firing_for !== undefined) {
    rule.keep_firing_for = `${keepSeconds}s`;
  }
}

/**
 * Runs Prometheus and Alertmanager with the files of deploy/, which differ in what they ask and how often: the targets are on this
 * machine, and alerts fire after some seconds instead of minutes.
 * @param targets the metrics ports of each kind of process
 */
export async function startMonitoring(
  dataDir: string,
  domain: string,
  targets: Record<string, readonly number[]>,
) {
  const programs = await buildPrograms();
  const freePort = () =>
    choosePort({ variable: 'PORT', what: 'it', preferredPort: 0 }, {}, () => undefined);
  const [port, alertmanagerPort] = [await freePort(), await freePort()];
  const received = new Set<string>();
  const hook = createServer(async (request, response) => {
    const { alerts } = JSON.parse(await text(request)) as {
      alerts: { status: string; labels: { alertname: string } }[];
    };
    for (const { status, labels } of alerts) received.add(`${labels.alertname} ${status}`);
    response.writeHead(200).end();
  });
  await once(hook.listen(0, '127.0.0.1'), 'listening');
  hook.unref();
  const folder = join(dataDir, 'monitoring');
  await mkdir(folder);

  const routes = join(folder, 'alertmanager.yml');
  const hookUrl = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/`;
  await run('sh', [join(deploy, 'alertmanager/start'), routes], {
    env: { ...process.env, ALERTS_TO: hookUrl },
  });
  await rewrite(routes, (it) => {
    Object.assign(it.route, { group_wait: '1s', group_interval: '1s' });
  });
  const counts = { COMPOSE_PROFILES: 'cluster', DOMAIN: domain };
  await run('sh', [join(deploy, 'prometheus/start'), join(deploy, 'prometheus'), folder], {
    env: { ...process.env, ...counts },
  });
  const settings = join(folder, 'prometheus.yml');
  await rewrite(settings, (it) => {
    it.global = { scrape_interval: `${scrapeSeconds}s`, evaluation_interval: '1s' };
    it.alerting.alertmanagers[0].static_configs[0].targets = [`127.0.0.1:${alertmanagerPort}`];
    for (const job of it.scrape_configs) {
      delete job.dns_sd_configs;
      const own = targets[job.job_name] ?? [];
      job.static_configs = [{ targets: own.map((one) => `127.0.0.1:${one}`) }];
    }
  });
  await rewrite(join(folder, 'alerts.yml'), (it) => {
    for (const { rules } of it.groups as { rules: Rule[] }[])
      for (const rule of rules) hasten(rule);
  });
  const start = (name: string, command: string, args: string[]) =>
    startProcess({
      command,
      args,
      env: process.env,
      graceMs,
      logFile: join(folder, `${name}.log`),
    });
  await start('alertmanager', programs.alertmanager, [
    ...[`--config.file=${routes}`, `--storage.path=${join(folder, 'alertmanager')}`],
    ...[`--web.listen-address=127.0.0.1:${alertmanagerPort}`, '--cluster.listen-address='],
  ]);
  await start('prometheus', programs.prometheus, [
    ...[`--config.file=${settings}`, `--storage.tsdb.path=${join(folder, 'prometheus')}`],
    `--web.listen-address=127.0.0.1:${port}`,
  ]);

  const alerts = async (): Promise<Alert[]> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/alerts`);
    return ((await response.json()) as { data: { alerts: Alert[] } }).data.alerts;
  };
  const measured = async (expr: string): Promise<number> => {
    const query = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expr)}`;
    const { data } = (await (await fetch(query)).json()) as {
      data: { result: { value: [number, string] }[] };
    };
    return Number(data.result[0]?.value[1] ?? 0);
  };
  return {
    /** The alerts that fire, by their names. */
    async firing(): Promise<string[]> {
      const names = (await alerts())
        .filter(({ state }) => state === 'firing')
        .map(({ labels }) => labels.alertname);
      return [...new Set(names)].toSorted();
    },

    /** Those that Alertmanager does not tell, since another one says why. */
    async suppressed(): Promise<string[]> {
      const response = await fetch(`http://127.0.0.1:${alertmanagerPort}/api/v2/alerts`);
      const found = (await response.json()) as {
        labels: Alert['labels'];
        status: { state: string };
      }[];
      const names = found
        .filter(({ status }) => status.state === 'suppressed')
        .map(({ labels }) => labels.alertname);
      return [...new Set(names)].toSorted();
    },

    /** Whether operators were told that it fires, or is over. */
    wasTold: (name: string, status: 'firing' | 'resolved'): boolean =>
      received.has(`${name} ${status}`),

    forget: () => received.clear(),

    /** Whether every process has been read. */
    seesAll: async () => (await measured('sum(up)')) === Object.values(targets).flat().length,

    /** How often Prometheus saw a worker start. */
    workerStarts: () => measured('sum(changes(process_start_time_seconds{job="worker"}[30m]))'),
  };
}

async function rewrite(
  file: string,
  // biome-ignore lint/suspicious/noExplicitAny: files of other programs
  change: (content: any) => void,
): Promise<void> {
  const content = parse(await readFile(file, 'utf8'));
  change(content);
  await writeFile(file, stringify(content, { aliasDuplicateObjects: false }));
}

/** @returns whether it became true in time */
export async function becomes(isSo: () => Promise<boolean>, patienceMs: number): Promise<boolean> {
  for (const endMs = Date.now() + patienceMs; Date.now() < endMs; await delay(500)) {
    if (await isSo().catch(() => false)) return true;
  }
  return false;
}
