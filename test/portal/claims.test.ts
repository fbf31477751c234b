import test from 'ava';
import { createCommit } from '../../models/commit.ts';
import type { OrderEventDoc } from '../../models/schemas/events.ts';
import { openEvent } from '../../models/store/sealed-events.ts';
import { newToken, sha256Hex } from '../../platform/hashing.ts';
import { newId } from '../../platform/ids.ts';
import { away, timeLeft } from '../../portal/components/format.ts';
import { claimTokenOf } from '../helpers/claim-token.ts';
import { eventually } from '../helpers/eventually.ts';
import { aPurchase, type PartnerBackend } from '../helpers/partner-backend.ts';
import { patienceMs } from '../helpers/patience.ts';
import { type PartnerOverrides, type Service, startService } from '../helpers/service.ts';
import { Browser, textOf } from './helpers/browser.ts';
import { operatorBrowser, partnerBrowser } from './helpers/people.ts';
import { portalOf, type SomePortal, startPortal } from './helpers/portal.ts';

let service: Service;
let portal: SomePortal;
let partner: PartnerBackend;

test.before(async () => {
  service = await startService();
  portal = await portalOf(service);
  partner = await service.partner();
});
test.after.always(async () => {
  await service?.stop();
});

const open = (token: string, method = 'GET') => service.openClaim(token, method);
const claim = (token: string) => open(token, 'POST');

/** The headers of a browser that requests a page. */
const browsers = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const browser = () => new Browser(portal, browsers);

/** The page of a claim link, with its visible text. */
async function page(token: string) {
  const { status, html } = await browser().open(`/claim/${token}`);
  return { status, html, text: textOf(html) };
}

/** A fresh reward with its claim token. */
async function rewarded(from: PartnerBackend = partner) {
  const body = aPurchase();
  const { body: answer, text } = await from.purchase(body);
  if (!answer.success) throw new Error(text);
  return {
    externalOrderId: body.externalOrderId,
    reward: answer.reward,
    token: await claimTokenOf(service, answer.eventId),
  };
}
const withWindow = async (claimWindow: string, overrides: PartnerOverrides = {}) =>
  rewarded(await service.partner({ ...overrides, rule: { claimWindow } }));

test('a claim link works with the punctuation that followed it in a text', async (t) => {
  const { token } = await rewarded();
  for (const tail of ['.', ',', ')', '%3E', '!', '…', '.”']) {
    const { status, text } = await page(token + tail);
    t.is(status, 200, tail);
    t.regex(text, /499/, tail);
  }
  t.is((await claim(`${token}.`)).status, 200);
  t.is((await page(`${token}x`)).status, 404);
});

test('GET /claim/{token} shows the reward’s points and claim window, and changes nothing', async (t) => {
  const { reward, token } = await rewarded();
  for (let looks = 0; looks < 2; looks++) {
    const { status, body, headers } = await open(token);
    t.is(status, 200);
    t.deepEqual(body, {
      success: true,
      mode: 'TEST',
      partner: { name: 'Corner Shop' },
      reward: {
        points: 499,
        status: 'PENDING',
        customerStatus: 'AWAITING_CUSTOMER_CLAIM',
        claimExpiresAt: reward.claimExpiresAt,
        claimableFrom: null,
      },
    });
    t.is(headers.get('cache-control'), 'no-store');
    t.regex(headers.get('x-request-id') ?? '', /^req_/);
  }
});

test('the customer gets the link by email, once', async (t) => {
  const { reward, token } = await rewarded();
  const mail = await eventually(
    async () => service.mails.find(({ id }) => id === reward.id),
    'the email is sent',
  );
  t.is(mail.to, 'customer@example.com');
  t.true(mail.text.includes(`${service.config.portal.url}/claim/${token}`));
  t.true(mail.subject.includes('499 points'));
  await claim(token);
  t.is(service.mails.filter(({ id }) => id === reward.id).length, 1);
});

