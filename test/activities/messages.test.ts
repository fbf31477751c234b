import test from 'ava';
import type { ActivityDeps } from '../../activities/deps.ts';
import { createCustomerMessages, messageActivities } from '../../activities/messages.ts';
import { type Branding, defaultBranding } from '../../domain/branding.ts';
import { segmentsOf } from '../../domain/messages.ts';
import type { Mode } from '../../domain/mode.ts';
import type { RewardSnapshot } from '../../domain/reward.ts';
import { isMail, type Message } from '../../messaging/message.ts';
import { toSnapshot } from '../../models/rewards/snapshot.ts';
import { dailyMailQuotas, takeMailQuota } from '../../models/store/mail-quotas.ts';
import { eventually } from '../helpers/eventually.ts';
import { aPurchase } from '../helpers/partner-backend.ts';
import { type PartnerOverrides, type Service, startService } from '../helpers/service.ts';

let service: Service;
test.before(async () => {
  service = await startService();
});
test.after.always(() => service.stop());

const email = 'stranger@private.example';
const contactEmail = 'owner@shop.example';
const contact = { contactEmail, verifiedContactEmail: contactEmail };

/** The email with the claim link of a new purchase. */
async function claimMail(overrides: PartnerOverrides) {
  const partner = await service.partner(overrides);
  const { body } = await partner.purchase(aPurchase({ customer: { email } }));
  return await eventually(
    async () => service.mails.find(({ id }) => id === body.reward.id),
    'the email is sent',
  );
}

test('a TEST email to an unverified address stays in the outbox and says TEST', async (t) => {
  const mail = await claimMail({ mode: 'TEST' });
  t.true(mail.staysInOutbox);
  t.regex(mail.subject, /^\[TEST\] /);
});

test('a TEST email goes to the partner’s verified contact', async (t) => {
  const mail = await claimMail({ mode: 'TEST', partner: contact });
  t.falsy(mail.staysInOutbox);
  t.is(mail.to, contactEmail);
  t.regex(mail.subject, /^\[TEST\] /);
});

test('an unverified contact, or one changed since its verification, receives nothing', async (t) => {
  const neverVerified = { contactEmail };
  const changed = { contactEmail, verifiedContactEmail: 'another@shop.example' };
  for (const partner of [neverVerified, changed]) {
    const mail = await claimMail({ mode: 'TEST', partner });
    t.true(mail.staysInOutbox);
    t.not(mail.to, contactEmail);
  }
  const poor = await service.partner({ mode: 'LIVE', partner: neverVerified });
  const { body } = await poor.purchase();
  await eventually(
    async () => (await service.rewardOf(body.reward.id)).status === 'AWAITING_FUNDING',
    'the reward waits for funds',
  );
  t.false(service.mails.some(({ id }) => id === `awaiting-funding-${body.reward.id}`));
});

for (const scope of ['partner', 'address'] as const) {
  test(`a contact receives a limited number of TEST emails a day, counted by ${scope}; the rest stay in the outbox`, async (t) => {
    const to = `bounded-by-${scope}@shop.example`;
    const partner = { contactEmail: to, verifiedContactEmail: to };
    const first = await service.partner({ partner });
    // Another partner with the same contact, or the same partner with another contact, exhausts the quota.
    const taken =
      scope === 'address'
        ? { partnerId: (await service.partner({ partner })).partnerId, to }
        : { partnerId: first.partnerId, to: 'before@shop.example' };
    for (let mails = 0; mails < dailyMailQuotas.TEST; mails++) {
      t.truthy(await takeMailQuota(service.models, { kind: 'TEST', ...taken }, Date.now()));
    }
    const { body } = await first.purchase(aPurchase({ customer: { email } }));
    const mail = await eventually(
      async () => service.mails.find(({ id }) => id === body.reward.id),
      'the email is sent',
    );
    t.true(mail.staysInOutbox);
    // LIVE has its own quota, so TEST emails never keep a LIVE one from being sent.
    const live = { kind: 'LIVE', partnerId: first.partnerId, to } as const;
    t.truthy(await takeMailQuota(service.models, live, Date.now()));
  });
}

