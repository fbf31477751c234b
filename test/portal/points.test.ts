import test, { type ExecutionContext } from 'ava';
import { pointsLinkActivities } from '../../activities/points-links.ts';
import { verifyReceipt } from '../../clients/typescript/receipt.ts';
import { pointsLinkMs } from '../../domain/customer.ts';
import { pointsLinkWorkflowId } from '../../domain/workflow-names.ts';
import type { Message } from '../../messaging/message.ts';
import { createPointsLink } from '../../models/identity/points-links.ts';
import { readSigningKeys } from '../../models/receipts/signing-keys.ts';
import { dailyMailQuotas } from '../../models/store/mail-quotas.ts';
import { eraseUpTo } from '../../operations/customers.ts';
import { sha256Hex } from '../../platform/hashing.ts';
import { newId } from '../../platform/ids.ts';
import { customerPageSize, findPointsLink } from '../../views/customers.ts';
import { claimTokenOf } from '../helpers/claim-token.ts';
import { eventually } from '../helpers/eventually.ts';
import { aPurchase, type PartnerBackend } from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';
import { signLog } from '../helpers/sign-log.ts';
import { Browser, textOf } from './helpers/browser.ts';
import { portalOf, type SomePortal, startPortal } from './helpers/portal.ts';

let service: Service;
let portal: SomePortal;
test.before(async () => {
  service = await startService();
  portal = await portalOf(service);
});
test.after.always(() => service?.stop());

const live = { mode: 'LIVE', fundingCents: 1_000_000 } as const;
const browser = (language = 'en') =>
  new Browser(portal, { accept: 'text/html', 'accept-language': language });

let customers = 0;
/** A new customer. */
const someone = () => ({ email: `reader-${Date.now()}-${++customers}@private.example` });

interface Bought {
  rewardId: string;
  eventId: string;
  claimToken: string;
  claimPath: string;
}

async function bought(shop: PartnerBackend, customer: object): Promise<Bought> {
  const { body, text } = await shop.purchase(aPurchase({ customer }));
  if (!body.success) throw new Error(text);
  const claimToken = await claimTokenOf(service, body.eventId);
  const claimPath = `/claim/${claimToken}`;
  return { rewardId: body.reward.id, eventId: body.eventId, claimToken, claimPath };
}

/** Requests the link on the claim page. @returns the text of the response */
async function requestLink({ claimPath }: Bought, reader = browser()): Promise<string> {
  const form = await reader.open(`${claimPath}/points`);
  if (form.status !== 200) throw new Error(form.html);
  const { status, html } = await reader.submit(`${claimPath}/points`, {});
  if (status !== 200) throw new Error(html);
  return textOf(html);
}

const linkIn = ({ text }: Message): string | undefined =>
  /\/points\/[\w-]{43}(?![\w-])/.exec(text)?.[0];

/** Waits for a message to this address with a link to points. @param before how many of those to skip */
const sentTo = (to: string, before = 0): Promise<Message> =>
  eventually(
    async () => [...service.mails, ...service.texts].filter(isLinkTo(to))[before],
    `a link is sent to ${to}`,
  );

const isLinkTo = (to: string) => (message: Message) => message.to === to && linkIn(message);

/** The result of the workflow that sends the link last requested for a reward. */
const outcomeOf = ({ rewardId }: Bought): Promise<unknown> =>
  service.temporal.workflow.getHandle(pointsLinkWorkflowId(rewardId)).result();

async function linkOf(shop: PartnerBackend, { eventId }: Bought, at = Date.now()) {
  const event = await service.models.orderEvents.findById(eventId).orFail();
  const customerId = event.purchase?.customerId ?? '';
  const of = { partnerId: shop.partnerId, customerId, mode: event.mode, purchaseEventId: eventId };
  return { ...of, ...(await createPointsLink(service.models, of, at)) };
}

