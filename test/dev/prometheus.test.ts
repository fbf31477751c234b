import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { parse } from 'yaml';
import { throwawayFolder } from '../../dev/test/throwaway-folder.ts';

const run = promisify(execFile);
const deploy = fileURLToPath(new URL('../../deploy/', import.meta.url));

async function folderOf(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(throwawayFolder(), 'prometheus-'));
  t.teardown(() => rm(folder, { recursive: true }));
  return folder;
}

test('Prometheus in Compose expects as many processes as the profile has, under the domain', async (t) => {
  const folder = await folderOf(t);
  for (const [COMPOSE_PROFILES, many] of [
    ['', 1],
    ['observability', 1],
    ['cluster,observability', 2],
  ] as const) {
    const env = { ...process.env, COMPOSE_PROFILES, DOMAIN: 'rewards.example.com' };
    await run('sh', [join(deploy, 'prometheus/start'), join(deploy, 'prometheus'), folder], {
      env,
    });
    const { groups } = parse(await readFile(join(folder, 'expected.yml'), 'utf8'));
    const partner_events = 'rewards.example.com';
    t.deepEqual(
      groups[0].rules.map(({ expr, labels }: { expr: string; labels: object }) => [expr, labels]),
      [
        [`vector(${many})`, { partner_events, job: 'api' }],
        [`vector(${many})`, { partner_events, job: 'worker' }],
        ['vector(1)', { partner_events, job: 'portal' }],
      ],
    );
    const { scrape_configs } = parse(await readFile(join(folder, 'prometheus.yml'), 'utf8'));
    for (const { relabel_configs } of scrape_configs) {
      t.deepEqual(relabel_configs, [
        { target_label: 'partner_events', replacement: partner_events },
      ]);
    }
    const alerts = await readFile(join(folder, 'alerts.yml'), 'utf8');
    t.is(alerts, await readFile(join(deploy, 'prometheus/alerts.yml'), 'utf8'));
  }
});

async function alertmanager(t: ExecutionContext, ALERTS_TO: string, smtpUrl = 'none') {
  const folder = await folderOf(t);
  const [file, secret] = [join(folder, 'alertmanager.yml'), join(folder, 'smtp_url')];
  await writeFile(secret, smtpUrl);
  const env = {
    ...process.env,
    ALERTS_TO,
    SMTP_URL_FILE: secret,
    MAIL_FROM: 'Rewards <rewards@example.com>',
  };
  await run('sh', [join(deploy, 'alertmanager/start'), file], { env });
  return parse(await readFile(file, 'utf8'));
}

test('one address has Alertmanager send emails by the service’s mail server, or call a webhook', async (t) => {
  const url = 'smtps://ops%40example.com:it%27s%5Csecret@mail.example.com';
  const { route, receivers } = await alertmanager(t, 'ops@example.com', url);
  t.is(route.receiver, receivers[0].name);
  t.deepEqual(receivers[0].email_configs, [
    {
      to: 'ops@example.com',
      from: 'Rewards <rewards@example.com>',
      smarthost: 'mail.example.com:465',
      send_resolved: true,
      auth_username: 'ops@example.com',
      auth_password: "it's\\secret",
    },
  ]);
  const open = await alertmanager(t, 'ops@example.com', 'smtp://relay:2525/?tls=off');
  t.is(open.receivers[0].email_configs[0].smarthost, 'relay:2525');
  t.false('auth_username' in open.receivers[0].email_configs[0]);

  const hook = 'https://hooks.example.com/alerts?key=1';
  const called = await alertmanager(t, hook);
  t.deepEqual(called.receivers[0], { name: 'operators', webhook_configs: [{ url: hook }] });
  t.deepEqual((await alertmanager(t, '')).receivers, [{ name: 'operators' }]);
});

test('Alertmanager does not start with an address that it could not reach', async (t) => {
  await t.throwsAsync(alertmanager(t, 'ops'), { message: /neither an email address nor a URL/ });
  await t.throwsAsync(alertmanager(t, 'ops@example.com'), { message: /secrets\/smtp_url/ });
});

test('what an outage causes is held back by alerts that exist, beside the alert that names it', async (t) => {
  const { inhibit_rules } = await alertmanager(t, '');
  const text = await readFile(join(deploy, 'prometheus/alerts.yml'), 'utf8');
  const names = [...text.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
  for (const { source_matchers, target_matchers, equal } of inhibit_rules) {
    t.deepEqual(equal, ['partner_events']);
    for (const matcher of [...source_matchers, ...target_matchers]) {
      const named = /^alertname=~?"(.+)"$/.exec(matcher)?.[1]?.split('|') ?? [];
      t.true(named.length > 0, matcher);
      for (const name of named) t.true(names.includes(name), name);
    }
  }
});

test('what holds another alert back does not end before it', async (t) => {
  const { inhibit_rules } = await alertmanager(t, '');
  const { groups } = parse(await readFile(join(deploy, 'prometheus/alerts.yml'), 'utf8'));
  const rules: { alert?: string; keep_firing_for?: string }[] = groups.flatMap(
    (group: { rules: object[] }) => group.rules,
  );
  const orderOf = (name: string) => rules.findIndex(({ alert }) => alert === name);
  const namesIn = (matchers: string[]) =>
    matchers.flatMap((matcher) => /"(.+)"/.exec(matcher)?.[1]?.split('|') ?? []);
  for (const { source_matchers, target_matchers } of inhibit_rules) {
    for (const source of namesIn(source_matchers)) {
      if (rules[orderOf(source)]?.keep_firing_for !== undefined) continue;
      // Rules are evaluated in this order, and new figures may come between two of them.
      for (const target of namesIn(target_matchers)) {
        t.true(orderOf(source) < orderOf(target), `${source}, ${target}`);
      }
    }
  }
});

test('each figure of the dashboard is of the installation that is chosen', async (t) => {
  const text = await readFile(join(deploy, 'grafana/dashboards/service.json'), 'utf8');
  const { panels, templating } = JSON.parse(text);
  t.regex(templating.list[0].query.query, /^label_values\(up\{.+\}, partner_events\)$/);
  const expressions: string[] = panels.flatMap(
    ({ targets = [] }: { targets?: { expr: string }[] }) => targets.map(({ expr }) => expr),
  );
  t.true(expressions.length > 25);
  for (const expression of expressions) {
    const metrics = expression.match(/\b(?:partner_events|temporal|process|nodejs)_\w+/g) ?? [];
    const scoped = expression.match(/\w+\{partner_events="\$installation"/g) ?? [];
    t.true(metrics.length > 0 && metrics.length === scoped.length, expression);
  }
});