test('concurrent emails stay within the daily quota, and one that is not sent gives its place back', async (t) => {
  const mail = { kind: 'CODE', partnerId: 'prt_bound', to: 'bound@shop.example' } as const;
  const take = () => takeMailQuota(service.models, mail, Date.now());
  const taken = (await Promise.all(Array.from({ length: 3 * dailyMailQuotas.CODE }, take))).filter(
    (one) => one !== null,
  );
  t.true(taken.length <= dailyMailQuotas.CODE && taken.length > 0);
  while ((await take()) !== null);
  await taken[0]?.();
  t.truthy(await take());
  t.is(await take(), null);
});

test('a merchant’s older name that looks like a link is not a link in emails and text messages', async (t) => {
  const partner = { name: 'Win at https://evil.example/now' };
  const { subject, text } = await claimMail({
    mode: 'LIVE',
    fundingCents: 1_000_000,
    partner,
  });
  const message = await claimTextOf({ mode: 'LIVE', fundingCents: 1_000_000, partner });
  for (const one of [subject, text, message.text]) t.notRegex(one, /evil\.example|https:\/\/evil/);
  t.regex(subject, /Win at https evil example now/);
});

test('a LIVE email goes to the customer', async (t) => {
  const mail = await claimMail({
    mode: 'LIVE',
    fundingCents: 1_000_000,
    partner: contact,
  });
  t.falsy(mail.staysInOutbox);
  t.is(mail.to, email);
  t.notRegex(mail.subject, /TEST/);
});

const number = '+447400123456';

/** The text message with the claim link of a new purchase. */
async function claimTextOf(overrides: PartnerOverrides, customer: object = { phone: number }) {
  const partner = await service.partner(overrides);
  const { body } = await partner.purchase(aPurchase({ customer }));
  return await eventually(
    async () => service.texts.find(({ id }) => id === `text-${body.reward.id}`),
    'the text message is sent',
  );
}

test('a customer with only a phone number gets a text message whose link claims', async (t) => {
  const message = await claimTextOf({ mode: 'LIVE', fundingCents: 1_000_000 });
  t.falsy(message.staysInOutbox);
  t.is(message.to, number);
  t.notRegex(message.text, /TEST/);
  const [, token = ''] = /\/claim\/([\w-]+)$/.exec(message.text) ?? [];
  t.is((await service.claim(token)).body.reward.status, 'AVAILABLE');
});

test('a TEST text message stays in the outbox and says TEST', async (t) => {
  const message = await claimTextOf({ mode: 'TEST', partner: contact });
  t.true(message.staysInOutbox);
  t.regex(message.text, /^\[TEST\] /);
});

test('a customer with email and phone gets only an email', async (t) => {
  const partner = await service.partner();
  const { body } = await partner.purchase(aPurchase({ customer: { email, phone: number } }));
  const { id } = body.reward;
  await eventually(async () => service.mails.some((one) => one.id === id), 'the email is sent');
  await service.carriedOut(partner);
  t.false(service.texts.some((one) => one.id === `text-${id}`));
});

type Activities = ReturnType<typeof messageActivities>;

/** Sends a message about a funded reward. @returns the result, and the messages that were sent */
async function sentOf(
  customer: { email: string } | { phone: string },
  send: (activities: Activities, reward: RewardSnapshot) => Promise<string>,
  prepare: (eventId: string, reward: RewardSnapshot) => Promise<unknown> = async () => undefined,
  mode: Mode = 'LIVE',
) {
  const partner = await service.partner({
    mode,
    fundingCents: 1_000_000,
    partner: { supportEmail: 'help@shop.example' },
  });
  const { body } = await partner.purchase(aPurchase({ customer }));
  const { models, sealer } = service;
  const { id } = body.reward;
  await eventually(
    async () => (await service.rewardOf(id)).funded,
    'the funds of the reward are reserved',
  );
  const reward = toSnapshot(await service.rewardOf(id));
  await prepare(body.eventId, reward);
  const sent: Message[] = [];
  const keep = async (message: Message) => void sent.push(message);
  const deps = { models, sealer, sendMessage: keep, sendMessageAtOnce: keep } as ActivityDeps;
  const own = { ...deps, portalUrl: 'https://portal.example' };
  const activities = messageActivities(own, createCustomerMessages(own));
  return { outcome: await send(activities, reward), sent, reward };
}