test('a customer requests the link, gets it at the purchase’s address, and sees points and history', async (t) => {
  const shop = await service.partner(live);
  const customer = someone();
  const first = await bought(shop, customer);
  await service.claim(first.claimToken);
  await bought(shop, customer);
  await service.carriedOut(shop);
  const onClaimPage = await browser().open(first.claimPath);
  t.regex(onClaimPage.html, new RegExp(`href="${first.claimPath}/points"`));
  t.regex(
    await requestLink(first),
    /Check your messages If we still have the email address or phone/,
  );
  const mail = await sentTo(customer.email);
  t.like(mail, { subject: 'Your points at Corner Shop' });
  t.falsy(mail.staysInFolder);
  t.is(mail.purchaseEventId, first.eventId);
  const path = linkIn(mail) ?? '';
  const { status, html, headers } = await browser().open(path);
  t.is(status, 200);
  t.regex(
    textOf(html),
    /Your points at Corner Shop 499 points Your points are worth \$4\.99\. .*Your rewards 499 points Claim by .* Order .* Claim 499 points 499 points Claimed \d+ \w+ \d{4} Order /,
  );
  t.is(headers.get('cache-control'), 'no-store');
  t.is(headers.get('referrer-policy'), 'strict-origin');
  t.regex(html, /<meta name="robots" content="noindex">/);
  t.deepEqual(headers.getSetCookie(), []);
  t.false(html.includes(customer.email));
  t.notRegex(html, /cus_|prt_/);
});

test('what can be claimed is claimed from the points’ page, and nobody else’s reward is', async (t) => {
  const shop = await service.partner(live);
  const open = await bought(shop, someone());
  const others = await bought(shop, someone());
  await service.carriedOut(shop);
  const { token } = await linkOf(shop, open);
  const reader = browser();
  const path = `/points/${token}`;
  const foreign = await reader.post(`${path}/claim/${others.rewardId}`);
  t.is(foreign.status, 404);
  await reader.open(path);
  const { html } = await reader.submit(`${path}/claim/${open.rewardId}`);
  t.regex(textOf(html), /499 points Claimed /);
  t.is((await service.rewardOf(open.rewardId)).state, 'AVAILABLE');
  t.is((await service.rewardOf(others.rewardId)).state, 'FUNDED');
});

