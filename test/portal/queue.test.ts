import test from 'ava';
import { modes } from '../../domain/mode.ts';
import { eventually } from '../helpers/eventually.ts';
import { aPurchase } from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';
import { textOf } from './helpers/browser.ts';
import { operatorBrowser, partnerBrowser } from './helpers/people.ts';
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

for (const mode of modes) {
  test(`${mode}: pages name the order that holds the queue and what is missing, until it lets the others pass`, async (t) => {
    const backend = await service.partner({ mode, fundingCents: 1_500 });
    const { partnerId } = backend;
    const stateOf = async (rewardId: string) => (await service.rewardOf(rewardId)).state;
    const buy = async (subtotalCents: number) => {
      const { body } = await backend.purchase(aPurchase({ order: { subtotalCents } }));
      const rewardId: string = body.reward.id;
      await eventually(
        async () => (await stateOf(rewardId)) !== 'ACCEPTED',
        'it is funded or waits',
      );
      const { externalOrderId } = await service.rewardOf(rewardId);
      return { rewardId, externalOrderId };
    };
    const large = await buy(1_000_000);
    const small = await buy(10_000);
    t.is(await stateOf(small.rewardId), 'AWAITING_FUNDING');

    const owner = await partnerBrowser(portal, partnerId, 'owner');
    const open = async (path: string) => textOf((await owner.open(path)).html);
    const path = `/orders/${large.rewardId}`;
    const held = `Order ${large.externalOrderId} holds the queue: its reward costs $1,000.00, and $985.00 is missing for it.`;
    const funding = await open('/funding');
    t.true(funding.includes(held), funding);
    t.regex(funding, /\$995\.00 is missing for all of them/);
    t.true(
      (await open(path)).includes(
        'The reward costs $1,000.00, and $15.00 is available: $985.00 is missing. It holds the queue:',
      ),
    );
    const behind = await open(`/orders/${small.rewardId}`);
    t.true(
      behind.includes(
        `The reward costs $10.00, and $15.00 is available, but order ${large.externalOrderId} came before and holds the queue. $995.00 is missing until this one is funded.`,
      ),
      behind,
    );
    const ada = await operatorBrowser(portal, 'support');
    const reward = textOf((await ada.open(`/admin/rewards/${large.rewardId}`)).html);
    t.regex(reward, /\$985\.00 is missing\. It holds the queue: .* Let the others pass/);
    const wallet = mode === 'LIVE' ? '' : '/test-funding';
    const partner = textOf((await ada.open(`/admin/partners/${partnerId}${wallet}`)).html);
    t.true(partner.includes(held), partner);

    const viewer = await partnerBrowser(portal, partnerId, 'viewer');
    await viewer.open(path);
    t.is((await viewer.post(`${path}/let-pass`)).status, 403);
    if (mode === 'LIVE') {
      await owner.open(path);
      await owner.submit(`${path}/let-pass`);
    } else {
      await ada.open(`/admin/rewards/${large.rewardId}`);
      await ada.submit(`/admin/rewards/${large.rewardId}/let-pass`);
    }
    await eventually(async () => (await stateOf(small.rewardId)) === 'FUNDED', 'it is funded');
    if (mode === 'LIVE') {
      t.regex(await open('/funding'), /Available funding \$5\.00 Too little for what waits/);
    }
    t.regex(
      await open(path),
      /\$5\.00 is available: \$995\.00 is missing\. It lets the others pass, and keeps its place/,
    );
    t.regex(
      await open('/funding'),
      /Let the others pass, and keep their place: .* \(\$1,000\.00\)/,
    );
    const next = await buy(1_000);
    await eventually(async () => (await stateOf(next.rewardId)) === 'FUNDED', 'it passes, too');
    t.is(
      await service.models.auditEntries.countDocuments({
        action: 'reward.let-pass',
        partnerId,
        status: 'DONE',
      }),
      1,
    );

    t.is((await owner.post(`/orders/${small.rewardId}/let-pass`)).status, 409);
    const other = await service.partner({ mode });
    const stranger = await partnerBrowser(portal, other.partnerId, 'owner');
    await stranger.open('/funding');
    t.is((await stranger.post(`${path}/let-pass`)).status, 404);
  });
}
