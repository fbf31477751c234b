import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import test from 'ava';
import { due } from '../../domain/due.ts';
import { currentSigner } from '../../models/receipts/sign-log.ts';
import { readSigningKeys } from '../../models/receipts/signing-keys.ts';
import { execute } from '../../operations/execute.ts';
import { createFirstOperator, createOperator } from '../../operations/operators.ts';
import { topUp } from '../../operations/wallets.ts';
import { newId } from '../../platform/ids.ts';
import { eventually } from '../helpers/eventually.ts';
import { asOperator, operate } from '../helpers/operate.ts';
import { type OwnService, startOwnService } from '../helpers/own-service.ts';
import { aPurchase } from '../helpers/partner-backend.ts';
import { anOrderEvent } from '../helpers/signed-requests.ts';
import { textOf } from './helpers/browser.ts';
import { anOperator, operatorBrowser, signedIn } from './helpers/people.ts';
import { configOf, startPortal, type TestPortal } from './helpers/portal.ts';
import { storeReview } from './helpers/stored.ts';

let service: OwnService;
let portal: TestPortal;
test.before(async () => {
  service = await startOwnService({ FOUR_EYES: 'on' });
  portal = await startPortal(service);
});
test.after.always(async () => {
  await portal?.stop();
  await service?.stop();
});

test.serial('with nothing to do the home page says so', async (t) => {
  const ada = await operatorBrowser(portal, 'viewer');
  const text = textOf((await ada.open('/admin')).html);
  for (const said of [
    /No open reviews/,
    /Nothing to approve/,
    /No go-live requests/,
    /No rewards are waiting/,
    /No requests were refused/,
    /not been audited/,
  ]) {
    t.regex(text, said);
  }
  t.regex(text, /Changes that move money or open LIVE need two operators/);
  for (const path of ['/admin', '/admin/audit-runs', '/admin/audit', '/admin/tokens']) {
    const { status, html } = await ada.open(path);
    t.is(status, 200, path);
    t.notRegex(textOf(html), /npm run/, 'no page requires a terminal');
  }
  const config = configOf(service, { FOUR_EYES: 'off' });
  const alone = await startPortal(service, { config });
  t.teardown(() => alone.stop());
  const bob = await operatorBrowser(alone, 'viewer');
  t.regex(
    textOf((await bob.open('/admin')).html),
    /Approvals are switched off: one operator is enough/,
  );
  t.regex(textOf((await bob.open('/admin/approvals')).html), /are made at once/);
  const { partnerId } = await service.partner();
  const sam = await operatorBrowser(alone, 'admin');
  const profile = textOf((await sam.open(`/admin/partners/${partnerId}/profile`)).html);
  t.regex(profile, /as agreed in the contract/);
  t.notRegex(profile, /needs two operators/);
});

test.serial('the home page counts pending work, and each number links to its list', async (t) => {
  const { models } = service;
  const shop = await service.partner({ mode: 'LIVE', partner: { name: 'Poor Shop' } });
  for (const subtotalCents of [10_000, 20_000]) {
    await shop.purchase(aPurchase({ order: { subtotalCents } }));
  }
  await eventually(
    async () => (await models.rewards.countDocuments({ state: 'AWAITING_FUNDING' })) === 2,
    'both rewards are waiting for funds',
  );
  for (let count = 0; count < 3; count++) await shop.purchase(aPurchase({ order: {} }));
  await service.flushed();
  const { partnerId } = shop;
  const dueAt = new Date(Date.now() - 3_600_000);
  await storeReview(portal, { partnerId, mark: 'Late' }, { dueAt });
  await storeReview(portal, { partnerId, mark: 'Soon' });
  await models.auditRuns.create({
    _id: newId('auditRun'),
    partnerId: null,
    startedAt: dueAt,
    endedAt: dueAt,
    lookedAt: 9,
    faults: 2,
    summary: 'two are wrong',
    checks: [],
  });
  await models.auditEntries.create({
    _id: newId('audit'),
    actorId: 'system',
    action: 'partner.update',
    details: {},
    status: 'INTENDED',
    requestId: 'req',
    at: dueAt,
  });

  const ada = await operatorBrowser(portal, 'viewer');
  const { html } = await ada.open('/admin');
  const text = textOf(html);
  t.regex(text, /Reviews open 2 1 overdue/);
  t.regex(text, /LIVE without funds 2 \$30\.00 missing/);
  t.regex(text, /Refused in the last hour 3 of 1 partner/);
  t.regex(text, /Poor Shop LIVE 2 \$30\.00/);
  t.regex(text, /Poor Shop 3 A field is missing, unknown or not valid\./);
  t.true(text.indexOf('Late-') < text.indexOf('Soon-'), 'overdue reviews come first');
  t.regex(text, /two are wrong/);
  t.regex(text, /1 action was never completed/);
  const main = html.slice(html.indexOf('<main'));
  const links = [...main.matchAll(/href="(\/admin[^"]*)"/g)].map(([, path]) => path ?? '');
  t.true(links.length >= 12);
  for (const path of new Set(links)) {
    t.is((await ada.open(path.replaceAll('&amp;', '&'))).status, 200, path);
  }
});