test('POST /claim/{token} claims the reward; repeating it returns the same', async (t) => {
  const { reward, token } = await rewarded();
  const first = await claim(token);
  t.is(first.status, 200, first.text);
  t.like(first.body.reward, { status: 'AVAILABLE', customerStatus: 'CLAIMED', points: 499 });
  const again = await claim(token);
  t.is(again.status, 200);
  t.deepEqual(again.body, first.body);
  t.deepEqual((await open(token)).body, first.body);
  const stored = await service.rewardOf(reward.id);
  t.deepEqual(
    stored.moves.map(({ move }) => move),
    ['FUND', 'CLAIM'],
  );
});

test('10 concurrent claims are one claim with 10 equal responses', async (t) => {
  const { reward, token } = await rewarded();
  const replies = await Promise.all(Array.from({ length: 10 }, () => claim(token)));
  t.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
  t.is(new Set(replies.map(({ text }) => text)).size, 1);
  const stored = await service.rewardOf(reward.id);
  t.is(stored.moves.filter(({ move }) => move === 'CLAIM').length, 1);
});

test('a claimed reward is shown as claimed during the review of its refund', async (t) => {
  const { externalOrderId, token } = await rewarded();
  await claim(token);
  const refund = await partner.refund({ externalOrderId });
  t.is(refund.body.refund.status, 'ADMIN_REVIEW');
  const again = await claim(token);
  t.is(again.status, 200);
  t.like(again.body.reward, { status: 'ADMIN_REVIEW', customerStatus: 'CLAIMED' });
});

test('an unknown link is 404, whatever it looks like', async (t) => {
  const { reward, token } = await rewarded();
  for (const unknown of ['x', `${token}x`, token.slice(1), reward.id, '%00', '%F0%9F%8E%81']) {
    for (const method of ['GET', 'POST']) {
      const { status, body } = await open(unknown, method);
      t.is(status, 404, unknown);
      t.is(body.error.code, 'NOT_FOUND');
    }
  }
});

test('a path that cannot be decoded is a client error', async (t) => {
  const { status, body } = await open('%E0%A4%A');
  t.true(status >= 400 && status < 500, String(status));
  t.is(typeof body?.error?.code, 'string');
});

test('a claim after the window is 410 CLAIM_EXPIRED', async (t) => {
  const { reward, token } = await withWindow('PT1S');
  await eventually(
    async () => (await open(token)).body.reward.status === 'EXPIRED',
    'the reward expires',
  );
  const { status, body } = await claim(token);
  t.is(status, 410);
  t.is(body.error.code, 'CLAIM_EXPIRED');
  t.like((await open(token)).body.reward, {
    status: 'EXPIRED',
    customerStatus: 'CLAIM_EXPIRED',
    claimExpiresAt: reward.claimExpiresAt,
  });
});

test('the reward of a refunded purchase is 409 REWARD_NOT_CLAIMABLE', async (t) => {
  const { externalOrderId, token } = await rewarded();
  await partner.refund({ externalOrderId });
  const { status, body } = await claim(token);
  t.is(status, 409);
  t.is(body.error.code, 'REWARD_NOT_CLAIMABLE');
  t.like((await open(token)).body.reward, { status: 'CANCELLED', customerStatus: 'CANCELLED' });
});

test('a reward of 0 points can be claimed, and a window of years is valid', async (t) => {
  const generous = await service.partner({ rule: { claimWindow: 'P5Y', points: 0 } });
  const { reward, token } = await rewarded(generous);
  t.is(reward.points, 0);
  const years = new Date(reward.claimExpiresAt).getUTCFullYear() - new Date().getUTCFullYear();
  t.is(years, 5);
  t.is((await claim(token)).body.reward.customerStatus, 'CLAIMED');
});

