import test from 'ava';
import { aPurchase } from '../../helpers/partner-backend.ts';
import { townOf } from '../../helpers/town.ts';
import { partnerInReview } from '../../portal/helpers/partner-in-review.ts';
import { partnerBrowser } from '../../portal/helpers/people.ts';
import { faults } from './helpers/checks.ts';
import { type Stage, startStage } from './helpers/stage.ts';
import type { Visitor } from './helpers/visitor.ts';

let stage: Stage;
let ada: Visitor;
let bob: Visitor;

test.before(async () => {
  stage = await startStage({ FOUR_EYES: 'on', FOUR_EYES_REVIEW_CENTS: '100' });
  [ada, bob] = await Promise.all([stage.admin(), stage.admin()]);
});
test.after.always(() => stage?.stop());

const goLiveOf = async (partnerId: string) =>
  (await stage.service.models.partners.findById(partnerId).orFail()).goLive.state;

/** Approves another operator's proposal from the list. */
async function approve(visitor: Visitor, sentence: RegExp): Promise<void> {
  await visitor.open('/admin');
  await visitor.follow('Approvals');
  await visitor.navigate(() => visitor.page.getByRole('link', { name: sentence }).click());
  await visitor.press('Approve and carry out');
}

test.serial('an admin decides a review, and another has to approve it', async (t) => {
  const { service } = stage;
  const shop = await service.partner({ mode: 'LIVE', fundingCents: 1_000 });
  const { rewardId, externalOrderId } = await townOf(service).reviewed(shop, {
    reason: 'the lid was broken',
  });
  const stateOf = async () => (await service.rewardOf(rewardId)).state;
  await ada.open('/admin');
  t.deepEqual(await faults(ada.page), [], 'home');
  await ada.follow('Reviews');
  t.deepEqual(await faults(ada.page), [], 'queue');
  await ada.follow(externalOrderId);
  t.regex(await ada.text(), /Reward 499 points, \$4\.99 .* the lid was broken/);
  t.deepEqual(await faults(ada.page), [], 'review');
  await ada.page.getByLabel('Decision').selectOption('UPHOLD GOODS_RETURNED');
  await ada.fill({ 'In your own words': 'The parcel came back.' });
  await ada.press('Decide');
  t.regex(await ada.text(), /Another operator must approve what you proposed/);
  t.is(await ada.page.getByRole('button', { name: 'Approve and carry out' }).count(), 0);
  t.is(await stateOf(), 'IN_REVIEW');

  await approve(bob, /^Uphold the refund of Corner Shop/);
  t.regex(await bob.text(), /Approved and carried out/);
  t.deepEqual(await faults(bob.page), [], 'approved');
  t.is(await stateOf(), 'CANCELLED');
  t.deepEqual([...ada.problems, ...bob.problems], []);
});

test.serial('a go-live is approved with its evidence in view', async (t) => {
  const { partnerId, path, evidence } = await partnerInReview(stage.service, 'Harbour Coffee');
  await ada.open('/admin');
  await ada.navigate(() => ada.page.locator(`a[href="${path}"]`).first().click());
  t.deepEqual(await faults(ada.page), [], 'go-live');
  t.regex(await ada.text(), /Harbour Coffee Ltd .* LIVE funds \$123\.45/);
  for (const id of evidence) {
    await ada.navigate(() => ada.page.locator(`main a[href*="${id}"]`).first().click());
    t.is(await ada.page.getByRole('heading', { level: 1 }).count(), 1, id);
    await ada.page.goBack();
  }
  await ada.page.getByText('Approve …').click();
  await ada.press('Approve');
  t.is(await goLiveOf(partnerId), 'IN_REVIEW');
  await approve(bob, /^Make Harbour Coffee live/);
  t.is(await goLiveOf(partnerId), 'LIVE');
  t.deepEqual([...ada.problems, ...bob.problems], []);
});

test.serial('a go-live is sent back with a reason, which the partner sees', async (t) => {
  const { partnerId, path } = await partnerInReview(stage.service, 'Unclear Shop');
  await ada.open(path);
  await ada.page.getByText('Send back with notes …').click();
  t.deepEqual(await faults(ada.page), [], 'send back');
  const reason = 'Whose address is on the website?';
  await ada.fill({ 'What needs to change': reason });
  await ada.press('Send back');
  t.is(await goLiveOf(partnerId), 'CHANGES_REQUESTED');
  const { cookies } = await partnerBrowser(stage.portal, partnerId);
  const owner = await stage.visitor({ session: cookies.get('session') });
  await owner.open('/home');
  t.true((await owner.text()).includes(reason));
  t.deepEqual(await faults(owner.page), [], 'the partner’s go-live');
  t.deepEqual([...ada.problems, ...owner.problems], []);
});

test.serial(
  'an order is found by any of its ids, and its workflow in the Temporal UI',
  async (t) => {
    const { service } = stage;
    const shop = await service.partner();
    const purchase = aPurchase();
    const idempotencyKey = `key of ${purchase.externalOrderId}`.replaceAll(' ', '-');
    const { body, headers } = await shop.purchase(purchase, { idempotencyKey });
    const { workflowId } = await service.rewardOf(body.reward.id);
    const reward = `/admin/rewards/${body.reward.id}`;

    const search = async (named: string) => {
      const box = ada.page.getByLabel('Search partners, customers, orders, IDs, keys');
      await box.fill(named);
      await Promise.all([ada.page.waitForEvent('load'), box.press('Enter')]);
    };
    await ada.open('/admin');
    for (const [named, path] of [
      [body.eventId, reward],
      [body.reward.id, reward],
      [headers.get('x-request-id') ?? '', reward],
      [idempotencyKey, reward],
      [workflowId, reward],
    ] as const) {
      await search(named);
      t.is(ada.path, path, named);
    }
    await search(purchase.externalOrderId);
    t.is(ada.path, reward);
    t.deepEqual(await faults(ada.page), [], 'order');

    const [temporal] = await Promise.all([
      ada.context.waitForEvent('page'),
      ada.page.getByRole('link', { name: 'Open in Temporal' }).first().click(),
    ]);
    await temporal.getByRole('heading', { name: workflowId }).first().waitFor();
    await temporal.getByText('Running').first().waitFor();
    t.true(temporal.url().startsWith(service.config.temporal.uiUrl));
    t.true(temporal.url().includes(encodeURIComponent(workflowId)));
    await temporal.close();
    t.deepEqual(ada.problems, []);
  },
);
