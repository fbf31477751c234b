import test from 'ava';
import { PartnerClient } from '../../clients/typescript/index.ts';
import { profileOf } from '../../dev/go-live.ts';
import type { Mode } from '../../domain/mode.ts';
import { findActiveRules } from '../../models/rewards/rules.ts';
import { eraseUpTo } from '../../operations/customers.ts';
import { approveGoLive, returnGoLive } from '../../operations/go-live.ts';
import { createPartner } from '../../operations/partners.ts';
import { avoidMidnight } from '../helpers/avoid-midnight.ts';
import { eventually } from '../helpers/eventually.ts';
import { topUpAsOperator } from '../helpers/ledger-operations.ts';
import { makeLive } from '../helpers/live-partner.ts';
import { operate } from '../helpers/operate.ts';
import { type Service, startService } from '../helpers/service.ts';
import { type Browser, textOf } from './helpers/browser.ts';
import { operatorBrowser, partnerBrowser } from './helpers/people.ts';
import { startPortal, type TestPortal } from './helpers/portal.ts';
import { storeReview } from './helpers/stored.ts';

let service: Service;
let portal: TestPortal;

const newPartner = async (name = 'Corner Shop'): Promise<string> =>
  (await operate(portal.deps, createPartner, { name }))._id;

/** The text of the card with the next step. */
const nextIn = (html: string): string =>
  textOf(/<section class="card next[^>]*>(.*?)<\/section>/s.exec(html)?.[1] ?? '').trim();

/** The steps on a page: title, state and links to evidence. */
const stepsIn = (html: string) =>
  [...html.matchAll(/<li class="step step-(\w+)">(.*?)<\/li>/gs)].map(([, state, inside = '']) => ({
    title: textOf(/step-title">([^<]*)</.exec(inside)?.[1] ?? '').trim(),
    state,
    evidence: [
      ...(/step-evidence">(.*?)<\/p>/s.exec(inside)?.[1] ?? '').matchAll(/href="([^"]+)"/g),
    ].map(([, href]) => href),
  }));

const nextOf = async (browser: Browser): Promise<string> =>
  nextIn((await browser.open('/home')).html);

test('a new partner completes the eleven steps in the browser, and home always shows the next one', async (t) => {
  const partnerId = await newPartner();
  const owner = await partnerBrowser(portal, partnerId);
  t.regex(await nextOf(owner), /^Next Create an integration/);

  await owner.open('/integrations/new');
  const shown = await owner.submit('/integrations/new');
  t.regex(textOf(shown.html), /Your new TEST key .* This secret is shown once/);
  const [integrationId = ''] = await integrationIds(partnerId);
  const [key = ''] = /pk_test_[\w-]+/.exec(shown.html) ?? [];
  const [secret = ''] = /sk_test_[\w-]+/.exec(shown.html) ?? [];
  t.regex(
    nextIn(shown.html),
    /^Next Send a signed TEST purchase 3 of 10 steps done Send a TEST purchase Open test console$/,
  );
  t.regex(await nextOf(owner), /^Next Send a signed TEST purchase/);
  const [ruleId = ''] = await activeRuleIds(partnerId, 'TEST');

  const shop = new PartnerClient({ baseUrl: service.baseUrl, key, secret });
  const purchase = await shop.purchase({
    externalOrderId: 'A1',
    customer: { email: 'a@b.example' },
    order: { subtotalCents: 4_990 },
  });
  t.is(purchase.reward.points, 49);
  await service.rewardOf(purchase.reward.id);
  await eventually(
    async () => /^Next Send a matching refund/.test(await nextOf(owner)),
    'the purchase completes its step',
  );

  const refund = await shop.refund({ externalOrderId: 'A1' });
  await eventually(
    async () => /^Next Request go-live: complete profile/.test(await nextOf(owner)),
    'the refund reaches the reward',
  );
  t.deepEqual(
    stepsIn((await owner.open('/home')).html).map(({ title, state, evidence }) => [
      ...[title, state],
      ...evidence,
    ]),
    [
      ['Complete your company’s profile', 'to_do'],
      ['Choose language and logo', 'optional'],
      ['Create an integration', 'done', `/integrations/${integrationId}`],
      ['Generate a TEST API key', 'done', `/keys/${await keyId(partnerId)}`],
      ['Store the raw secret securely', 'done', `/keys/${await keyId(partnerId)}`],
      ['Create an earning rule', 'done', `/rules/${ruleId}`],
      ['Add test funding, if applicable', 'optional'],
      ['Send a signed TEST purchase', 'done', `/events/${purchase.eventId}`],
      ['Inspect the response', 'done', `/orders/${purchase.reward.id}`],
      ['Send a matching refund', 'done', `/events/${refund.eventId}`],
      ['Verify the integration', 'done', `/orders/${purchase.reward.id}`],
      ['Request go-live', 'next'],
      ['Generate LIVE credentials', 'locked'],
    ],
  );

  const needed = textOf((await owner.open('/home')).html);
  t.regex(
    needed,
    /Still missing: Complete profile\. .*LIVE funding\. .*at least \$100\.00 is required/,
  );
  t.regex(
    textOf((await owner.open('/funding/how-to-pay')).html),
    /Go-live requires at least \$100\.00/,
  );
  await owner.open('/profile');
  const profile = {
    legalName: 'Corner Shop Ltd',
    website: 'https://shop.example',
    country: 'US',
    contactEmail: 'owner@shop.example',
    supportEmail: 'help@shop.example',
  };
  await owner.submit('/profile/edit', profile);
  t.regex(textOf(owner.shown?.html ?? ''), /Your country has several: choose one\./);
  await owner.submit('/profile/edit', { ...profile, timeZone: 'America/Chicago' });
  t.regex(textOf(owner.shown?.html ?? ''), /Verify the contact email now/);
  t.regex(await nextOf(owner), /^Next Request go-live: LIVE funding .* Use this reference/);
  await owner.post('/go-live', { rule: ruleId });
  t.deepEqual(await activeRuleIds(partnerId, 'LIVE'), [], 'a refused request promotes no rule');
  await topUpAsOperator(service, { mode: 'LIVE', partnerId }, 10_000);
  t.regex(
    await nextOf(owner),
    /^Next Request go-live Everything is complete.*activates this rule in LIVE.*1 point for every \$1\.00/,
  );
  const changed = await owner.post('/go-live', { rule: 'rul_another' });
  t.regex(textOf(changed.html), /Your TEST rules have changed\. Check them, then request again\./);
  t.deepEqual(await activeRuleIds(partnerId, 'LIVE'), [], 'only a rule that was shown is promoted');
  await service.models.partners.updateOne({ _id: partnerId }, { status: 'SUSPENDED' });
  await owner.post('/go-live', { rule: ruleId });
  t.deepEqual(await activeRuleIds(partnerId, 'LIVE'), [], 'a suspended partner’s is not');
  await service.models.partners.updateOne({ _id: partnerId }, { status: 'ACTIVE' });

  const users = await service.models.users.find({ partnerId }).distinct('_id');
  const givenAt = (secondFactorAt: Date) =>
    service.models.sessions.updateMany({ userId: { $in: users } }, { secondFactorAt });
  await givenAt(new Date(Date.now() - 16 * 60_000));
  await owner.open('/home');
  t.regex((await owner.submit('/go-live')).path, /^\/second-factor\b/);
  await givenAt(new Date());
  await owner.open('/home');
  await owner.submit('/go-live');
  t.regex(textOf(owner.shown?.html ?? ''), /Go-live requested/);
  t.is((await activeRuleIds(partnerId, 'LIVE')).length, 1);
  t.regex(await nextOf(owner), /^In review/);

  await operate(portal.deps, approveGoLive, { partnerId });
  t.regex(await nextOf(owner), /^Next Generate LIVE credentials/);
  await owner.open('/home');
  const live = await owner.submit('/keys/new');
  t.regex(live.html, /sk_live_/);
  const home = await owner.open('/home');
  t.is(nextIn(home.html), '');
  t.deepEqual(stepsIn(home.html), [], 'the steps are needed no more');
});

const integrationIds = async (partnerId: string): Promise<string[]> =>
  (await service.models.integrations.find({ partnerId })).map(({ _id }) => _id);

const activeRuleIds = async (partnerId: string, mode: Mode): Promise<string[]> =>
  (await findActiveRules(service.models, partnerId, mode)).map((rule) => rule.ruleId);

const keyId = async (partnerId: string): Promise<string> =>
  (await service.models.credentials.findOne({ partnerId, mode: 'TEST' }).orFail())._id;

test('the country that is chosen first sets the currency of the rule, and only an owner is asked', async (t) => {
  const partnerId = await newPartner();
  const developer = await partnerBrowser(portal, partnerId, 'developer');
  t.false((await developer.open('/integrations/new')).html.includes('name="country"'));
  await developer.post('/integrations/new', { name: 'Till', country: 'JP' });
  const countryOf = async () => {
    const { country, currency } = await service.models.partners.findById(partnerId).orFail();
    return [country, currency];
  };
  t.deepEqual(await countryOf(), [null, 'USD']);

  const otherId = await newPartner('Other Shop');
  const owner = await partnerBrowser(portal, otherId);
  await owner.open('/integrations/new');
  await owner.submit('/integrations/new', { country: 'GB' });
  const [rule] = await findActiveRules(service.models, otherId, 'TEST');
  t.is(rule?.currency, 'GBP');
  t.false((await owner.open('/integrations/new')).html.includes('name="country"'));
  t.regex((await owner.open('/profile')).html, /value="GB" selected/);
});

test('an operator’s new partner has the currency of its country', async (t) => {
  const operator = await operatorBrowser(portal);
  await operator.open('/admin/partners/new');
  const { path } = await operator.submit('/admin/partners/new', { name: 'Tokyo', country: 'JP' });
  const partnerId = path.split('/').at(-1) ?? '';
  t.is((await service.models.partners.findById(partnerId).orFail()).currency, 'JPY');
});

test('home has four stages, of which those are open that something can be done in', async (t) => {
  const partnerId = await newPartner();
  const owner = await partnerBrowser(portal, partnerId);
  const { html } = await owner.open('/home');
  const stages = [
    ...html.matchAll(
      /<details class="stage" *(open)?[^>]*><summary><h3>(.*?)<\/h3> (.*?)<\/summary>/g,
    ),
  ].map(([, open, title, words = '']) => [title, open === 'open', textOf(words).trim()]);
  t.deepEqual(stages, [
    ['1. Company', true, '0 of 1 done'],
    ['2. Integration', true, '0 of 4 done'],
    ['3. TEST evidence', false, '0 of 4 done'],
    ['4. Go live', false, '0 of 2 done'],
  ]);
  t.regex(html, /<a href="\/branding">Choose, with a preview<\/a>/);
  const invited = await owner.submit('/team/invite', { email: `dev-${partnerId}@shop.example` });
  t.regex(textOf(invited.html), /invitation to dev-\S+ is on its way.*Developer/);
  const viewer = await partnerBrowser(portal, partnerId, 'viewer');
  t.notRegex((await viewer.open('/home')).html, /Invite your developer/);
});

test('a new partner’s messages are in the language of its country', async (t) => {
  const german = await operate(portal.deps, createPartner, { name: 'Laden', country: 'DE' });
  t.is(german.branding?.language, 'de');
  const american = await operate(portal.deps, createPartner, { name: 'Shop' });
  t.is(american.branding, undefined);
});

test('a user without the permission for the next step reads who has it', async (t) => {
  const viewer = await partnerBrowser(portal, await newPartner(), 'viewer');
  t.regex(await nextOf(viewer), /Ask someone else on your team/);
});

test('with items missing, home names them and the fix, and refuses the request', async (t) => {
  const partnerId = await newPartner();
  const owner = await partnerBrowser(portal, partnerId);
  const { html } = await owner.open('/home');
  t.regex(
    textOf(html),
    /Fill in: Legal name, Country, Time zone, Contact email, Support email, Website\./,
  );
  for (const href of ['/profile', '/rules/new?mode=TEST', '/funding/how-to-pay', '/console']) {
    t.true(html.includes(`href="${href}"`), href);
  }
  t.false(html.includes('action="/go-live"'));
  const { status } = await owner.post('/go-live');
  t.is(status, 409);
  const { goLive } = await service.models.partners.findById(partnerId).orFail();
  t.is(goLive.state, 'SANDBOX');
});

test('a returned request shows the reviewer’s notes on home', async (t) => {
  const partnerId = await newPartner();
  await service.models.partners.updateOne(
    { _id: partnerId },
    { $set: { 'goLive.state': 'IN_REVIEW' } },
  );
  const reason = 'The website <b>does not</b> answer.';
  await operate(portal.deps, returnGoLive, { partnerId, reason });
  const owner = await partnerBrowser(portal, partnerId);
  const { html } = await owner.open('/home');
  t.regex(textOf(html), /Changes requested/);
  t.true(html.includes('The website &lt;b&gt;does not&lt;/b&gt; answer.'));
});

test('after go-live the profile form says which fields stay filled in, and which were reviewed', async (t) => {
  const { partnerId } = await service.partner({ partner: profileOf('Lasting Shop') });
  const owner = await partnerBrowser(portal, partnerId);
  await owner.open('/profile');
  const refused = await owner.submit('/profile/edit', {
    website: '',
    name: 'Renamed',
    country: 'ZZ',
  });
  t.is(refused.status, 422);
  for (const field of ['website', 'name', 'country']) {
    t.true(refused.html.includes(`id="${field}-error"`), `${field} has an error`);
  }
  t.regex(textOf(refused.html), /You are LIVE: this can’t be empty/);
  t.regex(textOf(refused.html), /this was reviewed/);
  await owner.open('/profile');
  t.is((await owner.submit('/profile/edit', { country: 'GB' })).status, 200);
});

test('the profile says which fields go-live still needs, and only an owner changes it', async (t) => {
  const partnerId = await newPartner();
  const developer = await partnerBrowser(portal, partnerId, 'developer');
  const { html } = await developer.open('/profile');
  t.regex(
    textOf(html),
    /Missing: Legal name, Country, Time zone, Contact email, Support email, Website\./,
  );
  t.false(html.includes('/profile/edit'));
  t.regex(textOf(html), /Country Missing/, 'nobody has chosen it');

  const owner = await partnerBrowser(portal, partnerId);
  await owner.open('/profile');
  const refused = await owner.submit('/profile/edit', {
    country: 'ZZ',
    website: 'javascript:alert(1)',
  });
  t.is(refused.status, 422);
  const text = textOf(refused.html);
  t.regex(text, /Choose a country\./);
  t.regex(text, /Georgia Germany Ghana/);
  t.regex(text, /Enter an address that begins with https/);
  t.true(refused.html.includes('value="javascript:alert(1)"'));
});

test('a LIVE partner’s home shows events, funds, usage and refusals', async (t) => {
  await avoidMidnight();
  const backend = await service.partner({ mode: 'LIVE', fundingCents: 100_000 });
  const { partnerId } = backend;
  const purchase = await backend.purchase();
  await service.rewardOf(purchase.body.reward.id);
  await backend.purchase({ externalOrderId: 'x' });
  await backend.changed({ secret: 'another' }).purchase();
  await service.flushed();
  const owner = await partnerBrowser(portal, partnerId);
  await eventually(async () => {
    const text = textOf((await owner.open('/home')).html);
    return /Points this period 499 .* Purchases 1 /.test(text);
  }, 'points and purchases are counted');
  const { html } = await owner.open('/home');
  const text = textOf(html);
  t.regex(text, /Available funding \$995\.01 Lasts \d+ days/);
  t.regex(text, /Refused today 2 /);
  t.regex(text, /This month .* Purchases 1 .* Points 499 .* Claim rate 0% .* Cost \$4\.99 /);
  t.regex(text, /Refused requests 2 last month: 0/);
  t.regex(
    text,
    /The signature does not match the request\. 1 .*A field is missing, unknown or not valid\. 1 /,
  );
  t.true(html.includes(`href="/orders/${purchase.body.reward.id}"`));
});

test('today’s refusals exclude TEST and yesterday', async (t) => {
  const backend = await service.partner({ mode: 'TEST' });
  await makeLive(service.models, backend.partnerId);
  await backend.purchase({});
  await service.flushed();
  const owner = await partnerBrowser(portal, backend.partnerId);
  t.regex(
    textOf((await owner.open('/home')).html),
    /Refused today 0 Every LIVE request was accepted/,
  );
});

test('a website that is not a web address is not a link', async (t) => {
  const website = 'javascript:alert(1)';
  const { partnerId } = await service.partner({ partner: { website } });
  const owner = await partnerBrowser(portal, partnerId);
  const operator = await operatorBrowser(portal);
  for (const { html } of [
    await owner.open('/profile'),
    await operator.open(`/admin/partners/${partnerId}`),
    await operator.open(`/admin/partners/${partnerId}/go-live`),
  ]) {
    t.true(html.includes(website));
    t.notRegex(html, /href="javascript:/);
  }
});

test.before(async () => {
  service = await startService();
  portal = await startPortal(service);
});

test.after.always(async () => {
  await portal?.stop();
  await service?.stop();
});

test('a question about a customer who was erased says that it needs no answer', async (t) => {
  const { partnerId } = await service.partner();
  const { review, reward } = await storeReview(portal, { partnerId, mark: 'Joan' });
  const path = `/admin/reviews/${review._id}`;
  const ada = await operatorBrowser(portal, 'support');
  await ada.open(path);
  await ada.submit(`${path}/ask`, { question: 'Did it come back?' });
  const { customerId } = reward;
  const erasure = { partnerId, customerId, reference: 'request 42' };
  await eraseUpTo({ models: service.models, now: Date.now }, erasure, new Date());
  const dora = await partnerBrowser(portal, partnerId, 'developer');
  const text = textOf((await dora.open(`/questions/${review._id}`)).html);
  t.regex(text, /Erased with the customer’s data\. An operator/);
  t.regex(text, /What was asked was erased with the customer’s data\. You need not answer/);
});

test('an operator asks, the partner answers, and both see it with times; the note stays with the operators', async (t) => {
  const { partnerId } = await service.partner();
  const { review } = await storeReview(portal, { partnerId, mark: 'Jane' });
  const path = `/admin/reviews/${review._id}`;
  const ada = await operatorBrowser(portal, 'support');
  await ada.open(path);
  await ada.submit(`${path}/notes`, { text: 'I do not trust them' });
  t.regex(textOf((await ada.submit(`${path}/ask`, { question: ' ' })).html), /Enter some text/);
  await ada.submit(`${path}/ask`, { question: 'Did <it> come back?' });

  const dora = await partnerBrowser(portal, partnerId, 'developer');
  const list = await dora.open('/questions?mode=TEST');
  t.regex(textOf(list.html), new RegExp(`${review.externalOrderId} .* Awaiting your answer`));
  const home = async () => textOf((await dora.open('/home?mode=TEST')).html);
  t.regex(await home(), /A question waits for your answer\. .* Answer it/);
  const asked = `/questions/${review._id}`;
  const shown = await dora.open(asked);
  t.regex(textOf(shown.html), /Did <it> come back\? An operator, \d/);
  t.notRegex(shown.html, /trust|An support/);
  t.regex(textOf((await dora.submit(asked, { text: '' })).html), /Enter some text/);
  const sent = await dora.submit(asked, { text: 'It did, on Monday' });
  t.regex(textOf(sent.html), /Answer sent.*It did, on Monday/);
  t.regex(textOf((await dora.open('/questions?mode=TEST')).html), /Answered/);

  t.notRegex(await home(), /question waits/);

  const answered = textOf((await ada.open(path)).html);
  t.regex(answered, /Did <it> come back\? Question to the partner by An support, \d/);
  t.regex(answered, /It did, on Monday Answer from the partner by /);

  const viewer = await partnerBrowser(portal, partnerId, 'viewer');
  const read = await viewer.open(asked);
  t.regex(textOf(read.html), /It did, on Monday/);
  t.notRegex(read.html, /Send answer/);

  await ada.submit(`${path}/decide`, { because: 'DISMISS GOODWILL' });
  const decided = await dora.open(asked);
  t.regex(textOf(decided.html), /The refund was dismissed/);
  t.notRegex(decided.html, /Send answer/);
});

test('without a question there is no page, and an answer is not stored', async (t) => {
  const { partnerId } = await service.partner();
  const { review } = await storeReview(portal, { partnerId, mark: 'Jane' });
  const dora = await partnerBrowser(portal, partnerId, 'developer');
  t.is((await dora.ask('GET', `/questions/${review._id}`)).status, 404);
  await dora.open('/account');
  const { status } = await dora.post(`/questions/${review._id}`, { text: 'unasked' });
  t.is(status, 404);
  t.is(await service.models.reviewNotes.countDocuments({ partnerId }), 0);
  t.regex(textOf((await dora.open('/questions')).html), /No questions/);
});