test('a LIVE reward is claimed like a TEST one', async (t) => {
  const { token } = await withWindow('P30D', { mode: 'LIVE', fundingCents: 1_000 });
  t.like((await claim(token)).body, { mode: 'LIVE', reward: { customerStatus: 'CLAIMED' } });
});

test('the response to a link reveals nothing about the customer or the partner’s ids', async (t) => {
  const personal = await partner.purchase(
    aPurchase({ customer: { email: 'jane.doe@example.com', phone: '+14155552671' } }),
  );
  const token = await claimTokenOf(service, personal.body.eventId);
  for (const method of ['GET', 'POST', 'GET']) {
    const { text } = await open(token, method);
    for (const secret of ['jane', '4155552671', 'cus_', partner.partnerId, token]) {
      t.false(text.includes(secret), secret);
    }
  }
});

test('other methods are 405 and name those allowed', async (t) => {
  const { token } = await rewarded();
  const { status, body, headers } = await open(token, 'DELETE');
  t.is(status, 405);
  t.is(body.error.code, 'METHOD_NOT_ALLOWED');
  t.regex(headers.get('allow') ?? '', /GET.*POST/);
});

test('the link’s page shows the merchant, the points, and the claim window', async (t) => {
  const { reward, token } = await rewarded();
  const { status, text, html } = await page(token);
  t.is(status, 200);
  t.regex(text, /Corner Shop/);
  t.regex(text, /499 points for your purchase/);
  const at = new Date(reward.claimExpiresAt);
  t.true(html.includes(`<time datetime="${at.toISOString()}"`));
  t.regex(text, /Claim by \d+ \w{3} \d{4}, \d\d:\d\d UTC in 29 days/);
  t.regex(text, /TEST This is a test/);
});

test('the button claims; reloaded, the page says that the points are the customer’s', async (t) => {
  const { reward, token } = await rewarded();
  const path = `/claim/${token}`;
  const customer = browser();
  await customer.open(path);
  const pressed = await customer.post(path);
  t.is(pressed.status, 303);
  t.is(pressed.headers.get('location'), path);
  for (let time = 0; time < 2; time++) {
    const { status, html } = await customer.open(path);
    t.is(status, 200);
    t.regex(textOf(html), /499 points are yours .* Claimed \d/);
    t.notRegex(html, /<form/);
  }
  t.is((await customer.post(path)).status, 303, 'pressing the button again succeeds');
  const { moves } = await service.rewardOf(reward.id);
  t.deepEqual(
    moves.map(({ move }) => move),
    ['FUND', 'CLAIM'],
  );
});

test('only the button claims: scanners, previews and prefetches do not', async (t) => {
  const { reward, token } = await rewarded();
  for (const headers of [{}, browsers, { 'sec-purpose': 'prefetch' }, { accept: 'image/*' }]) {
    for (const method of ['GET', 'HEAD']) {
      const { status } = await new Browser(portal, headers).ask(method, `/claim/${token}`);
      t.is(status, 200);
    }
  }
  t.is((await service.rewardOf(reward.id)).state, 'FUNDED');
});

test('a button on another site is refused', async (t) => {
  const { reward, token } = await rewarded();
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ]) {
    const { status, html } = await browser().ask('POST', `/claim/${token}`, { headers });
    t.is(status, 403);
    t.regex(textOf(html), /sent from another site/);
  }
  t.is((await service.rewardOf(reward.id)).state, 'FUNDED');
});

test('pages of a link send no referrer, link to no other site, and set no cookie', async (t) => {
  const { token } = await rewarded();
  for (const path of [`/claim/${token}`, '/claim/unknown']) {
    for (const method of ['GET', 'POST']) {
      const { headers, html } = await browser().ask(method, path);
      t.is(headers.get('cache-control'), 'no-store');
      if (headers.get('location') === null) t.is(headers.get('referrer-policy'), 'strict-origin');
      t.regex(headers.get('vary') ?? '', /\bAccept\b/);
      t.deepEqual(headers.getSetCookie(), []);
      t.notRegex(
        html,
        /(?:src|href|action)="(?!\/(?!\/)|\?language=|mailto:)|<script(?! src="\/assets\/local-time\.)/,
      );
    }
  }
});

