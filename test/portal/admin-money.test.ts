import test from 'ava';
import { walletBalances } from '../../models/ledger/index.ts';
import { type Service, startService } from '../helpers/service.ts';
import { townOf } from '../helpers/town.ts';
import { textOf } from './helpers/browser.ts';
import { operatorBrowser } from './helpers/people.ts';
import { configOf, startPortal, type TestPortal } from './helpers/portal.ts';

let service: Service;
let portal: TestPortal;
test.before(async () => {
  service = await startService();
  portal = await startPortal(service, {
    config: configOf(service, { FOUR_EYES: 'on', FOUR_EYES_REDEMPTION_CENTS: '100' }),
  });
});
test.after.always(async () => {
  await portal?.stop();
  await service?.stop();
});

const fundingOf = async (partnerId: string) =>
  (await walletBalances(service.models, { mode: 'LIVE', partnerId })).fundingCents;

test('a top-up is proposed by one operator, approved by another, and moves money once', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const path = `/admin/partners/${partnerId}/top-up`;
  const [fay, bob] = await Promise.all([
    operatorBrowser(portal, 'finance'),
    operatorBrowser(portal, 'admin'),
  ]);
  await fay.open(path);
  t.regex(textOf(fay.shown?.html ?? ''), /needs two operators/);
  const proposed = await fay.submit(path, { amount: '1,250.50', reference: 'wire 42' });
  t.regex(
    textOf(proposed.html),
    /Top up the LIVE funding of Corner Shop by \$1,250\.50.*“wire 42”/,
  );
  t.is(await fundingOf(partnerId), 0);

  // As from the link in the notice.
  const shown = await bob.open(`/admin/approvals/${proposed.path.split('/').at(-1)}`);
  const seen = textOf(shown.html);
  t.regex(seen, /LIVE funding \$0\.00 \$1,250\.50 Evidence: /);
  t.regex(shown.html, /<button type="submit" class="primary">Approve and carry out</);
  const approved = await bob.submit(`${proposed.path}/approve`, {});
  t.regex(textOf(approved.html), /Approved/);
  t.is(await fundingOf(partnerId), 125_050);
  t.false(
    approved.html.includes(`${proposed.path}/approve`),
    'a decided proposal cannot be approved again',
  );
  await bob.post(`${proposed.path}/approve`, {});
  t.is(await fundingOf(partnerId), 125_050);

  await fay.open(path);
  const again = await fay.submit(path, { amount: '1250.50', reference: 'wire 42' });
  t.regex(textOf(again.html), /was already used for .* nothing was booked/);
  const page = textOf((await fay.open(`/admin/partners/${partnerId}`)).html);
  t.regex(page, /Available \$1,250\.50 Reserved for rewards \$0\.00/);
  const ledger = await fay.open(`/admin/ledger?partner=${partnerId}`);
  t.regex(textOf(ledger.html), /Top-up Corner Shop \$1,250\.50/);
});

test('a proposal is rejected with a reason', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const path = `/admin/partners/${partnerId}/top-up`;
  const fay = await operatorBrowser(portal, 'finance');
  await fay.open(path);
  const { path: approval } = await fay.submit(path, { amount: '5', reference: 'wire 1' });
  await fay.open(approval);
  t.regex(textOf((await fay.submit(`${approval}/reject`)).html), /Give a reason/);
  await fay.submit(`${approval}/reject`, { reason: 'no such transfer' });
  t.regex(textOf((await fay.open(approval)).html), /Rejected .* Reason no such transfer/);
});

test('with approvals off, the operator confirms that they checked the top-up', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const alone = await startPortal(service, { config: configOf(service, { FOUR_EYES: 'off' }) });
  t.teardown(() => alone.stop());
  const path = `/admin/partners/${partnerId}/top-up`;
  const fay = await operatorBrowser(alone, 'finance');
  await fay.open(path);
  const fields = { amount: '5', reference: 'wire 3' };
  const refused = await fay.submit(path, { ...fields, amount: 'much' });
  t.is(refused.status, 422);
  for (const name of ['amount', 'isChecked']) t.true(refused.html.includes(`id="${name}-error"`));
  t.is((await fay.submit(path, fields)).status, 422);
  t.is(await fundingOf(partnerId), 0);
  await fay.submit(path, { ...fields, isChecked: 'on' });
  t.is(await fundingOf(partnerId), 500);
});

test('amounts are read to the cent, and anything else is refused', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const path = `/admin/partners/${partnerId}/top-up`;
  const fay = await operatorBrowser(portal, 'finance');
  for (const amount of ['', '0', '1.234', '99999999999']) {
    await fay.open(path);
    const refused = await fay.submit(path, { amount, reference: 'wire 9' });
    t.is(refused.status, 422, amount);
    t.regex(textOf(refused.html), /Enter an amount|can be read as 1,234/, amount);
  }
});

test('a redemption below the threshold is done at once; above it is proposed', async (t) => {
  const partner = await service.partner({ mode: 'LIVE', fundingCents: 1_000 });
  const { rewardId } = await townOf(service).claimed(partner);
  const { customerId } = await service.models.rewards.findById(rewardId).orFail();
  const page = `/admin/customers/${customerId}`;
  const fay = await operatorBrowser(portal, 'finance');
  await fay.open(page);
  t.regex(textOf(fay.shown?.html ?? ''), /Points 499 Owed \$4\.99/);
  const done = await fay.submit(`${page}/redeem`, { points: '99', reference: 'till 7' });
  t.is(done.path, page);
  t.regex(textOf(done.html), /99 points redeemed.*Points 400 Owed \$4\.00/);
  await fay.open(page);
  const proposed = await fay.submit(`${page}/redeem`, { points: '101', reference: 'till 8' });
  t.regex(textOf(proposed.html), /Redeem 101 points of a customer of Corner Shop/);
  const read = { action: 'customer.read', targetId: customerId };
  t.true((await service.models.auditEntries.countDocuments(read)) >= 2);
});

test('support grants test funding, which is not real money', async (t) => {
  const { partnerId } = await service.partner();
  const path = `/admin/partners/${partnerId}/test-funding`;
  const sam = await operatorBrowser(portal, 'support');
  t.regex(textOf((await sam.open(path)).html), /Available no limit/);
  const granted = await sam.submit(path, { amount: '20', reference: 'try' });
  t.regex(textOf(granted.html), /Test funding granted.*Available \$20\.00/);
  const viewer = await operatorBrowser(portal, 'viewer');
  t.notRegex(textOf((await viewer.open(path)).html), /Grant test funding/);
});

test('test funding is read in the partner’s currency', async (t) => {
  const { partnerId } = await service.partner({ partner: { currency: 'JPY' }, rule: null });
  const path = `/admin/partners/${partnerId}/test-funding`;
  const sam = await operatorBrowser(portal, 'support');
  await sam.open(path);
  const granted = await sam.submit(path, { amount: '2000', reference: 'try' });
  t.regex(textOf(granted.html), /Available ¥2,000/);
  const refused = await sam.submit(path, { amount: '20.50', reference: 'more' });
  t.regex(textOf(refused.html), /without decimals/);
});
