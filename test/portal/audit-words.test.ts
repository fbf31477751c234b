import test from 'ava';
import { operations } from '../../operations/index.ts';
import { auditSentence, nameOfActor } from '../../portal/words/audit-words.ts';
import { type Service, startService } from '../helpers/service.ts';
import { textOf } from './helpers/browser.ts';
import { operatorBrowser } from './helpers/people.ts';
import { startPortal, type TestPortal } from './helpers/portal.ts';

let service: Service;
let portal: TestPortal;
test.before(async () => {
  service = await startService();
  portal = await startPortal(service);
});
test.after.always(async () => {
  await portal?.stop();
  await service?.stop();
});

const cases: [action: string, details: Record<string, unknown>, sentence: string][] = [
  ['partner.update', { status: 'SUSPENDED' }, 'Suspend the partner'],
  ['partner.update', { status: 'SUSPENDED', code: 'CONFLICT' }, 'Suspend the partner'],
  ['partner.update', { status: 'ACTIVE' }, 'Lift the suspension of the partner'],
  ['partner.update', { name: 'Corner Shop', country: 'DE' }, 'Change name, country'],
  ['partner.update', { redemptions: {} }, 'Change how customers pay with points'],
  ['partner.top-up', { amountCents: 125_050, currency: 'EUR' }, 'Top up €1,250.50'],
  ['connection.update', { isPaused: true }, 'Pause a shop'],
  ['connection.update', { isPaused: false }, 'Resume a shop'],
  ['webhook-endpoint.update', { status: 'PAUSED' }, 'Pause a webhook endpoint'],
  ['webhook-endpoint.update', { eventTypes: [] }, 'Change a webhook endpoint'],
  [
    'user.change-role',
    { from: 'viewer', to: 'owner' },
    'Change a user’s role from viewer to owner',
  ],
  ['user.invite', { role: 'owner' }, 'Invite an owner'],
  [
    'review.decide',
    { decision: 'UPHOLD', reasonCode: 'GOODS_RETURNED' },
    'Uphold a refund: goods returned',
  ],
  [
    'proposal.create',
    { action: 'partner.update', target: 'prt_1', status: 'ACTIVE' },
    'Propose: lift the suspension of the partner',
  ],
  [
    'points-end.set',
    { mode: 'LIVE', after: 'P12M' },
    'Let LIVE points end: after 12 months without activity',
  ],
  ['points-end.set', { mode: 'TEST', after: null }, 'Let TEST points end: never'],
  ['customer.read', {}, 'View a customer’s data'],
];

for (const [action, details, sentence] of cases) {
  test(`the audit log says “${sentence}” for ${action} of ${JSON.stringify(details)}`, (t) => {
    t.is(auditSentence({ action, details }), sentence);
  });
}

test('every operation is named in words, whatever its details', (t) => {
  for (const { name } of operations) {
    const words = auditSentence({ action: name, details: {} });
    t.regex(words, /^[A-Z][a-z]/);
    t.notRegex(words, /undefined|NaN|\(\)/, name);
  }
});

test('an actor is named; the service is no id', (t) => {
  const names = new Map([['opr_1', 'Ada']]);
  t.is(nameOfActor(names, 'opr_1'), 'Ada');
  t.is(nameOfActor(names, 'system'), 'The service');
});

test('who suspended a partner stands in the audit log as that, by name', async (t) => {
  const { partnerId } = await service.partner();
  const ada = await operatorBrowser(portal, 'admin');
  const page = `/admin/partners/${partnerId}`;
  await ada.open(page);
  await ada.submit(`${page}/suspend`);
  const log = await ada.open(`/admin/audit?partner=${partnerId}`);
  t.regex(textOf(log.html), /Suspend the partner \S.* Done/);
  const [, entry = ''] = /href="(\/admin\/audit\/[^"]+)">Suspend the partner</.exec(log.html) ?? [];
  t.regex(textOf((await ada.open(entry)).html), /Suspend the partner .*Operation partner\.update/);
});
