import test from 'ava';
import { claimLinkIn } from '../../../dev/demo/message-folder.ts';
import type { Branding } from '../../../domain/branding.ts';
import { languages } from '../../../domain/languages.ts';
import { customerStatusOf } from '../../../domain/reward.ts';
import { saveLogo } from '../../../models/identity/logos.ts';
import { readPicture } from '../../../operations/branding.ts';
import { sha256Hex } from '../../../platform/hashing.ts';
import { aPng } from '../../helpers/a-png.ts';
import { eventually } from '../../helpers/eventually.ts';
import { Operator } from '../../helpers/operator.ts';
import { aPurchase } from '../../helpers/partner-backend.ts';
import type { PartnerOverrides } from '../../helpers/service.ts';
import { partnerBrowser } from '../../portal/helpers/people.ts';
import { axe, faults, hasNextStep, sidewaysScroll } from './helpers/checks.ts';
import { type Stage, startStage } from './helpers/stage.ts';
import { narrow, type VisitorOptions, wide } from './helpers/visitor.ts';

let stage: Stage;
test.before(async () => {
  stage = await startStage();
});
test.after.always(() => stage?.stop());

/** Reports a purchase. @returns it, and the claim link's path in the customer's email */
async function bought(overrides: PartnerOverrides = {}) {
  const { service } = stage;
  const shop = await service.partner({
    ...overrides,
    partner: {
      name: 'Blue Bottle Books',
      supportEmail: 'help@books.example',
      ...overrides.partner,
    },
  });
  const purchase = aPurchase();
  const { body } = await shop.purchase(purchase);
  const rewardId: string = body.reward.id;
  const mail = await eventually(
    async () => service.mails.find(({ id }) => id === rewardId),
    'the email is sent',
  );
  const link = claimLinkIn(mail.text) ?? '';
  const { origin, pathname } = new URL(link);
  return { shop, ...purchase, rewardId, origin, path: pathname };
}

const statusOf = async (rewardId: string) =>
  customerStatusOf((await stage.service.rewardOf(rewardId)).state);

test('a customer follows the link in the email, and claims with the keyboard only', async (t) => {
  const { rewardId, origin, path } = await bought({ mode: 'LIVE', fundingCents: 100_000 });
  t.is(origin, stage.service.config.portal.url);
  const customer = await stage.visitor({ width: narrow });
  t.is(await customer.open(path), 200);
  t.regex(await customer.text(), /Blue Bottle Books 499 points for your purchase/);
  t.is(
    await statusOf(rewardId),
    'AWAITING_CUSTOMER_CLAIM',
    'opening the page does not claim the reward',
  );
  await customer.tabTo('Claim 499 points');
  await customer.page.keyboard.press('Enter');
  await customer.page.getByRole('heading', { name: '499 points are yours' }).waitFor();
  t.is(customer.path, path);
  t.is(await statusOf(rewardId), 'CLAIMED');
  await customer.page.reload();
  t.regex(await customer.text(), /499 points are yours/);
  t.deepEqual(await customer.context.cookies(), []);
  t.deepEqual(customer.problems, []);
});

test('TEST pages say that they are TEST', async (t) => {
  const { path } = await bought();
  const customer = await stage.visitor();
  await customer.open(path);
  t.regex(await customer.text(), /^TEST This is a test\. The points have no value\./);
});

test('a customer reads times in the zone of their own browser', async (t) => {
  const { path } = await bought();
  const said = [];
  for (const timezoneId of ['America/New_York', 'Asia/Tokyo']) {
    const customer = await stage.visitor({ timezoneId });
    await customer.open(path);
    const time = customer.page.locator('time');
    said.push(await time.textContent());
    t.deepEqual(customer.problems, []);
  }
  t.regex(said[0] ?? '', /^\d+ \w+ \d{4}, \d\d:\d\d GMT-[45]$/);
  t.regex(said[1] ?? '', /^\d+ \w+ \d{4}, \d\d:\d\d GMT\+9$/);
});

/** The path of the points link sent to a shop's customer. */
async function pointsPathOf({ partnerId }: { partnerId: string }): Promise<string> {
  const { models, mails } = stage.service;
  return await eventually(async () => {
    const link = await models.pointsLinks.findOne({ partnerId });
    return mails
      .flatMap(({ text }) => /\/points\/([\w-]{43})/.exec(text) ?? [])
      .find((_, index, all) => link?._id === sha256Hex(all[index + 1] ?? ''));
  }, 'the link is sent');
}

