import test from 'ava';
import { createCustomerMessages } from '../../activities/customer-messages.ts';
import type { ActivityDeps } from '../../activities/deps.ts';
import { messageActivities } from '../../activities/messages.ts';
import type { Channel } from '../../domain/messages.ts';
import { isMail, type Message, UnreachableError } from '../../messaging/message.ts';
import { createEventLoader } from '../../models/store/loaders.ts';
import { type Database, openDatabase } from '../helpers/processes.ts';
import { type CustomerContact, email, landline, phone, setContact } from './helpers/set-contact.ts';
import { at, openStage } from './helpers/stage.ts';

let database: Database;
test.before(async () => {
  database = await openDatabase();
});
test.after.always(() => database?.close());

type Failures = Partial<Record<Channel, Error>>;

/** A funded LIVE reward of a customer, and the messages about it. */
async function rewarded(
  contact: CustomerContact,
  { alsoText = true, failures = {} }: { alsoText?: boolean; failures?: Failures } = {},
) {
  const { models, sealer } = database;
  const stage = await openStage(database);
  await stage.fund(1_000);
  await stage.rule();
  const ref = await stage.report(stage.purchase());
  const created = await stage.call((activities) => activities.createReward(ref));
  const { reward } = await stage.call((activities) => activities.accountReward(created, at));
  const dataKeyId = await setContact(database, ref, reward, contact);
  const { partnerId, integrationId } = reward;
  await models.integrations.create({
    _id: integrationId,
    partnerId,
    name: 'till',
    alsoText,
    createdAt: new Date(),
  });
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
  const messages = createCustomerMessages(deps, createEventLoader(models));
  const stored = () => models.rewards.findOne({ _id: reward.rewardId }).lean().orFail();
  const activities = messageActivities(deps, messages);
  return { reward, dataKeyId, sent, atOnce, messages, activities, stored, partnerId };
}

const away = new Error('away');
const unreachable = new UnreachableError('550');
const toOf = (messages: Message[]) => messages.map(({ to }) => to).toSorted();

const recipients: [title: string, contact: CustomerContact, alsoText: boolean, to: string[]][] = [
  ['an email address', { email, phone: null }, true, [email]],
  ['a phone number', { email: null, phone }, false, [phone]],
  ['both, and the partner wants both', { email, phone }, true, [phone, email]],
  ['both, and the partner wants only emails', { email, phone }, false, [email]],
  ['a landline', { email: null, phone: landline }, false, []],
  ['neither', { email: null, phone: null }, true, []],
];
for (const [title, contact, alsoText, to] of recipients) {
  test(`the claim link goes at once to a customer with ${title}`, async (t) => {
    const { messages, reward, atOnce, sent, dataKeyId } = await rewarded(contact, { alsoText });
    t.deepEqual(await messages.tryClaimLink(reward), []);
    t.deepEqual(toOf(atOnce), to);
    t.deepEqual(sent, []);
    for (const message of atOnce) {
      t.is(message.dataKeyId, dataKeyId);
      t.true(message.text.includes('https://portal.example/claim/token'));
    }
  });
}

const lefts: [title: string, failures: Failures, left: Channel[], refused: Channel[]][] = [
  ['the mail server is away', { EMAIL: away }, ['EMAIL'], []],
  ['the gateway is away', { SMS: away }, ['SMS'], []],
  ['both are away', { EMAIL: away, SMS: away }, ['EMAIL', 'SMS'], []],
  ['the address does not exist', { EMAIL: unreachable }, [], ['EMAIL']],
  ['the number is refused', { SMS: unreachable, EMAIL: away }, ['EMAIL'], ['SMS']],
];
for (const [title, failures, left, refused] of lefts) {
  test(`the claim link is still to be sent by the channels that may work later: ${title}`, async (t) => {
    const { messages, reward, stored } = await rewarded({ email, phone }, { failures });
    t.deepEqual(await messages.tryClaimLink(reward), left);
    const { undelivered = [] } = await stored();
    t.deepEqual(
      undelivered.map(({ channel, reason }) => [channel, reason]),
      refused.map((channel) => [channel, 'REFUSED']),
    );
    for (const { at } of undelivered) t.true(Math.abs(at.getTime() - Date.now()) < 60_000);
  });
}

for (const channel of ['EMAIL', 'SMS'] as const) {
  test(`a message is sent by the channel that is asked for: ${channel}`, async (t) => {
    const { activities, reward, sent, atOnce } = await rewarded({ email, phone });
    const to = channel === 'EMAIL' ? email : phone;
    t.is(await activities.sendClaimLink(reward, channel), 'SENT');
    t.is(await activities.sendTakenBack(reward, channel), 'SENT');
    t.deepEqual(toOf(sent), [to, to]);
    t.deepEqual(atOnce, []);
  });

  test(`a message fails if it may arrive later, and not if it never can: ${channel}`, async (t) => {
    const contact = { email, phone };
    const later = await rewarded(contact, { failures: { [channel]: away } });
    await t.throwsAsync(later.activities.sendClaimLink(later.reward, channel), { is: away });
    const never = await rewarded(contact, { failures: { [channel]: unreachable } });
    t.is(await never.activities.sendClaimLink(never.reward, channel), 'UNREACHABLE');
    t.like((await never.stored()).undelivered, [{ channel, reason: 'REFUSED' }]);
  });

  test(`a message that was given up is noted with the time: ${channel}`, async (t) => {
    const { activities, reward, stored } = await rewarded({ email, phone });
    await activities.noteUndelivered(reward, channel, at);
    t.deepEqual((await stored()).undelivered, [{ channel, reason: 'GIVEN_UP', at: new Date(at) }]);
  });
}

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

test('a channel that the purchase gave no address for has nobody', async (t) => {
  const { activities, reward, sent } = await rewarded({ email, phone: null });
  t.is(await activities.sendClaimLink(reward, 'SMS'), 'NOBODY');
  const { messages, reward: another, atOnce } = await rewarded({ email, phone });
  await database.models.orderEvents.updateOne(
    { _id: another.purchaseEventId },
    { $set: { 'purchase.delivery': 'PARTNER' } },
  );
  t.deepEqual(await messages.tryClaimLink(another), []);
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
  await rewards.collection.insertMany(copies as never[]);
  const claimedIn = (id: string | undefined, claimLanguage: string) =>
    rewards.collection.updateOne({ _id: id as never }, { $set: { claimLanguage } });
  const subject = async () => {
    await activities.sendClaimLink(reward, 'EMAIL');
    const last = sent.at(-1);
    return last && isMail(last) ? last.subject : '';
  };
  // With the reward itself, this is the eleventh.
  await claimedIn(copies[0]?._id, 'fr');
  t.regex(await subject(), /points from Shop/);
  await claimedIn(copies[1]?._id, 'de');
  t.regex(await subject(), /Punkte/);
  await claimedIn(copies[2]?._id, 'es');
  t.regex(await subject(), /puntos/);
});
