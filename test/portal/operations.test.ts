import test from 'ava';
import { chooseTimeZone } from '../../operations/account.ts';
import { closeAuditEntry } from '../../operations/audit-entries.ts';
import { createCredential } from '../../operations/credentials.ts';
import type { AnyOperation } from '../../operations/operation.ts';
import { removePasskey } from '../../operations/passkeys.ts';
import { correctContactOfReward } from '../../operations/rewards.ts';
import { inviteUser } from '../../operations/users.ts';
import { topUp } from '../../operations/wallets.ts';
import type { Audience } from '../../portal/context.ts';
import { needsOf } from '../../portal/routing/click.ts';
import type { Needs } from '../../portal/routing/route.ts';
import { type Service, startService } from '../helpers/service.ts';
import { textOf } from './helpers/browser.ts';
import { partnerBrowser } from './helpers/people.ts';
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

const cases: [audience: Audience, operation: AnyOperation, needs: Needs<Audience>][] = [
  ['user', chooseTimeZone, { permission: null, secondFactor: false }],
  ['user', removePasskey, { permission: null, secondFactor: true }],
  ['operator', closeAuditEntry, { permission: 'audit.close', secondFactor: false }],
  ['operator', topUp, { permission: 'partner.top-up', secondFactor: true }],
  ['partner', inviteUser, { permission: 'user.invite', secondFactor: true }],
  // What an operator changes in LIVE always needs it: the route does not know the mode of the record.
  [
    'operator',
    correctContactOfReward,
    { permission: 'reward.correct-contact', secondFactor: true },
  ],
  [
    'partner',
    correctContactOfReward,
    { permission: 'reward.correct-contact', secondFactor: 'LIVE' },
  ],
  // The operation asks for LIVE's.
  ['partner', createCredential, { permission: 'credential.test', secondFactor: 'LIVE' }],
];
for (const [audience, operation, needs] of cases) {
  test(`the route of ${operation.name} for ${audience} needs what the operation does`, (t) => {
    t.like(needsOf(audience, { operation }), needs);
  });
}

test('with a mode, each has its permission, and only LIVE the second factor', (t) => {
  const modeOf = () => 'TEST' as const;
  t.like(needsOf('partner', { operation: createCredential, modeOf }), {
    permission: { TEST: 'credential.test', LIVE: 'credential.live', modeOf },
    secondFactor: false,
  });
});

test('an operation has no route for those who may never do it', (t) => {
  for (const [audience, operation] of [
    ['partner', topUp],
    ['operator', inviteUser],
    ['user', topUp],
    ['partner', chooseTimeZone],
    ['public', topUp],
  ] as const) {
    t.throws(() => needsOf<Audience>(audience, { operation }), { message: /is not for/ });
  }
});

test('an error of an operation stands beside its field, and what was typed is kept', async (t) => {
  const { partnerId } = await service.partner();
  const owner = await partnerBrowser(portal, partnerId);
  await owner.open('/branding');
  const fields = { language: 'en', color: '#ffffff', spendText: 'Spend them in the shop' };
  const refused = await owner.submit('/branding/edit', fields);
  t.is(refused.status, 400);
  t.regex(refused.html, /id="color-error"/);
  t.regex(refused.html, /value="Spend them in the shop"/);
});

test('a form cannot name what the path and the viewer decide', async (t) => {
  const { partnerId } = await service.partner();
  const { partnerId: other } = await service.partner();
  const owner = await partnerBrowser(portal, partnerId);
  await owner.open('/funding');
  const sent = await owner.post('/funding/threshold', { threshold: '5', partnerId: other });
  t.is(sent.status, 422);
  const { lowBalanceThresholdCents } = await service.models.partners.findById(other).orFail();
  t.not(lowBalanceThresholdCents, 500);
  t.notRegex(textOf(sent.html), /Threshold saved/);
});