test.serial('proposals that the operator can approve come first', async (t) => {
  const { deps } = portal;
  const { partnerId } = await service.partner({ mode: 'LIVE', partner: { name: 'Rich Shop' } });
  const eve = (await operate(deps, createFirstOperator, { name: 'Eve', role: 'admin' })).operator
    ._id;
  const user = await anOperator(portal, 'finance');
  const propose = (externalReference: string, operatorId: string) =>
    execute(deps, topUp, asOperator(operatorId), {
      partnerId,
      amountCents: 100,
      currency: 'USD',
      externalReference,
    });
  await propose('own', user.operatorId ?? '');
  await execute(deps, createOperator, asOperator(eve), {
    name: 'Puppet',
    role: 'support',
    email: `${randomUUID()}@operators.example`,
  });
  await propose('of another', eve);
  const fay = await signedIn(portal, user);
  const text = textOf((await fay.open('/admin')).html);
  t.regex(text, /Approvals 3 1 for you/);
  t.regex(
    text,
    /“of another”\. For you .* “own”\. Yours .* Puppet, with the role support, who signs in/,
  );
});

test.serial(
  'the home page permanently says that approvals were off, and links to operations done alone',
  async (t) => {
    const { models } = service;
    const ada = await operatorBrowser(portal, 'viewer');
    t.notRegex(textOf((await ada.open('/admin')).html), /Approvals were off/);
    for (const [at, period] of [
      ['2025-03-01T10:05:00Z', 'on 1 Mar 2025, 10:05 UTC : 1 operation that needs'],
      [
        '2025-03-01T14:20:00Z',
        'between 1 Mar 2025, 10:05 UTC and 1 Mar 2025, 14:20 UTC : 2 operations that need',
      ],
      ['2025-03-02T00:00:00Z', 'between 1 Mar 2025 and 2 Mar 2025 : 3 operations that need'],
    ] as const) {
      await models.auditEntries.create({
        _id: newId('audit'),
        actorId: 'opr_1',
        approvedBy: null,
        requestId: 'req_1',
        once: null,
        action: 'partner.top-up',
        partnerId: null,
        targetId: null,
        details: {},
        isAlone: true,
        status: 'DONE',
        at: new Date(at),
        completedAt: new Date(at),
      });
      t.true(
        textOf((await ada.open('/admin')).html).includes(
          `On record Approvals were off ${period} two operators had only one`,
        ),
        period,
      );
    }
    const { html } = await ada.open('/admin');
    t.true(html.includes('href="/admin/audit?alone=YES"'));
    const list = textOf((await ada.open('/admin/audit?alone=YES')).html);
    t.regex(list, /Top up money opr_1 alone, approvals off/);
    t.notRegex(list, /Create the operator/);
  },
);