test('the response is a page, unless JSON is preferred', async (t) => {
  const { token } = await rewarded();
  for (const [accept, type] of [
    [browsers.accept, /^text\/html/],
    ['*/*', /^text\/html/],
    ['application/json', /^application\/json/],
    ['application/json, text/plain, */*', /^application\/json/],
    ['text/html;q=0.1, application/json', /^application\/json/],
  ] as const) {
    for (const path of [`/claim/${token}`, '/claim/unknown']) {
      const { headers } = await browser().ask('GET', path, { headers: { accept } });
      t.regex(headers.get('content-type') ?? '', type, accept);
    }
  }
});

test('an expired link says so, and since when', async (t) => {
  const { reward, token } = await withWindow('PT1S');
  await eventually(async () => (await page(token)).status === 410, 'the claim window ends');
  const { text, html } = await page(token);
  t.regex(text, /This reward has expired .* 499 points .* had to be claimed by \d/);
  t.notRegex(html, /<form/);
  const pressed = await browser().ask('POST', `/claim/${token}`);
  t.is(pressed.status, 410);
  t.regex(textOf(pressed.html), /This reward has expired/);
  t.not((await service.rewardOf(reward.id)).state, 'AVAILABLE');
});

test('a reward taken back says so', async (t) => {
  const { externalOrderId, token } = await rewarded();
  await partner.refund({ externalOrderId });
  const { status, text } = await page(token);
  t.is(status, 410);
  t.regex(text, /This reward was cancelled .* purchase was returned/);
  t.is((await browser().ask('POST', `/claim/${token}`)).status, 409);
});

test('a claimed reward that was taken back says so, rather than that nobody claimed it', async (t) => {
  const { reward, token } = await rewarded();
  await claim(token);
  // As after a refund that was upheld.
  await service.models.rewards.updateOne({ _id: reward.id }, { $set: { state: 'CANCELLED' } });
  const { status, text } = await page(token);
  t.is(status, 410);
  t.regex(text, /These points were taken back .* you had claimed were taken back/);
  t.notRegex(text, /can no longer be claimed/);
});

test('a claimed reward under review says so, and stays claimed', async (t) => {
  const { externalOrderId, token } = await rewarded();
  await claim(token);
  await partner.refund({ externalOrderId });
  const { status, text } = await page(token);
  t.is(status, 200);
  t.regex(text, /Your 499 points are under review/);
  t.is((await browser().ask('POST', `/claim/${token}`)).status, 303);
});

test('a part under review names its points, and the order’s page tells what happened to the refund', async (t) => {
  const { externalOrderId, reward, token } = await rewarded();
  await claim(token);
  await partner.refund({ externalOrderId, externalRefundId: 'part', amountCents: 2_000 });
  const { text } = await page(token);
  t.regex(
    text,
    /200 points are under review You claimed 499 points, and then part of the purchase/,
  );
  const owner = await partnerBrowser(portal, partner.partnerId, 'owner');
  const order = async () => textOf((await owner.open(`/orders/${reward.id}`)).html);
  const open = await order();
  t.regex(open, /Refund of \$20\.00 under review/);
  t.regex(open, /200 of the 499 points are taken back, and the customer keeps 299/);
  t.regex(open, /part \$20\.00 In review/);

  const { review } = await service.models.rewards.findById(reward.id).orFail();
  const path = `/admin/reviews/${review?.reviewId}`;
  const sue = await operatorBrowser(portal, 'support');
  await sue.open(path);
  await sue.submit(`${path}/decide`, { because: 'DISMISS REFUND_IN_ERROR', reason: '' });
  const dismissed = await order();
  t.regex(dismissed, /Order amount \$49\.90 \$20\.00 reported as refunded, none of which counts/);
  t.regex(dismissed, /part \$20\.00 Dismissed: the customer keeps the points/);
  t.notRegex(dismissed, /Not refunded/);
});