test('a customer requests the link to their points with the keyboard only, and pages through their history', async (t) => {
  const { path, shop } = await bought({ mode: 'LIVE', fundingCents: 100_000 });
  const customer = await stage.visitor({ width: narrow });
  await customer.open(path);
  await customer.tabTo('Claim 499 points');
  await customer.page.keyboard.press('Enter');
  await customer.page.getByRole('heading', { name: '499 points are yours' }).waitFor();
  await customer.tabTo('See all your points at Blue Bottle Books');
  await customer.page.keyboard.press('Enter');
  await customer.page.getByRole('heading', { name: 'Your points at Blue Bottle Books' }).waitFor();
  t.deepEqual(await faults(customer.page), []);
  await customer.tabTo('Send me the link');
  await customer.page.keyboard.press('Enter');
  await customer.page.getByRole('heading', { name: 'Check your messages' }).waitFor();
  t.deepEqual(await faults(customer.page), []);
  await stage.service.carriedOut(shop);
  await customer.open(await pointsPathOf(shop));
  t.regex(
    await customer.text(),
    /499 points Your points are worth .* Your rewards 499 points Claimed/,
  );
  t.deepEqual(await faults(customer.page), []);
  t.deepEqual(await customer.context.cookies(), []);
  t.deepEqual(customer.problems, []);
});

/** How to reach each page for customers. */
const pages: Record<string, () => Promise<string>> = {
  unclaimed: async () => (await bought()).path,
  'with a long name and many points': async () => {
    const name = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft';
    const rule = { points: 99_999, minimumOrderCents: 0 };
    return (await bought({ partner: { name }, rule })).path;
  },
  claimed: async () => {
    const { path } = await bought();
    await fetch(stage.portal.url + path, { method: 'POST' });
    return path;
  },
  'under review': async () => {
    const { path, shop, externalOrderId } = await bought();
    await fetch(stage.portal.url + path, { method: 'POST' });
    await shop.refund({ externalOrderId });
    return path;
  },
  'taken back': async () => {
    const { path, shop, externalOrderId } = await bought();
    await shop.refund({ externalOrderId });
    return path;
  },
  expired: async () => {
    const { path, rewardId } = await bought();
    const operator = new Operator(stage.service, stage.service.adminToken);
    await operator.post(`/rewards/${rewardId}/test-clock`, { move: 'EXPIRE' });
    return path;
  },
  paused: async () => {
    const { path, shop } = await bought();
    const suspended = { $set: { status: 'SUSPENDED' as const } };
    await stage.service.models.partners.updateOne({ _id: shop.partnerId }, suspended);
    return path;
  },
  unknown: async () => '/claim/nothing',
  'link to points': async () => {
    const { path, shop } = await bought({ mode: 'LIVE', fundingCents: 100_000 });
    await fetch(`${stage.portal.url}${path}/points`, { method: 'POST' });
    return await pointsPathOf(shop);
  },
  'expired link to points': async () => '/points/nothing',
};

for (const [name, make] of Object.entries(pages)) {
  test(`the page of a link is accessible on any screen: ${name}`, async (t) => {
    const path = await make();
    for (const options of [
      { width: narrow, colorScheme: 'light' },
      { width: wide, colorScheme: 'dark' },
    ] satisfies VisitorOptions[]) {
      const customer = await stage.visitor(options);
      await customer.open(path);
      t.deepEqual(await axe(customer.page), []);
      t.is(await sidewaysScroll(customer.page), null);
      t.true(await hasNextStep(customer.page));
      const policy = customer.problems.filter(
        (text) => !text.includes('responded with a status of'),
      );
      t.deepEqual(policy, []);
      await customer.close();
    }
  });
}

/** A dark colour, with white text on it, and a light one, with black text. */
for (const color of ['#0b6e4f', '#ea580c']) {
  test(`a page in the partner’s colour ${color} is accessible in every language`, async (t) => {
    t.timeout(10 * 60_000);
    const branding: Branding = {
      language: 'en',
      timeZone: null,
      color,
      spendText: 'Spend them at any till, or online.',
      spendUrl: 'https://books.example/points',
    };
    const partner = { branding, website: 'https://books.example/' };
    const { path, shop } = await bought({ mode: 'LIVE', fundingCents: 100_000, partner });
    const { models } = stage.service;
    const owning = await models.partners.findById(shop.partnerId).orFail();
    const picture = await readPicture(await aPng(900, 120));
    await saveLogo(models, owning, picture, new Date());
    const customer = await stage.visitor();
    for (const language of languages) {
      await customer.context.setExtraHTTPHeaders({ 'accept-language': language });
      t.is(await customer.open(path), 200);
      t.is(await customer.page.locator('html').getAttribute('lang'), language);
      t.deepEqual(await faults(customer.page), [], language);
    }
    t.deepEqual(customer.problems, []);
    const { cookies } = await partnerBrowser(stage.portal, shop.partnerId, 'owner');
    const owner = await stage.visitor({ session: cookies.get('session') });
    t.is(await owner.open('/branding'), 200);
    t.deepEqual(await faults(owner.page), []);
    t.deepEqual(owner.problems, []);
  });
}
