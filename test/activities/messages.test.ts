import test from 'ava';
import type { ActivityDeps } from '../../activities/deps.ts';
import {
  createCustomerMessages,
  messageActivities,
  sendToCustomer,
} from '../../activities/messages.ts';
import { pointsLinkActivities } from '../../activities/points-links.ts';
import { calendarMonth } from '../../domain/billing.ts';
import { type Branding, defaultBranding } from '../../domain/branding.ts';
import { pointsLinkMs } from '../../domain/customer.ts';
import type { Language } from '../../domain/languages.ts';
import { type Channel, channels, segmentsOf } from '../../domain/messages.ts';
import type { Mode } from '../../domain/mode.ts';
import type { RewardSnapshot } from '../../domain/reward.ts';
import { isMail, type Mail, type Message, UnreachableError } from '../../messaging/message.ts';
import { toSnapshot } from '../../models/rewards/snapshot.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import { dailyMailQuotas, takeMailQuota } from '../../models/store/mail-quotas.ts';
import { createPartner } from '../../operations/partners.ts';
import { sha256Hex } from '../../platform/hashing.ts';
import { newId } from '../../platform/ids.ts';
import { avoidMidnight } from '../helpers/avoid-midnight.ts';
import { eventually } from '../helpers/eventually.ts';
import { operate } from '../helpers/operate.ts';
import { aPurchase } from '../helpers/partner-backend.ts';
import { asActivity, type Database, openDatabase } from '../helpers/processes.ts';
import { type PartnerOverrides, type Service, startService } from '../helpers/service.ts';
import { type CustomerContact, email, landline, phone, setContact } from './helpers/set-contact.ts';
import { at, openStage } from './helpers/stage.ts';

let service: Service;

const emailOfMessages = 'stranger@private.example';
const contactEmail = 'owner@shop.example';
const contact = { contactEmail, verifiedContactEmail: contactEmail };

/** The email with the claim link of a new purchase. */
async function claimMail(overrides: PartnerOverrides) {
  const partner = await service.partner(overrides);
  const { body } = await partner.purchase(aPurchase({ customer: { email: emailOfMessages } }));
  return await eventually(
    async () => service.mails.find(({ id }) => id === body.reward.id),
    'the email is sent',
  );
}

test('a TEST email to an unverified address stays in the message folder and says TEST', async (t) => {
  const mail = await claimMail({ mode: 'TEST' });
  t.true(mail.staysInFolder);
  t.regex(mail.subject, /^\[TEST\] /);
});

test('a TEST email goes to the partner’s verified contact', async (t) => {
  const mail = await claimMail({ mode: 'TEST', partner: contact });
  t.falsy(mail.staysInFolder);
  t.is(mail.to, contactEmail);
  t.regex(mail.subject, /^\[TEST\] /);
});

test('an unverified contact, or one changed since its verification, receives nothing', async (t) => {
  const neverVerified = { contactEmail };
  const changed = { contactEmail, verifiedContactEmail: 'another@shop.example' };
  for (const partner of [neverVerified, changed]) {
    const mail = await claimMail({ mode: 'TEST', partner });
    t.true(mail.staysInFolder);
    t.not(mail.to, contactEmail);
  }
  const poor = await service.partner({ mode: 'LIVE', partner: neverVerified });
  const { body } = await poor.purchase();
  await eventually(
    async () => (await service.rewardOf(body.reward.id)).state === 'AWAITING_FUNDING',
    'the reward waits for funds',
  );
  t.false(service.mails.some(({ id }) => id === `awaiting-funding-${body.reward.id}`));
});