const reminderOf = (
  customer: { email: string } | { phone: string },
  prepare?: (eventId: string) => Promise<unknown>,
) => sentOf(customer, ({ sendReminder }, reward) => sendReminder(reward), prepare);

test('a reminder repeats the link and says whom to ask for help', async (t) => {
  const { outcome, sent, reward } = await reminderOf({ email });
  t.is(outcome, 'SENT');
  const [mail, another] = sent;
  if (!mail || !isMail(mail)) return t.fail('the message should be an email');
  t.is(another, undefined);
  t.deepEqual([mail.id, mail.to], [`reminder-${reward.rewardId}`, email]);
  t.regex(mail.subject, /^\d+ points from .* expire soon$/);
  for (const body of [mail.text, mail.html]) {
    t.regex(body, /You have not claimed the 499 points .*Your points are worth \$4\.99\./);
    t.regex(body, /help@shop\.example/);
  }
  const [, token = ''] = /\/claim\/([\w-]+)/.exec(mail.text) ?? [];
  t.is((await service.claim(token)).body.reward.status, 'AVAILABLE');
});

const translations = {
  de: [/^499 Punkte warten bei Corner Shop auf Sie$/, /499 Punkte für Sie\. Bis .+ sichern: /],
  fr: [/^499 points vous attendent chez Corner Shop$/, /499 points pour vous, avant le /],
  es: [/^499 puntos de Corner Shop le esperan$/, /499 puntos para usted, antes del /],
} as const;

for (const language of ['de', 'fr', 'es'] as const) {
  test(`messages to customers are in the language that their partner chose: ${language}`, async (t) => {
    const partner = {
      branding: { language, timeZone: null, color: null, spendText: null, spendUrl: null },
    };
    const [subject, said] = translations[language];
    const mail = await claimMail({ mode: 'LIVE', fundingCents: 1_000_000, partner });
    t.regex(mail.subject, subject);
    t.true(mail.html.includes(`<html lang="${language}">`));
    // The link and the footer are in that language as well.
    t.notRegex(mail.text, /\b(points for|Claim|Anyone|your)\b/);
    const message = await claimTextOf({ mode: 'LIVE', fundingCents: 1_000_000, partner });
    t.regex(message.text, said);
    t.is(segmentsOf(message.text), 1);
  });
}