test('a customer downloads the receipt of their own reward, once it is under a tree head', async (t) => {
  const shop = await service.partner(live);
  const own = await bought(shop, someone());
  const another = await bought(shop, someone());
  await service.carriedOut(shop);
  const { token } = await linkOf(shop, own);
  const receiptAt = `/points/${token}/${own.rewardId}/receipt.json`;
  await signLog(service);
  const { html } = await browser().open(`/points/${token}`);
  t.true(html.includes(`<a href="${receiptAt}" download>Receipt</a>`));
  const { status, headers, html: file } = await browser().open(receiptAt);
  t.is(status, 200);
  t.regex(headers.get('content-disposition') ?? '', /^attachment; filename="receipt-PNR_/);
  const receipt = JSON.parse(file);
  t.is(verifyReceipt(receipt, await readSigningKeys(service.models)).rewardId, own.rewardId);
  t.is((await browser().open(`/points/${token}/${another.rewardId}/receipt.json`)).status, 404);
  t.is((await browser().open(`/points/unknown/${own.rewardId}/receipt.json`)).status, 404);
});

test('the link is stored as a hash, and neither history, log nor documents contain it or the address', async (t) => {
  const shop = await service.partner(live);
  const customer = someone();
  const purchase = await bought(shop, customer);
  await requestLink(purchase);
  const token = linkIn(await sentTo(customer.email))?.replace('/points/', '') ?? '';
  const { models, temporal } = service;
  const stored = await models.pointsLinks.find({ partnerId: shop.partnerId });
  t.deepEqual(
    stored.map(({ _id }) => _id),
    [sha256Hex(token)],
  );
  await outcomeOf(purchase);
  const history = await temporal.workflow
    .getHandle(pointsLinkWorkflowId(purchase.rewardId))
    .fetchHistory();
  const payloads = JSON.stringify(history, (_, value) =>
    value instanceof Uint8Array || value?.type === 'Buffer'
      ? Buffer.from(value.data ?? value).toString('utf8')
      : value,
  );
  t.true(payloads.includes(purchase.rewardId));
  for (const secret of [token, sha256Hex(token), customer.email, purchase.claimToken]) {
    t.false(payloads.includes(secret));
  }
  const counts = await models.mailCounts.find({ _id: /^LINK / });
  t.true(counts.length > 0);
  t.false(JSON.stringify(counts).includes('@'));
});

test('the page and the email use the browser’s language', async (t) => {
  const shop = await service.partner(live);
  for (const [language, subject, words] of [
    ['de', 'Ihre Punkte bei Corner Shop', /Ihre Prämien 499 Punkte Bis .+ sichern/],
    ['fr', 'Vos points chez Corner Shop', /Vos récompenses 499 points À récupérer avant/],
    ['es', 'Sus puntos en Corner Shop', /Sus recompensas 499 puntos Obténgalos antes/],
  ] as const) {
    const customer = someone();
    const purchase = await bought(shop, customer);
    await requestLink(purchase, browser(language));
    const mail = await sentTo(customer.email);
    t.like(mail, { subject });
    const { html } = await browser(language).open(linkIn(mail) ?? '');
    t.true(html.includes(`<html lang="${language}">`));
    t.regex(textOf(html), words);
  }
});

test('a customer with only a phone number gets a text message', async (t) => {
  const phone = `+4474001${String(Date.now()).slice(-5)}`;
  const purchase = await bought(await service.partner(live), { phone });
  await requestLink(purchase);
  const message = await sentTo(phone);
  t.is(message.channel, 'SMS');
  t.regex(message.text, /^Corner Shop: your points, for the next 24 hours: http/);
  t.is((await browser().open(linkIn(message) ?? '')).status, 200);
});

test('TEST shows only TEST data, says so, and emails only the partner’s own contact', async (t) => {
  const customer = someone();
  const contactEmail = `contact-${customer.email}`;
  const partner = { contactEmail, verifiedContactEmail: contactEmail };
  const shop = await service.partner({ partner });
  const purchase = await bought(shop, customer);
  await service.claim(purchase.claimToken);
  await requestLink(purchase);
  const mail = await sentTo(contactEmail);
  t.like(mail, { subject: '[TEST] Your points at Corner Shop' });
  const { html } = await browser().open(linkIn(mail) ?? '');
  t.regex(textOf(html), /TEST This is a test.* 499 points Your rewards 499 points Claimed/);
  const { customerId } = await service.rewardOf(purchase.rewardId);
  await service.models.rewards.updateOne({ _id: purchase.rewardId }, { $set: { mode: 'LIVE' } });
  t.teardown(() =>
    service.models.rewards.updateOne({ _id: purchase.rewardId }, { $set: { mode: 'TEST' } }),
  );
  t.regex(
    textOf((await browser().open(linkIn(mail) ?? '')).html),
    / 499 points Your rewards Questions/,
  );
  t.regex(customerId, /^cus_/);
  t.false(
    service.mails.some((one) => one.to === customer.email && linkIn(one) && !one.staysInFolder),
  );
});

test('the response is the same whether or not the customer exists', async (t) => {
  const shop = await service.partner(live);
  const customer = someone();
  const erased = await bought(shop, customer);
  const reachable = await bought(shop, someone());
  const landline = await bought(shop, { phone: '+442079460000' });
  await erase(shop, erased);
  const said = await Promise.all([erased, reachable, landline].map((one) => requestLink(one)));
  t.is(new Set(said).size, 1);
  await Promise.all([erased, reachable, landline].map(outcomeOf));
  t.false(service.mails.some(isLinkTo(customer.email)));
});

async function erase(shop: PartnerBackend, { rewardId }: Bought): Promise<void> {
  const { partnerId } = shop;
  const { customerId } = await service.rewardOf(rewardId);
  const asked = { partnerId, customerId, reference: rewardId };
  await eraseUpTo({ models: service.models, now: Date.now }, asked, new Date());
}

const goneWords =
  /This link no longer works .*a limited time, and not after your data was erased\. .* ask for a new one/;

async function checkGone(t: ExecutionContext, path: string, opened = browser()): Promise<void> {
  const { status, html, headers } = await opened.open(path);
  t.is(status, 404);
  t.regex(textOf(html), goneWords);
  t.notRegex(textOf(html), /Check again/);
  t.is(headers.get('cache-control'), 'no-store');
}

test('once the customer is erased, their link shows nothing', async (t) => {
  const shop = await service.partner(live);
  const purchase = await bought(shop, someone());
  const { token } = await linkOf(shop, purchase);
  t.is((await browser().open(`/points/${token}`)).status, 200);
  await erase(shop, purchase);
  await checkGone(t, `/points/${token}`);
});

test('a link that was asked for works for a day, and an unknown one never', async (t) => {
  const shop = await service.partner(live);
  const purchase = await bought(shop, someone());
  const { token, expiresAt } = await linkOf(shop, purchase);
  const endMs = expiresAt.getTime();
  t.truthy(await findPointsLink({ ...service, now: () => endMs - 1 }, token));
  t.is(await findPointsLink({ ...service, now: () => endMs }, token), null);
  const { token: ended } = await linkOf(shop, purchase, Date.now() - pointsLinkMs - 1);
  await checkGone(t, `/points/${ended}`);
  await checkGone(t, `/points/${purchase.claimToken}`);
  t.is(
    (await browser().open(`/claim/${token}`)).status,
    404,
    'the points link is not a claim link',
  );
});

test('attempts at unknown links are limited per address', async (t) => {
  const strict = await startPortal(service, {}, { unknownLinks: 2 });
  t.teardown(() => strict.stop());
  const statuses: number[] = [];
  for (let guess = 0; guess < 3; guess++) {
    statuses.push((await new Browser(strict).open(`/points/guess-${guess}`)).status);
  }
  t.deepEqual(statuses, [404, 404, 429]);
});

test('a customer gets a limited number of links a day, without notice of the limit', async (t) => {
  const shop = await service.partner(live);
  const customer = someone();
  const limit = dailyMailQuotas.LINK;
  const purchases: Bought[] = [];
  for (let count = 0; count < limit + 1; count++) purchases.push(await bought(shop, customer));
  const said = new Set<string>();
  for (const purchase of purchases) {
    said.add(await requestLink(purchase));
    await outcomeOf(purchase);
  }
  t.is(said.size, 1);
  t.is(service.mails.filter(isLinkTo(customer.email)).length, limit);
});

test('the holder of a claim link can request a limited number of links, without notice of the limit', async (t) => {
  const asked: string[] = [];
  const messenger = {
    ...service.messenger,
    startPointsLink: async ({ rewardId }: { rewardId: string }) => void asked.push(rewardId),
  };
  const strict = await startPortal(service, { messenger }, { pointsLinks: 2 });
  t.teardown(() => strict.stop());
  const purchase = await bought(await service.partner(live), someone());
  for (let time = 0; time < 3; time++) {
    t.regex(await requestLink(purchase, new Browser(strict)), /Check your messages/);
  }
  t.deepEqual(asked, [purchase.rewardId, purchase.rewardId]);
});

test('while Temporal is unreachable, the customer is asked to try again', async (t) => {
  const messenger = {
    ...service.messenger,
    startPointsLink: async () => {
      throw new Error('14 UNAVAILABLE');
    },
  };
  const alone = await startPortal(service, { messenger });
  t.teardown(() => alone.stop());
  const { claimPath } = await bought(await service.partner(live), someone());
  const { status, html } = await new Browser(alone).ask('POST', `${claimPath}/points`);
  t.is(status, 503);
  t.regex(textOf(html), /Temporarily unavailable/);
});

test('a suspended partner’s customers still see their points', async (t) => {
  const shop = await service.partner(live);
  const customer = someone();
  const claimed = await bought(shop, customer);
  await service.claim(claimed.claimToken);
  await bought(shop, customer);
  await service.carriedOut(shop);
  const suspended = { $set: { status: 'SUSPENDED' as const } };
  await service.models.partners.updateOne({ _id: shop.partnerId }, suspended);
  const { token } = await linkOf(shop, claimed);
  t.regex(
    textOf((await browser().open(`/points/${token}`)).html),
    /499 points .*Corner Shop has paused its rewards\. You keep the points you have claimed\..* Claim by .* Claimed/,
  );
});

test('each reward shows its outcome', async (t) => {
  const shop = await service.partner({ ...live, rule: { claimWindow: 'P30D' } });
  const customer = someone();
  const rewards: Bought[] = [];
  const orders: string[] = [];
  for (let count = 0; count < 5; count++) {
    const purchase = aPurchase({ customer });
    const { body } = await shop.purchase(purchase);
    const claimToken = await claimTokenOf(service, body.eventId);
    rewards.push({
      rewardId: body.reward.id,
      eventId: body.eventId,
      claimToken,
      claimPath: `/claim/${claimToken}`,
    });
    orders.push(purchase.externalOrderId);
  }
  const [expired, cancelled, inReview, takenBack] = rewards as [Bought, Bought, Bought, Bought];
  for (const { claimToken } of [inReview, takenBack]) await service.claim(claimToken);
  for (const index of [1, 2, 3]) await shop.refund({ externalOrderId: orders[index] });
  await service.carriedOut(shop);
  const { rewards: stored } = service.models;
  await stored.updateOne(
    { _id: expired.rewardId },
    { $set: { claimExpiresAt: new Date('2026-03-05T10:00:00Z') } },
  );
  await stored.updateOne(
    { _id: takenBack.rewardId },
    {
      $set: { state: 'CANCELLED' },
      $push: {
        moves: { move: 'UPHOLD', at: new Date('2026-03-06T10:00:00Z'), state: 'CANCELLED' },
      },
    },
  );
  t.is((await service.rewardOf(cancelled.rewardId)).state, 'CANCELLED');
  const { token } = await linkOf(shop, expired);
  const text = textOf((await browser().open(`/points/${token}`)).html);
  const outcomes = [
    ...text.matchAll(
      /499 points (Claim by|Taken back 6 Mar 2026|Under review|Cancelled|Expired 5 Mar 2026)/g,
    ),
  ];
  t.deepEqual(
    outcomes.map(([, outcome]) => outcome),
    ['Claim by', 'Taken back 6 Mar 2026', 'Under review', 'Cancelled', 'Expired 5 Mar 2026'],
  );
  t.regex(text, /998 points.* 499 points can be spent now; the rest is under review/);
});

test('a long history is paged, and contains nobody else’s rewards', async (t) => {
  const shop = await service.partner(live);
  const purchase = await bought(shop, someone());
  const reward = await service.rewardOf(purchase.rewardId);
  const { models } = service;
  const copies = Array.from({ length: customerPageSize + 2 }, (_, index) => ({
    ...reward,
    _id: newId('reward', 1_000 + index),
    points: 1_000 + index,
    purchaseEventId: `${reward.purchaseEventId} ${index}`,
    claimTokenHash: `${reward.claimTokenHash} ${index}`,
  }));
  const stranger = await bought(shop, someone());
  await models.rewards.updateOne({ _id: stranger.rewardId }, { $set: { points: 777 } });
  await models.rewards.collection.insertMany(copies);
  t.teardown(() => models.rewards.deleteMany({ _id: { $in: copies.map(({ _id }) => _id) } }));
  const { token } = await linkOf(shop, purchase);
  const reader = browser();
  const seen: string[] = [];
  let next: string | undefined = `/points/${token}`;
  for (let pages = 0; next && pages < 5; pages++) {
    const { html } = await reader.open(next);
    seen.push(
      ...[...html.matchAll(/<li><strong>([\d,]+) points/g)].map(([, points = '']) => points),
    );
    next = /href="([^"]*\?cursor=[^"]*)"/.exec(html)?.[1];
    if (!next) t.regex(textOf(html), /Newest/);
  }
  t.is(seen.length, copies.length + 1);
  t.is(new Set(seen).size, copies.length + 1);
  t.false(seen.includes('777'));
  t.is((await reader.open(`/points/${token}?cursor=nonsense`)).status, 404);
});

test('a message that could not be sent does not count', async (t) => {
  const customer = someone();
  const purchase = await bought(await service.partner(live), customer);
  const { _id: rewardId, ...reward } = await service.rewardOf(purchase.rewardId);
  const { partnerId, purchaseEventId, customerId, mode } = reward;
  const { models, sealer } = service;
  const failing = async () => {
    throw new Error('the mail server is away');
  };
  const deps = { models, sealer, sendMessage: failing, portalUrl: portal.url };
  const { sendPointsLink } = pointsLinkActivities(deps);
  const asked = { partnerId, purchaseEventId, rewardId, customerId, mode };
  for (let time = 0; time <= dailyMailQuotas.LINK; time++) {
    await t.throwsAsync(sendPointsLink(asked), { message: 'the mail server is away' });
  }
  await requestLink(purchase);
  t.truthy(await sentTo(customer.email));
});