for (const scope of ['partner', 'address'] as const) {
  test(`a contact receives a limited number of TEST emails a day, counted by ${scope}; the rest stay in the message folder`, async (t) => {
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
    const { body } = await first.purchase(aPurchase({ customer: { email: emailOfMessages } }));
    const mail = await eventually(
      async () => service.mails.find(({ id }) => id === body.reward.id),
      'the email is sent',
    );
    t.true(mail.staysInFolder);
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
  t.falsy(mail.staysInFolder);
  t.is(mail.to, emailOfMessages);
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
  t.falsy(message.staysInFolder);
  t.is(message.to, number);
  t.notRegex(message.text, /TEST/);
  const [, token = ''] = /\/claim\/([\w-]+)$/.exec(message.text) ?? [];
  t.is((await service.claim(token)).body.reward.status, 'AVAILABLE');
});

test('a TEST text message stays in the message folder and says TEST', async (t) => {
  const message = await claimTextOf({ mode: 'TEST', partner: contact });
  t.true(message.staysInFolder);
  t.regex(message.text, /^\[TEST\] /);
});

test('a customer with email and phone gets only an email', async (t) => {
  const partner = await service.partner();
  const { body } = await partner.purchase(
    aPurchase({ customer: { email: emailOfMessages, phone: number } }),
  );
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
    async () => (await service.rewardOf(id)).state === 'FUNDED',
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
  const { outcome, sent, reward } = await reminderOf({ email: emailOfMessages });
  t.is(outcome, 'SENT');
  const [mail, another] = sent;
  if (!mail || !isMail(mail)) return t.fail('the message should be an email');
  t.is(another, undefined);
  t.deepEqual([mail.id, mail.to], [`reminder-${reward.rewardId}`, emailOfMessages]);
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
  const { outcome, sent, reward } = await sentOf(
    { email: emailOfMessages },
    takenBack,
    setClaimLanguage,
  );
  const [mail] = sent;
  t.deepEqual([outcome, sent.length], ['SENT', 1]);
  if (!mail || !isMail(mail)) return t.fail('the message should be an email');
  t.deepEqual([mail.id, mail.to], [`taken-back-${reward.rewardId}`, emailOfMessages]);
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

test('points taken back are announced in a text message of one segment, and in TEST only to the message folder', async (t) => {
  const [live, trial] = await Promise.all([
    sentOf({ phone: number }, takenBack, setClaimLanguage),
    sentOf({ phone: number }, takenBack, undefined, 'TEST'),
  ]);
  const [message] = live.sent;
  t.is(message?.to, number);
  t.regex(message?.text ?? '', /^Corner Shop: votre achat .* 499 points ont été retirés\.$/);
  t.is(segmentsOf(message?.text ?? ''), 1);
  t.like(trial.sent[0], { staysInFolder: true });
  t.regex(trial.sent[0]?.text ?? '', /^\[TEST\] Corner Shop: your purchase was refunded/);
});

test('no message about points taken back is sent after an erasure', async (t) => {
  const { outcome, sent } = await sentOf(
    { email: emailOfMessages },
    takenBack,
    (_eventId, { partnerId }) =>
      service.models.orderEvents.updateMany({ partnerId }, { $set: { sealed: null } }),
  );
  t.deepEqual([outcome, sent.length], ['NOBODY', 0]);
});

test('a partner that delivers the links also sends the reminders', async (t) => {
  const { outcome, sent } = await reminderOf({ email: emailOfMessages }, (_id) =>
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

let database: Database;

type Failures = Partial<Record<Channel, Error>>;

/** A funded LIVE reward of a customer, and the messages about it. */
async function rewarded(contact: CustomerContact, { failures = {} }: { failures?: Failures } = {}) {
  const { models, sealer } = database;
  const stage = await openStage(database);
  await stage.fund(1_000);
  await stage.rule();
  const ref = await stage.report(stage.purchase());
  const reward = await stage.begin(ref);
  await setContact(database, ref, contact);
  // To the contact that the purchase gave.
  await models.rewards.updateOne({ _id: reward.rewardId }, { $unset: { sent: 1 } });
  const sent: Message[] = [];
  const atOnce: Message[] = [];
  const keepIn = (kept: Message[]) => async (message: Message) => {
    const failure = failures[isMail(message) ? 'EMAIL' : 'SMS'];
    if (failure) throw failure;
    kept.push(message);
  };
  const deps = {
    models,
    sealer,
    portalUrl: 'https://portal.example',
    sendMessage: keepIn(sent),
    sendMessageAtOnce: keepIn(atOnce),
  } as ActivityDeps;
  const messages = createCustomerMessages(deps);
  const stored = () => models.rewards.findOne({ _id: reward.rewardId }).orFail();
  const activities = messageActivities(deps, messages);
  return { reward, sent, atOnce, messages, activities, stored };
}

const away = new Error('away');
const unreachable = new UnreachableError('550');
const toOf = (messages: Message[]) => messages.map(({ to }) => to).toSorted();

const recipients: [title: string, contact: CustomerContact, to: string[]][] = [
  ['an email address', { email, phone: null }, [email]],
  ['a phone number', { email: null, phone }, [phone]],
  ['both', { email, phone }, [email]],
  ['a landline', { email: null, phone: landline }, []],
  ['neither', { email: null, phone: null }, []],
];
for (const [title, contact, to] of recipients) {
  test(`the claim link goes at once to a customer with ${title}`, async (t) => {
    const { messages, reward, atOnce, sent } = await rewarded(contact);
    t.true(await messages.trySend(reward));
    t.deepEqual(toOf(atOnce), to);
    t.deepEqual(sent, []);
    for (const message of atOnce) {
      t.is(message.purchaseEventId, reward.purchaseEventId);
      t.true(message.text.includes('https://portal.example/claim/token'));
    }
  });
}

const contacts: Record<Channel, CustomerContact> = {
  EMAIL: { email, phone: null },
  SMS: { email: null, phone },
};

for (const channel of channels) {
  const contact = contacts[channel];
  const to = channel === 'EMAIL' ? email : phone;

  test(`the reward records a message that was sent, once however often it is repeated: ${channel}`, async (t) => {
    const { messages, activities, reward, stored, sent: later, atOnce } = await rewarded(contact);
    for (let again = 0; again < 2; again++) t.true(await messages.trySend(reward));
    t.is(await activities.sendClaimLink(reward), 'SENT');
    const { sent = [] } = await stored();
    const offers = sent.filter((one) => one.channel === channel && one.reason === 'OFFER');
    t.is(offers.length, 1);
    t.deepEqual([atOnce.length, later.length], [1, 0]);
  });

  test(`what was told is not told again by a new run of the workflow: ${channel}`, async (t) => {
    const { activities, reward, sent } = await rewarded(contact);
    const review = { reviewId: 'rev_1', openedAt: at, dueMs: 1 };
    const upheld = { ...reward, review, takenBackPoints: 100 };
    for (const _ of ['first run', 'second run']) {
      t.is(await activities.sendTakenBack(upheld), 'SENT');
      t.is(await activities.sendReminder(reward), 'SENT');
    }
    t.is(sent.length, 2);
    const another = { ...upheld, review: { ...review, reviewId: 'rev_2' } };
    t.is(await activities.sendTakenBack(another), 'SENT');
    t.is(sent.length, 3);
  });

  test(`the claim link is still to be sent if the gateway is away: ${channel}`, async (t) => {
    const { messages, reward, stored } = await rewarded(contact, { failures: { [channel]: away } });
    t.false(await messages.trySend(reward));
    t.deepEqual((await stored()).undelivered ?? [], []);
  });

  test(`the claim link is not sent again if the customer does not exist there: ${channel}`, async (t) => {
    const failures = { [channel]: unreachable };
    const { messages, reward, stored } = await rewarded(contact, { failures });
    t.true(await messages.trySend(reward));
    const { undelivered = [] } = await stored();
    t.like(undelivered, [{ channel, reason: 'REFUSED' }]);
    for (const { at } of undelivered) t.true(Math.abs(at.getTime() - Date.now()) < 60_000);
  });

  test(`a customer gets so many messages a day, and no more: ${channel}`, async (t) => {
    await avoidMidnight();
    const { activities, reward, sent, stored } = await rewarded(contact);
    // The first was sent when the reward began.
    const sendAgain = () => activities.sendClaimLinkAgain({ id: newId('message'), ...reward });
    for (let nth = 1; nth < dailyMailQuotas.CUSTOMER; nth++) t.is(await sendAgain(), 'SENT');
    t.is(await sendAgain(), 'UNREACHABLE');
    t.is(sent.length, dailyMailQuotas.CUSTOMER - 1);
    t.like((await stored()).undelivered, [{ channel, reason: 'TOO_MANY' }]);
  });

  test(`a customer is not told of 0 points: ${channel}`, async (t) => {
    const { messages, activities, reward, sent, atOnce } = await rewarded(contact);
    const nothing = { ...reward, points: 0 };
    t.true(await messages.trySend(nothing));
    t.is(await activities.sendClaimLink(nothing), 'NOBODY');
    t.deepEqual([...sent, ...atOnce], []);
  });

  test(`a message is sent by the channel of the contact: ${channel}`, async (t) => {
    const { activities, reward, sent, atOnce } = await rewarded(contact);
    t.is(await activities.sendClaimLink(reward), 'SENT');
    t.is(await activities.sendTakenBack(reward), 'SENT');
    t.deepEqual(toOf(sent), [to, to]);
    t.deepEqual(atOnce, []);
  });

  test(`a message fails if it may arrive later, and not if it never can: ${channel}`, async (t) => {
    const later = await rewarded(contact, { failures: { [channel]: away } });
    const send = () => later.activities.sendClaimLink(later.reward);
    await t.throwsAsync(asActivity('none', send), { is: away });
    const never = await rewarded(contact, { failures: { [channel]: unreachable } });
    t.is(await never.activities.sendClaimLink(never.reward), 'UNREACHABLE');
    t.like((await never.stored()).undelivered, [{ channel, reason: 'REFUSED' }]);
  });

  test(`a message that is given up is noted: ${channel}`, async (t) => {
    const { messages, reward, stored } = await rewarded(contact, { failures: { [channel]: away } });
    t.is(await messages.send(reward, 'OFFER', () => true), 'UNREACHABLE');
    t.like((await stored()).undelivered, [{ channel, reason: 'GIVEN_UP' }]);
    await t.throwsAsync(
      messages.send(reward, 'OFFER', () => false),
      { is: away },
    );
  });
}

test('a claim link that could not be made is a failure, after which the step goes on', async (t) => {
  const { messages, reward } = await rewarded(contacts.EMAIL);
  await t.throwsAsync(messages.trySend({ ...reward, purchaseEventId: 'evt_none' }));
});

const reminded: [title: string, contact: CustomerContact, to: string[]][] = [
  ['both', { email, phone }, [email]],
  ['an email address', { email, phone: null }, [email]],
  ['a phone number', { email: null, phone }, [phone]],
];
for (const [title, contact, to] of reminded) {
  test(`a customer is reminded once, by email if possible, with ${title}`, async (t) => {
    const { activities, reward, sent } = await rewarded(contact);
    t.is(await activities.sendReminder(reward), 'SENT');
    t.deepEqual(toOf(sent), to);
  });
}

test('the service sends nothing if the partner delivers the link', async (t) => {
  const { activities, messages, reward: another, atOnce, sent } = await rewarded({ email, phone });
  await database.models.orderEvents.updateOne(
    { _id: another.purchaseEventId },
    { $set: { 'purchase.delivery': 'PARTNER' } },
  );
  t.true(await messages.trySend(another));
  t.is(await activities.sendClaimLink(another), 'NOBODY');
  t.deepEqual([...sent, ...atOnce], []);
});

test('the language of a claim that is fifty rewards back counts, and of one before it does not', async (t) => {
  const { activities, reward, sent, stored } = await rewarded({ email, phone: null });
  const { rewards } = database.models;
  const { _id, claimTokenHash, ...rest } = await stored();
  const copies = Array.from({ length: 50 }, (_, place) => ({
    ...rest,
    _id: `${_id.slice(0, -3)}.${String(place).padStart(2, '0')}`,
    claimTokenHash: `${claimTokenHash} ${place}`,
    purchaseEventId: `${rest.purchaseEventId} ${place}`,
  }));
  await rewards.collection.insertMany(copies);
  const claimedIn = (place: number, claimLanguage: Language) =>
    rewards.collection.updateOne({ _id: copies[place]?._id ?? '' }, { $set: { claimLanguage } });
  const subject = async () => {
    await activities.sendClaimLinkAgain({ id: newId('message'), ...reward });
    const last = sent.at(-1);
    return last && isMail(last) ? last.subject : '';
  };
  // With the reward itself, this is the fifty-first.
  await claimedIn(0, 'fr');
  t.regex(await subject(), /points from Shop/);
  await claimedIn(1, 'de');
  t.regex(await subject(), /Punkte/);
  await claimedIn(2, 'es');
  t.regex(await subject(), /puntos/);
});

/** A reward of a partner whose threshold is 5.00, and the email to the partner about its funding. */
async function mailed(
  mode: Mode,
  notice: { missingCents: number | null; lowBalanceCents: number | null },
) {
  const stage = await openStage(database);
  await stage.rule({ mode });
  const ref = await stage.report(stage.purchase(mode));
  const reward = { ...(await stage.begin(ref)), fundingNotice: notice };
  stage.mails.clear();
  const outcome = await stage.call((activities) => activities.mailPartner(reward));
  // So that a test can have it told again.
  const untold = { $unset: { 'fundingNotice.toldAt': 1 } };
  await database.models.rewards.updateOne({ _id: reward.rewardId }, untold);
  const mails: Mail[] = [...stage.mails].map((text) => JSON.parse(text));
  return { stage, reward, outcome, mails };
}

test('a partner is told how much is missing for the first reward that waits', async (t) => {
  const { reward, outcome, mails } = await mailed('LIVE', {
    missingCents: 250,
    lowBalanceCents: null,
  });
  t.is(outcome, 'SENT');
  const [mail] = mails;
  t.like(mail, {
    id: `awaiting-funding-${reward.rewardId}`,
    to: 'owner@shop.example',
    subject: 'A LIVE reward is waiting for funding: $2.50 is missing',
  });
  t.true(mail?.text.includes(`the reward ${reward.rewardId}: $2.50 is missing`));
  t.true(mail?.text.includes('http://claims.example/funding'));
});

test('in TEST the email leads to the test funding', async (t) => {
  const { mails } = await mailed('TEST', { missingCents: 250, lowBalanceCents: null });
  t.is(mails[0]?.subject, 'A TEST reward is waiting for funding: $2.50 is missing');
  t.true(mails[0]?.text.includes('http://claims.example/funding#test-funding'));
});

for (const [mode, prefix] of [
  ['LIVE', ''],
  ['TEST', '[TEST] '],
] as const) {
  test(`a partner is told that ${mode} funds are below the threshold`, async (t) => {
    const { reward, mails } = await mailed(mode, { missingCents: null, lowBalanceCents: 400 });
    t.like(mails[0], {
      id: `low-balance-${reward.rewardId}`,
      subject: `${prefix}Your reward funding is down to $4.00`,
    });
    t.regex(mails[0]?.text ?? '', /^Your reward funding has fallen below \$5\.00\. Top it up/);
  });
}

test('a partner is told how long its funds last at the current rate', async (t) => {
  await avoidMidnight();
  const { stage, reward } = await mailed('LIVE', { missingCents: null, lowBalanceCents: 400 });
  const now = new Date().toISOString();
  const { partnerId } = reward;
  const day = now.slice(0, 10);
  const start = calendarMonth(now).start;
  const period = { _id: `${partnerId}/${start}`, partnerId, subscriptionId: null, start };
  const days = { [day]: { points: 100, cents: 200 } };
  await database.models.usagePeriods.create({ ...period, points: 100, billedOn: null, days });
  const textOf = async (lowBalanceCents: number) => {
    stage.mails.clear();
    const fundingNotice = { missingCents: null, lowBalanceCents };
    const { rewards } = database.models;
    await rewards.updateOne({ partnerId }, { $unset: { 'fundingNotice.toldAt': 1 } });
    await stage.call((activities) => activities.mailPartner({ ...reward, fundingNotice }));
    return JSON.parse([...stage.mails][0] ?? '{}').text as string;
  };
  t.regex(await textOf(400), /below \$5\.00\. At the current rate, it lasts 2 days\. Top it up/);
  t.regex(await textOf(0), /it lasts less than a day\. Top it up/);
});

for (const [title, later, outcome] of [
  ['it was told', 0, 'TOLD'],
  ['it could not be told for days', 3 * 86_400_000 + 1, 'TOO_LATE'],
] as const) {
  test(`a new run of the workflow tells the partner nothing of its funds if ${title}`, async (t) => {
    const stage = await openStage(database);
    await stage.fund(550);
    await stage.rule();
    const reward = await stage.begin(await stage.report(stage.purchase()));
    t.like(reward.fundingNotice, { lowBalanceCents: 450 });
    const { partnerId } = stage;
    if (later === 0) t.is(await stage.call((a) => a.mailPartner(reward)), 'SENT');
    stage.mails.clear();
    const before = new Date(Date.parse(at) - later);
    await database.models.rewards.updateOne({ partnerId }, { $set: { 'moves.0.at': before } });
    t.is(await stage.call((a) => a.mailPartner(reward)), outcome);
    t.is(stage.mails.size, 0);
  });
}

test('a partner without a verified contact is not mailed', async (t) => {
  const { stage, reward } = await mailed('LIVE', { missingCents: 250, lowBalanceCents: null });
  stage.mails.clear();
  const { partnerId } = reward;
  await database.models.partners.updateOne({ _id: partnerId }, { verifiedContactEmail: null });
  t.is(await stage.call((a) => a.mailPartner(reward)), 'NO_EMAIL');
  t.is(stage.mails.size, 0);
});

const mail: Mail = {
  id: 'PNR_1',
  to: 'stranger@private.example',
  subject: 'Your points',
  text: 'Claim them',
  html: '<p>Claim them</p>',
};

/** Sends a TEST email to a customer. @returns the messages that are sent */
async function sentInTest(verifiedContactEmail: string | null): Promise<Message[]> {
  const { models } = database;
  const created = await operate({ models, now: Date.now }, createPartner, {
    name: 'Shop',
    contactEmail,
  });
  const partner = { ...created, verifiedContactEmail };
  const sent: Message[] = [];
  const sendMessage = async (message: Message) => void sent.push(message);
  await sendToCustomer({ models, sendMessage }, partner, 'TEST', mail, 'cus_1');
  return sent;
}

test('a TEST email delivered to the partner’s contact is sent to nobody else', async (t) => {
  t.deepEqual(await sentInTest(contactEmail), [{ ...mail, to: contactEmail }]);
});

test('a TEST email that reaches no contact stays in the message folder', async (t) => {
  t.deepEqual(await sentInTest(null), [{ ...mail, staysInFolder: true }]);
});

test.before(async () => {
  service = await startService();
  database = await openDatabase();
});

test.after.always(async () => {
  await service.stop();
  await database?.close();
});

const portalUrl = 'https://portal.example';

/** A LIVE purchase with a contact, and what is sent to it. */
async function bought(
  contact: CustomerContact,
  {
    partner = {},
    send = () => Promise.resolve(),
  }: {
    partner?: Partial<PartnerDoc>;
    send?: (message: Message) => Promise<void>;
  } = {},
) {
  const { models, sealer } = database;
  const stage = await openStage(database);
  const { partnerId } = stage;
  await models.partners.updateOne({ _id: partnerId }, { $set: partner });
  await stage.rule();
  const ref = await stage.report(stage.purchase());
  const { rewardId, customerId } = await stage.begin(ref);
  const { purchaseEventId } = ref;
  await setContact(database, ref, contact);
  const sent: Message[] = [];
  const { sendPointsLink } = pointsLinkActivities({
    models,
    sealer,
    portalUrl,
    async sendMessage(message) {
      sent.push(message);
      await send(message);
    },
  });
  const request = { partnerId, purchaseEventId, rewardId, customerId, mode: 'LIVE' as const };
  return { sent, request, sendPointsLink };
}

const outcomes: [email: string | null, phone: string | null, outcome: string, to: string[]][] = [
  [email, null, 'EMAIL', [email]],
  [email, phone, 'EMAIL', [email]],
  [email, landline, 'EMAIL', [email]],
  [null, phone, 'SMS', [phone]],
  [null, landline, 'NOBODY', []],
  [null, null, 'NOBODY', []],
];
for (const [to, number, outcome, recipients] of outcomes) {
  test(`the link to a customer’s points goes by ${outcome}, with ${to} and ${number}`, async (t) => {
    const { sent, request, sendPointsLink } = await bought({ email: to, phone: number });
    t.is(await sendPointsLink(request), outcome as never);
    t.deepEqual(
      sent.map((message) => message.to),
      recipients,
    );
  });
}

test('the link is of the customer and mode, works for a day, and goes when its contact is erased', async (t) => {
  const { sent, request, sendPointsLink } = await bought({ email, phone: null });
  const startMs = Date.now();
  await sendPointsLink(request);
  const [message] = sent;
  if (!message || !isMail(message)) return t.fail('it is a mail');
  t.is(message.purchaseEventId, request.purchaseEventId);
  const [, token = ''] = /https:\/\/portal\.example\/points\/([\w-]{43})/.exec(message.text) ?? [];
  const stored = await database.models.pointsLinks.findById(sha256Hex(token)).orFail();
  const { partnerId, customerId, mode, purchaseEventId } = request;
  t.like(stored, { partnerId, customerId, mode, purchaseEventId });
  const worksMs = stored.expiresAt.getTime() - startMs;
  t.true(worksMs >= pointsLinkMs && worksMs < pointsLinkMs + 60_000);
});

test('the message is in the requested language, or otherwise in the partner’s', async (t) => {
  const partner = { branding: { ...defaultBranding, language: 'es' as const } };
  const { sent, request, sendPointsLink } = await bought({ email, phone: null }, { partner });
  await sendPointsLink({ ...request, language: 'de' });
  await sendPointsLink(request);
  t.deepEqual(
    sent.map((message) => isMail(message) && message.subject.slice(0, 10)),
    ['Ihre Punkt', 'Sus puntos'],
  );
});

test('an erased customer gets nothing', async (t) => {
  const { sent, request, sendPointsLink } = await bought({ email, phone: null });
  const { purchaseEventId: _id } = request;
  await database.models.orderEvents.updateOne({ _id }, { $set: { sealed: null } });
  t.is(await sendPointsLink(request), 'NOBODY');
  t.deepEqual(sent, []);
});

test('a customer gets five links a day', async (t) => {
  await avoidMidnight();
  const { sent, request, sendPointsLink } = await bought({ email, phone: null });
  const told: string[] = [];
  for (let nth = 0; nth <= dailyMailQuotas.LINK; nth++) told.push(await sendPointsLink(request));
  t.deepEqual(told, [...Array(dailyMailQuotas.LINK).fill('EMAIL'), 'TOO_MANY']);
  t.is(sent.length, dailyMailQuotas.LINK);
});

test('a contact that cannot be reached is no failure, and does not count', async (t) => {
  const { request, sendPointsLink } = await bought(
    { email, phone: null },
    { send: () => Promise.reject(new UnreachableError('550')) },
  );
  for (let nth = 0; nth <= dailyMailQuotas.LINK; nth++) {
    t.is(await sendPointsLink(request), 'UNREACHABLE');
  }
});

test('a message that could not be sent is a failure, and does not count', async (t) => {
  const { request, sendPointsLink } = await bought(
    { email, phone: null },
    { send: () => Promise.reject(new Error('away')) },
  );
  for (let nth = 0; nth <= dailyMailQuotas.LINK; nth++) {
    await t.throwsAsync(sendPointsLink(request), { message: 'away' });
  }
});
