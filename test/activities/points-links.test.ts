import test from 'ava';
import { pointsLinkActivities } from '../../activities/messages.ts';
import { defaultBranding } from '../../domain/branding.ts';
import { pointsLinkMs } from '../../domain/customer.ts';
import { isMail, type Message, UnreachableError } from '../../messaging/message.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import { dailyMailQuotas } from '../../models/store/mail-quotas.ts';
import { sha256Hex } from '../../platform/hashing.ts';
import { avoidMidnight } from '../helpers/avoid-midnight.ts';
import { type Database, openDatabase } from '../helpers/processes.ts';
import { type CustomerContact, email, landline, phone, setContact } from './helpers/set-contact.ts';
import { openStage } from './helpers/stage.ts';

let database: Database;
test.before(async () => {
  database = await openDatabase();
});
test.after.always(() => database?.close());

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
  const dataKeyId = await setContact(database, ref, { customerId }, contact);
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
  return { sent, request, sendPointsLink, dataKeyId };
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
  const { sent, request, sendPointsLink, dataKeyId } = await bought({ email, phone: null });
  const startMs = Date.now();
  await sendPointsLink(request);
  const [message] = sent;
  if (!message || !isMail(message)) return t.fail('it is a mail');
  t.is(message.dataKeyId, dataKeyId);
  const [, token = ''] = /https:\/\/portal\.example\/points\/([\w-]{43})/.exec(message.text) ?? [];
  const stored = await database.models.pointsLinks.findById(sha256Hex(token)).orFail();
  const { partnerId, customerId, mode } = request;
  t.like(stored, { partnerId, customerId, mode, dataKeyId });
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
  const { sent, request, sendPointsLink, dataKeyId } = await bought({ email, phone: null });
  await database.models.dataKeys.updateOne({ _id: dataKeyId }, { $set: { wrapped: null } });
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