test.serial(
  'what is due and was set apart is shown, and an admin has it tried again',
  async (t) => {
    const at = new Date();
    const _id = newId('event');
    const apart = { ...due('START', at), attempts: 20, error: 'an error', setApartAt: at };
    await service.models.orderEvents.collection.insertOne(anOrderEvent({ _id, due: apart }));
    const viewer = await operatorBrowser(portal, 'viewer');
    const seen = (await viewer.open('/admin')).html;
    t.regex(
      textOf(seen),
      /1 thing that is due was set apart .* An admin can have them tried again/,
    );
    t.notRegex(seen, /due\/retry/);
    const admin = await operatorBrowser(portal, 'admin');
    await admin.open('/admin');
    const after = await admin.submit('/admin/due/retry', {});
    t.regex(textOf(after.html), /1 is tried again/);
    t.notRegex(textOf(after.html), /set apart/);
    await service.models.orderEvents.deleteOne({ _id });
  },
);

test.serial(
  'an admin retires the key that receipts are signed with, on the page of audits',
  async (t) => {
    await currentSigner({ ...service, auditLog: async () => undefined }, new Date());
    const page = '/admin/audit-runs';
    const viewer = await operatorBrowser(portal, 'viewer');
    t.notRegex(textOf((await viewer.open(page)).html), /Retire the key/);
    const admin = await operatorBrowser(portal, 'admin');
    await admin.open(page);
    const { html } = await admin.submit('/admin/signing-key/retire', {});
    t.regex(textOf(html), /was retired .* The next signing makes a new one/);
    const [key] = await readSigningKeys(service.models);
    t.truthy(key?.retiredAt);
  },
);

test.serial(
  'a refund that failed at a shop’s platform waits until an operator settles it',
  async (t) => {
    const { models } = service;
    const shop = await service.partner({});
    const { body } = await shop.purchase(aPurchase({ externalOrderId: 'pi_failed' }));
    const { partnerId } = shop;
    const connectionId = newId('connection');
    const receivedAt = new Date();
    const waitsUntil = new Date(receivedAt.getTime() + 3_600_000);
    await models.waitingRefunds.create({
      _id: `${connectionId}/pi_failed/failed:re_1`,
      partnerId,
      connectionId,
      externalOrderId: 'pi_failed',
      kind: 'FAILED',
      rewardId: body.reward.id,
      settledAt: null,
      refund: null,
      receivedAt,
      waitsUntil,
      expiresAt: waitsUntil,
    });
    const viewer = await operatorBrowser(portal, 'viewer');
    const seen = await viewer.open('/admin');
    t.regex(textOf(seen.html), /A refund of order pi_failed failed at the shop’s platform/);
    t.true(seen.html.includes(`/admin/rewards/${body.reward.id}`));
    t.false(seen.html.includes('/admin/failed-refunds/settle'), 'a viewer only looks');
    const support = await operatorBrowser(portal, 'support');
    await support.open('/admin');
    const settled = textOf((await support.submit('/admin/failed-refunds/settle')).html);
    t.regex(settled, /Settled\./);
    t.notRegex(settled, /pi_failed/);
    const [entry] = await models.auditEntries.find({ action: 'failed-refund.settle' });
    t.like(entry, { partnerId, targetId: connectionId });
  },
);

test.serial('the link of each alert leads to what it means and what to do', async (t) => {
  const ada = await operatorBrowser(portal, 'viewer');
  const alerts = await readFile(
    new URL('../../deploy/prometheus/alerts.yml', import.meta.url),
    'utf8',
  );
  const links = [...alerts.matchAll(/- alert: (\w+)|runbook_url: https:\S+ \S+ }}(\S+)/g)];
  const { status, html } = await ada.open('/admin/alerts');
  t.is(status, 200);
  t.true(links.length > 50);
  for (const [, name, link = ''] of links) {
    if (name !== undefined) t.regex(textOf(html), new RegExp(`\\b${name}\\b`));
    else t.true(html.includes(`id="${link.split('#')[1]}"`), link);
  }
});