test('an email has the partner’s colour and says where points can be spent, linking only to their website', async (t) => {
  const branding: Branding = {
    language: 'en',
    timeZone: null,
    color: '#fa7a00',
    spendText: 'Spend them at any till.',
    spendUrl: 'https://books.example/points',
  };
  const live = { mode: 'LIVE', fundingCents: 1_000_000 } as const;
  const mail = await claimMail({
    ...live,
    partner: { branding, website: 'https://www.books.example' },
  });
  t.regex(mail.html, /background-color:#fa7a00.*color:#000000/);
  for (const body of [mail.text, mail.html]) t.regex(body, /Spend them at any till\./);
  t.regex(mail.text, /Where to spend your points: https:\/\/books\.example\/points\n/);
  const moved = await claimMail({
    ...live,
    partner: { branding, website: 'https://other.example' },
  });
  t.notRegex(moved.text, /books\.example/);
});

test('replies to customers’ emails go to the support address once it is verified', async (t) => {
  const live = { mode: 'LIVE', fundingCents: 1_000_000 } as const;
  const replyTo = async (partner: PartnerOverrides['partner']) =>
    (await claimMail({ ...live, partner: { ...contact, ...partner } })).replyTo;
  t.is(await replyTo({ supportEmail: contactEmail }), contactEmail);
  const supportEmail = 'help@shop.example';
  t.is(await replyTo({ supportEmail }), undefined);
  t.is(await replyTo({ supportEmail, verifiedSupportEmail: 'old@shop.example' }), undefined);
  t.is(await replyTo({ supportEmail, verifiedSupportEmail: supportEmail }), supportEmail);
  const unproven = { supportEmail: contactEmail, verifiedContactEmail: null };
  t.is(await replyTo(unproven), undefined);
});

test('a customer with only a phone number is reminded by text message', async (t) => {
  const { sent } = await reminderOf({ phone: number });
  t.deepEqual(
    sent.map(({ channel, to }) => [channel, to]),
    [['SMS', number]],
  );
});

const takenBack = ({ sendTakenBack }: Activities, reward: RewardSnapshot) => sendTakenBack(reward);
const setClaimLanguage = (_eventId: string, { partnerId, rewardId }: RewardSnapshot) =>
  service.models.rewards.updateOne({ partnerId, _id: rewardId }, { claimLanguage: 'fr' });

test('an email tells the customer that points were taken back, in the language of the claim', async (t) => {
  const { outcome, sent, reward } = await sentOf({ email }, takenBack, setClaimLanguage);
  const [mail] = sent;
  t.deepEqual([outcome, sent.length], ['SENT', 1]);
  if (!mail || !isMail(mail)) return t.fail('the message should be an email');
  t.deepEqual([mail.id, mail.to], [`taken-back-${reward.rewardId}`, email]);
  t.is(mail.subject, '499 points de Corner Shop ont été retirés');
  for (const body of [mail.text, mail.html]) {
    t.regex(body, /Votre achat chez Corner Shop a été remboursé ou annulé/);
    t.regex(body, /help@shop\.example/);
    t.notRegex(body, /\/claim\//);
  }
});

test('a customer who claimed before is written to in the language of their last claim in that mode', async (t) => {
  const customer = { email: 'returning@mail.example' };
  const partner = await service.partner({
    mode: 'LIVE',
    fundingCents: 1_000_000,
    partner: { branding: { ...defaultBranding, language: 'es' } },
  });
  const subjectOf = async () => {
    const { body } = await partner.purchase(aPurchase({ customer }));
    const mail = await eventually(
      async () => service.mails.find(({ id }) => id === body.reward.id),
      'the email is sent',
    );
    const claimedIn = (claimLanguage: string) =>
      service.models.rewards.updateOne({ _id: body.reward.id }, { claimLanguage });
    return { subject: mail.subject, claimedIn };
  };
  const first = await subjectOf();
  t.regex(first.subject, /puntos/);
  await first.claimedIn('de');
  t.regex((await subjectOf()).subject, /Punkte/);
  const third = await subjectOf();
  await third.claimedIn('fr');
  t.regex((await subjectOf()).subject, /points vous attendent/);
  await service.models.rewards.updateMany({ partnerId: partner.partnerId }, { mode: 'TEST' });
  t.regex((await subjectOf()).subject, /puntos/);
});

test('points taken back are announced in a text message of one segment, and in TEST only to the outbox', async (t) => {
  const [live, trial] = await Promise.all([
    sentOf({ phone: number }, takenBack, setClaimLanguage),
    sentOf({ phone: number }, takenBack, undefined, 'TEST'),
  ]);
  const [message] = live.sent;
  t.is(message?.to, number);
  t.regex(message?.text ?? '', /^Corner Shop: votre achat .* 499 points ont été retirés\.$/);
  t.is(segmentsOf(message?.text ?? ''), 1);
  t.like(trial.sent[0], { staysInOutbox: true });
  t.regex(trial.sent[0]?.text ?? '', /^\[TEST\] Corner Shop: your purchase was refunded/);
});

test('no message about points taken back is sent after an erasure', async (t) => {
  const { outcome, sent } = await sentOf({ email }, takenBack, (_eventId, { partnerId }) =>
    service.models.dataKeys.deleteMany({ partnerId }),
  );
  t.deepEqual([outcome, sent.length], ['NOBODY', 0]);
});

test('a partner that delivers the links also sends the reminders', async (t) => {
  const { outcome, sent } = await reminderOf({ email }, (_id) =>
    service.models.orderEvents.updateOne({ _id }, { $set: { 'purchase.delivery': 'PARTNER' } }),
  );
  t.deepEqual([outcome, sent.length], ['NOBODY', 0]);
});

test('a number that cannot receive text messages is noted on the reward once, and nothing is sent', async (t) => {
  const partner = await service.partner();
  const { body } = await partner.purchase(aPurchase({ customer: { phone: '+442079460000' } }));
  const { id } = body.reward;
  const undelivered = await eventually(
    async () => (await service.rewardOf(id)).undelivered,
    'the reward records the failed delivery',
  );
  t.like(undelivered[0], { channel: 'SMS', reason: 'NOT_TEXTABLE' });
  t.is(undelivered.length, 1);
  t.false(service.texts.some((one) => one.id === `text-${id}`));
});
