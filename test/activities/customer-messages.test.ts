import test from 'ava';
import type { ActivityDeps } from '../../activities/deps.ts';
import { createCustomerMessages, messageActivities } from '../../activities/messages.ts';
import type { Language } from '../../domain/languages.ts';
import { type Channel, channels } from '../../domain/messages.ts';
import { isMail, type Message, UnreachableError } from '../../messaging/message.ts';
import { asActivity, type Database, openDatabase } from '../helpers/processes.ts';
import { type CustomerContact, email, landline, phone, setContact } from './helpers/set-contact.ts';
import { openStage } from './helpers/stage.ts';

let database: Database;
test.before(async () => {
  database = await openDatabase();
});
test.after.always(() => database?.close());

type Failures = Partial<Record<Channel, Error>>;

/** A funded LIVE reward of a customer, and the messages about it. */
async function rewarded(contact: CustomerContact, { failures = {} }: { failures?: Failures } = {}) {
  const { models, sealer } = database;
  const stage = await openStage(database);
  await stage.fund(1_000);
  await stage.rule();
  const ref = await stage.report(stage.purchase());
  const reward = await stage.begin(ref);
  const dataKeyId = await setContact(database, ref, reward, contact);
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
  return { reward, dataKeyId, sent, atOnce, messages, activities, stored };
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
    const { messages, reward, atOnce, sent, dataKeyId } = await rewarded(contact);
    t.true(await messages.trySend(reward));
    t.deepEqual(toOf(atOnce), to);
    t.deepEqual(sent, []);
    for (const message of atOnce) {
      t.is(message.dataKeyId, dataKeyId);
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

test('the language of a claim that is ten rewards back counts, and of one before it does not', async (t) => {
  const { activities, reward, sent, stored } = await rewarded({ email, phone: null });
  const { rewards } = database.models;
  const { _id, claimTokenHash, ...rest } = await stored();
  const copies = Array.from({ length: 10 }, (_, place) => ({
    ...rest,
    _id: `${_id.slice(0, -2)}.${place}`,
    claimTokenHash: `${claimTokenHash} ${place}`,
    purchaseEventId: `${rest.purchaseEventId} ${place}`,
  }));
  await rewards.collection.insertMany(copies);
  const claimedIn = (place: number, claimLanguage: Language) =>
    rewards.collection.updateOne({ _id: copies[place]?._id ?? '' }, { $set: { claimLanguage } });
  const subject = async () => {
    await activities.sendClaimLink(reward);
    const last = sent.at(-1);
    return last && isMail(last) ? last.subject : '';
  };
  // With the reward itself, this is the eleventh.
  await claimedIn(0, 'fr');
  t.regex(await subject(), /points from Shop/);
  await claimedIn(1, 'de');
  t.regex(await subject(), /Punkte/);
  await claimedIn(2, 'es');
  t.regex(await subject(), /puntos/);
});