test('a reward waiting for funds says that it is not ready, and can be claimed once funded', async (t) => {
  const { reward, token } = await withWindow('P30D', { mode: 'LIVE', fundingCents: 1 });
  await eventually(
    async () => (await service.rewardOf(reward.id)).state === 'AWAITING_FUNDING',
    'the reward is waiting for funds',
  );
  const { status, text, html } = await page(token);
  t.is(status, 200);
  t.regex(text, /Almost ready.*still preparing your 499 points.*You will get a message/);
  t.notRegex(html, /<form/);
  t.notRegex(text, /TEST/);
  const pressed = await browser().ask('POST', `/claim/${token}`);
  t.is(pressed.status, 409);
  t.regex(textOf(pressed.html), /Almost ready/);
  t.like((await claim(token)).body.error, { code: 'REWARD_NOT_CLAIMABLE' });
});

/** A link of a purchase that has not begun, as of a partner that delivers its links itself. */
async function notBegun(from: PartnerBackend) {
  const { reward } = await rewarded(from);
  await service.rewardOf(reward.id);
  const { models, sealer } = service;
  const event = await models.orderEvents.findOne({ rewardId: reward.id }).orFail();
  const [token, _id, rewardId] = [newToken(), newId('event'), newId('reward')];
  await models.orderEvents.create({
    ...event,
    _id,
    purchaseEventId: _id,
    rewardId,
    externalOrderId: _id,
    idempotencyKeyHash: _id,
    workflowId: `of ${_id}`,
    sealed: sealer.seal(openEvent(sealer, event) ?? '', _id),
    purchase: { ...event.purchase, delivery: 'PARTNER', claimTokenHash: sha256Hex(token) },
    // As long as nobody starts its workflow.
    due: null,
  } as OrderEventDoc);
  return { token, rewardId };
}

test('a purchase that has not begun is begun by its claim', async (t) => {
  const { token, rewardId } = await notBegun(
    await service.partner({ mode: 'LIVE', fundingCents: 5_000 }),
  );
  t.regex((await page(token)).html, /<form/);
  t.is(await service.models.rewards.findById(rewardId), null);
  const { status, body } = await claim(token);
  t.is(status, 200);
  t.like(body.reward, { status: 'AVAILABLE', customerStatus: 'CLAIMED' });
  const { moves } = await service.rewardOf(rewardId);
  t.deepEqual(
    moves.map(({ move }) => move),
    ['FUND', 'CLAIM'],
  );
});

test('a purchase that has not begun, and for which the funds do not suffice, waits for them after its claim', async (t) => {
  const poor = await service.partner({ mode: 'LIVE', fundingCents: 1 });
  const { token, rewardId } = await notBegun(poor);
  const { status, body } = await claim(token);
  t.is(status, 409);
  t.is(body.error.code, 'REWARD_NOT_CLAIMABLE');
  t.is((await service.rewardOf(rewardId)).state, 'AWAITING_FUNDING');
});

test('a claim is in time by the database’s clock, whatever that of the portal says', async (t) => {
  const now = () => Date.now() + 100 * 86_400_000;
  const { models, hashKey } = service;
  const commit = createCommit({ models, hashKey, now, patienceMs });
  const ahead = await startPortal(service, { now, commit });
  t.teardown(() => ahead.stop());
  const { token } = await rewarded();
  await new Browser(ahead, browsers).ask('POST', `/claim/${token}`);
  t.like((await open(token)).body.reward, { customerStatus: 'CLAIMED' });
});

