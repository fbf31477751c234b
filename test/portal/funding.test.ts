import test from 'ava';
import { readRunway } from '../../models/billing/index.ts';
import { walletBalances } from '../../models/ledger/index.ts';
import { eventually } from '../helpers/eventually.ts';
import { topUpAsOperator } from '../helpers/ledger-operations.ts';
import { type Service, startService } from '../helpers/service.ts';
import { townOf } from '../helpers/town.ts';
import { textOf } from './helpers/browser.ts';
import { partnerBrowser } from './helpers/people.ts';
import { portalOf, type SomePortal } from './helpers/portal.ts';

let service: Service;
let portal: SomePortal;
test.before(async () => {
  service = await startService();
  portal = await portalOf(service);
});
test.after.always(async () => {
  await service?.stop();
});

test('funding shows the free, reserved and owed amounts, how long they last, and how to top up', async (t) => {
  const backend = await service.partner({ mode: 'LIVE', fundingCents: 10_000 });
  const { rewardId, externalOrderId } = await townOf(service).funded(backend);
  const spends = () => readRunway(service.models, backend.partnerId, 1, new Date().toISOString());
  await eventually(async () => (await spends()) !== null, 'the cost is counted');
  const viewer = await partnerBrowser(portal, backend.partnerId, 'viewer');
  const { html } = await viewer.open('/funding');
  const text = textOf(html);
  t.regex(text, /Available funding \$95\.01 Lasts/);
  t.regex(text, /Reserved \$4\.99 /);
  t.regex(text, /Owed to customers \$0\.00 /);
  t.regex(
    text,
    /[\w-]+ Reserved for a reward .* UTC -\$4\.99 \$95\.01 .*Top-up .* UTC \+\$100\.00 \$100\.00/,
  );
  t.false(html.includes('/funding/threshold'));
  const statement = textOf((await viewer.open('/funding/statement')).html);
  t.true(statement.includes(`Reserved for a reward ${externalOrderId} -$4.99`), statement);
  const { html: csv } = await viewer.ask('GET', '/funding/statement.csv');
  const line = `"Reserved for a reward","${externalOrderId}","${rewardId}","txn_`;
  t.true(csv.includes(line), csv);
  const how = await viewer.open('/funding/how-to-pay');
  t.true(how.html.includes(`data-copy="PE-${backend.partnerId.slice(-8)}"`));
});

test('rewards waiting for funds come first, with the missing amount', async (t) => {
  const backend = await service.partner({ mode: 'LIVE', fundingCents: 100 });
  const town = townOf(service);
  const bought = await town.buy(backend);
  await town.onceState(bought, 'AWAITING_FUNDING');
  const owner = await partnerBrowser(portal, backend.partnerId);
  t.regex(
    textOf((await owner.open('/funding')).html),
    /1 reward is waiting for funds\. \$3\.99 is missing for all of them\. .* holds the queue/,
  );
  t.regex(textOf((await owner.open('/home')).html), /1 reward is waiting for funds\./);
});

test('an amount is shown as it is read, before it counts', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE', fundingCents: 1_000 });
  const owner = await partnerBrowser(portal, partnerId);
  const { html } = await owner.open('/funding');
  t.regex(html, /hx-get="\/read-as\.txt\?as=amount&amp;currency=USD" .*hx-target="next output"/);
  const read = async (query: string) =>
    (await owner.ask('GET', `/read-as.txt?as=amount&${query}`)).html;
  t.is(await read('currency=USD&threshold=1000,50'), 'Read as $1,000.50');
  t.is(await read('currency=JPY&threshold=4990'), 'Read as ¥4,990');
  t.is(await read('currency=USD&threshold=49.905'), '');
  t.is(await read('currency=USD&threshold=<b>1</b>'), '');
});

test('an owner sets the low-balance threshold; a developer cannot', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE', fundingCents: 10_000 });
  const developer = await partnerBrowser(portal, partnerId, 'developer');
  await developer.open('/account');
  t.is((await developer.post('/funding/threshold', { threshold: '1' })).status, 403);
  const owner = await partnerBrowser(portal, partnerId);
  await owner.open('/funding');
  const refused = await owner.submit('/funding/threshold', { threshold: '-5' });
  t.is(refused.status, 422);
  await owner.submit('/funding/threshold', { threshold: '2,500.50' });
  t.regex(textOf(owner.shown?.html ?? ''), /below your threshold of \$2,500\.50/);
  const partner = await service.models.partners.findById(partnerId);
  t.is(partner?.lowBalanceThresholdCents, 250_050);
});

const availableOf = async (partnerId: string) =>
  (await walletBalances(service.models, { mode: 'TEST', partnerId })).fundingCents;
const path = '/funding/test-funding';

test('a developer adds test funding, once per form, which funds waiting rewards', async (t) => {
  const backend = await service.partner({ fundingCents: 100 });
  const { partnerId } = backend;
  const town = townOf(service);
  const bought = await town.buy(backend);
  await town.onceState(bought, 'AWAITING_FUNDING');
  const developer = await partnerBrowser(portal, partnerId, 'developer');
  const { html } = await developer.open('/funding');
  t.regex(textOf(html), /Rewards waiting for funds 1 ; \$3\.99 is missing for all of them\./);
  const [, reference = ''] = /name="reference" value="(\w+)"/.exec(html) ?? [];
  await developer.submit(path, { amount: '50' });
  await developer.open('/funding');
  await developer.submit(path, { amount: '50', reference });
  await town.onceState(bought, 'FUNDED');
  t.is(await availableOf(partnerId), 100 + 5_000 - 499);
  const operations = await service.models.auditEntries.find({
    partnerId,
    action: 'test-funding.add',
    'details.reference': reference,
  });
  t.deepEqual(
    operations.map(({ status, targetId }) => [status, targetId]),
    [['DONE', partnerId]],
  );
});

test('until test funding is added, the page says that every TEST reward is funded', async (t) => {
  const { partnerId } = await service.partner();
  const owner = await partnerBrowser(portal, partnerId);
  t.regex(textOf((await owner.open('/funding')).html), /Every TEST reward is funded/);
});

test('test funding is limited, and a viewer cannot add any', async (t) => {
  const { partnerId } = await service.partner();
  await topUpAsOperator(service, { mode: 'TEST', partnerId }, 999_999_999);
  const developer = await partnerBrowser(portal, partnerId, 'developer');
  await developer.open('/funding');
  const refused = await developer.submit(path, { amount: '0.02' });
  t.is(refused.status, 409);
  t.regex(textOf(refused.html), /at most \$10,000,000\.00 of available TEST funding/);
  t.is((await developer.submit(path, { amount: '0.01' })).status, 200);
  const viewer = await partnerBrowser(portal, partnerId, 'viewer');
  t.false((await viewer.open('/funding')).html.includes(path));
});