test('nothing can be claimed during the partner’s suspension', async (t) => {
  const paused = await service.partner();
  const { token } = await rewarded(paused);
  const old = await rewarded(paused);
  await claim(old.token);
  const status = (to: string) =>
    service.models.partners.updateOne({ _id: paused.partnerId }, { $set: { status: to } });
  await status('SUSPENDED');
  t.regex((await page(token)).text, /Rewards are paused.*Claim by/);
  const pressed = await browser().ask('POST', `/claim/${token}`);
  t.is(pressed.status, 409);
  t.like((await claim(token)).body.error, { code: 'PARTNER_SUSPENDED' });
  t.regex((await page(old.token)).text, /points are yours/, 'a claimed reward stays claimed');
  await status('ACTIVE');
  t.is((await claim(token)).status, 200);
});

test('an unknown link says how to find the right one', async (t) => {
  for (const unknown of ['x', 'a'.repeat(43), '%00', '%F0%9F%8E%81', 'a%2Fb']) {
    const { status, text } = await page(unknown);
    t.is(status, 404, unknown);
    t.regex(
      text,
      /We don’t recognize this link .* Open the link from the email again.* request req_/,
    );
    t.notRegex(text, /Check again/);
  }
});

test('attempts at unknown links are limited per address; a real one always opens', async (t) => {
  const strict = await startPortal(service, {}, { unknownLinks: 3 });
  t.teardown(() => strict.stop());
  const { token } = await rewarded();
  const statuses: number[] = [];
  for (let guess = 0; guess < 4; guess++) {
    statuses.push((await new Browser(strict).open(`/claim/guess-${guess}`)).status);
  }
  t.deepEqual(statuses, [404, 404, 404, 429]);
  const { headers, html, status } = await new Browser(strict).ask('POST', '/claim/one-more');
  t.is(status, 429);
  t.true(Number(headers.get('retry-after')) > 0);
  t.regex(textOf(html), /Too many requests.*Too many invalid links.*open the link in your email/);
  t.is((await new Browser(strict).open(`/claim/${token}`)).status, 200);
});

test('help links to the shop’s support address, if it has one', async (t) => {
  const helpful = await service.partner({ partner: { supportEmail: 'help@shop.example' } });
  const { token } = await rewarded(helpful);
  await claim(token);
  t.regex((await page(token)).html, /href="mailto:help@shop.example"/);
});

test('a customer reads the language their browser prefers', async (t) => {
  const live = await service.partner({ mode: 'LIVE', fundingCents: 100_000 });
  const { reward, token } = await rewarded(live);
  await eventually(
    async () => (await service.rewardOf(reward.id)).state === 'FUNDED',
    'the reward is funded',
  );
  const asks: [accepted: string, language: string, words: RegExp][] = [
    ['de-AT,de;q=0.9,en;q=0.5', 'de', /499 Punkte für Ihren Einkauf.* Ihre Punkte sind 4,99/],
    ['fr;q=0.8,es;q=0.9', 'es', /499 puntos por su compra/],
    ['fr', 'fr', /499 points pour votre achat/],
    ['ja,en-GB;q=0.5', 'en', /499 points for your purchase.* Your points are worth \$4\.99\./],
    ['ja', 'en', /499 points for your purchase/],
  ];
  for (const [accepted, language, words] of asks) {
    const reader = new Browser(portal, { ...browsers, 'accept-language': accepted });
    const { html, headers } = await reader.open(`/claim/${token}`);
    t.true(html.includes(`<html lang="${language}">`), accepted);
    t.regex(textOf(html).replaceAll('\u00a0', ' '), words);
    t.regex(headers.get('vary') ?? '', /Accept-Language/);
    const unknown = await reader.open('/claim/nobody');
    t.true(unknown.html.includes(`<html lang="${language}">`));
  }
});

test('a customer changes the language on the page, and it persists', async (t) => {
  const { token, reward } = await rewarded();
  const path = `/claim/${token}`;
  const customer = browser();
  const { html } = await customer.open(path);
  t.regex(
    html,
    /<nav class="languages" aria-label="Language">.*<a href="\?language=fr" lang="fr"/s,
  );
  const french = await customer.open(`${path}?language=fr`);
  t.regex(french.html, /<html lang="fr">/);
  t.true(french.html.includes(`action="${path}?language=fr"`));
  t.true(french.html.includes(`href="${path}/points?language=fr"`));
  const claimed = await customer.submit(`${path}?language=fr`, {});
  t.regex(textOf(claimed.html), /499 points sont à vous/);
  t.is((await service.rewardOf(reward.id)).claimLanguage, 'fr');
});

test('every page for customers says whom to ask, even for unknown links', async (t) => {
  const { token } = await rewarded();
  for (const path of [`/claim/${token}`, `/claim/${token}/points`]) {
    t.regex(textOf((await browser().open(path)).html), /Questions\? Contact Corner Shop\./, path);
  }
  for (const path of ['/claim/unknown', `/points/${'a'.repeat(43)}`]) {
    t.regex(textOf((await browser().open(path)).html), /Questions\? Contact the shop/, path);
  }
});

test('a claim stores the language of the browser, if it sends one', async (t) => {
  const claimedBy = async (asking: Record<string, string>) => {
    const { reward, token } = await rewarded();
    const reader = new Browser(portal, { ...browsers, ...asking });
    await reader.open(`/claim/${token}`);
    await reader.submit(`/claim/${token}`, {});
    const { state, claimLanguage } = await service.rewardOf(reward.id);
    return [state, claimLanguage];
  };
  t.deepEqual(await claimedBy({ 'accept-language': 'fr-CA' }), ['AVAILABLE', 'fr']);
  t.deepEqual(await claimedBy({}), ['AVAILABLE', undefined]);
});

test('signed-in users see a link’s page as customers do', async (t) => {
  const { token } = await rewarded();
  const admin = await operatorBrowser(portal);
  const { html } = await admin.open(`/claim/${token}`);
  t.is(html, (await browser().open(`/claim/${token}`)).html);
});

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const rows: [leftMs: number, text: string][] = [
  [1, 'in less than a minute'],
  [minuteMs - 1, 'in less than a minute'],
  [minuteMs, 'in 1 minute'],
  [90 * minuteMs, 'in 90 minutes'],
  [2 * hourMs, 'in 2 hours'],
  [36 * hourMs, 'in 36 hours'],
  [2 * dayMs, 'in 2 days'],
  [13 * dayMs - 1, 'in 12 days'],
  [365 * dayMs, 'in 365 days'],
  [5 * 366 * dayMs, 'in 5 years'],
];

for (const [leftMs, text] of rows) {
  test(`${leftMs} ms are ${text}`, (t) => {
    t.is(timeLeft(leftMs, 'en', 'in less than a minute'), text);
  });
}

const roughly: [awayMs: number, text: string][] = [
  [0, 'now'],
  [minuteMs / 2 - 1, 'now'],
  [minuteMs / 2, 'in 1 min'],
  [29 * minuteMs, 'in 29 min'],
  [30 * minuteMs, 'in 1 h'],
  [89 * minuteMs, 'in 1 h'],
  [90 * minuteMs, 'in 2 h'],
  [12 * hourMs - minuteMs, 'in 12 h'],
  [12 * hourMs, 'in 1 d'],
  [3 * dayMs - hourMs, 'in 3 d'],
  [3 * dayMs + 11 * hourMs, 'in 3 d'],
  [3 * dayMs + 12 * hourMs, 'in 4 d'],
  [-5 * minuteMs, '5 min ago'],
  [-(3 * dayMs - hourMs), '3 d ago'],
];

for (const [awayMs, text] of roughly) {
  test(`roughly, ${awayMs} ms are ${text}`, (t) => {
    const nowMs = Date.UTC(2026, 2, 24);
    t.is(away(new Date(nowMs + awayMs), nowMs), text);
  });
}
