import test, { type ExecutionContext } from 'ava';
import { createCheckpoints } from '../../audit/checkpoints.ts';
import { runAudit } from '../../audit/run.ts';
import type { CustomerBalance } from '../../domain/draft.ts';
import { languages } from '../../domain/languages.ts';
import type { Mode } from '../../domain/mode.ts';
import { endOf } from '../../domain/points-end.ts';
import { setPointsEnd } from '../../domain/points-end-facts.ts';
import { dayMs } from '../../domain/utc-days.ts';
import { isMail, type Message, UnreachableError } from '../../messaging/message.ts';
import { eraseAgain } from '../../operations/customers.ts';
import { dyingAfter, Killed, under } from '../helpers/faults.ts';
import { operate } from '../helpers/operate.ts';
import { asActivity, type Database, openDatabase, startProcess } from '../helpers/processes.ts';
import { email, phone, setContact } from './helpers/set-contact.ts';
import { at, openStage, type Stage } from './helpers/stage.ts';

const claimedAt = new Date(at);
const endsAt = endOf('P12M', claimedAt);
const daysBefore = (days: number) => endsAt.getTime() - days * dayMs;

/** A customer who claimed 100 points under a setting, in a database of their own, and what is sent to them. */
async function aCustomer(t: ExecutionContext, { mode = 'LIVE' as Mode } = {}) {
  const database: Database = await openDatabase();
  t.teardown(() => database.close());
  const { models } = database;
  const stage: Stage = await openStage(database);
  const { partnerId } = stage;
  await stage.fund(1_000, mode);
  await stage.rule({ mode });
  const set = (after: 'P12M' | 'P24M' | null) =>
    stage.process.commit({
      partnerId,
      wallet: stage.wallet(mode),
      decide: (draft, terms) =>
        setPointsEnd(draft, { settingId: `pte_${after}`, after, mode }, terms),
    });
  await set('P12M');
  const report = stage.purchase(mode);
  const reward = await stage.begin(await stage.report(report));
  await stage.process.move(reward, 'CLAIM');
  const sent: Message[] = [];
  const away = { error: null as Error | null };
  let nowMs = claimedAt.getTime();
  const newProcess = () =>
    startProcess(database, {
      now: () => nowMs,
      sendMessage: async (message) => {
        if (away.error) throw away.error;
        sent.push(message);
      },
    });
  return {
    database,
    models,
    stage,
    reward,
    set,
    sent,
    away,
    /** What the schedule does at a time. */
    look: (ms: number) => {
      nowMs = ms;
      const process = newProcess();
      return asActivity('points-end', () => process.activities.lookAtEnds());
    },
    newProcess,
    balance: (): Promise<CustomerBalance> =>
      models.customerBalances.findOne({ partnerId, mode }).orFail(),
    announced: async (type: string) =>
      (await models.webhookDeliveries.find({ partnerId, type })).map(
        ({ body }) => JSON.parse(body).data,
      ),
    audit: async () => {
      // The stage adds its funds without an operator.
      const { checks } = await runAudit(
        {
          models,
          hashKey: database.hashKey,
          checkpoints: createCheckpoints(database.customerHashKey),
        },
        { partnerId, patienceMs: 0 },
      );
      return checks.filter(({ name, faults }) => faults > 0 && !/what operators moved/.test(name));
    },
  };
}

const none = { told: 0, ended: 0, failed: 0 };

for (const mode of ['LIVE', 'TEST'] as const) {
  test(`${mode}: a customer is told 30 and 7 days before, and then the points end, once`, async (t) => {
    const customer = await aCustomer(t, { mode });
    const { look, sent } = customer;
    t.deepEqual(await look(daysBefore(31)), none);
    t.deepEqual(await look(daysBefore(30)), { ...none, told: 1 });
    t.deepEqual(await look(daysBefore(30)), none);
    t.deepEqual(await look(daysBefore(7)), { ...none, told: 1 });
    t.deepEqual(await look(daysBefore(1)), none);
    t.is((await customer.balance()).points, 100);
    t.deepEqual(await look(daysBefore(0)), { ...none, ended: 1 });
    t.deepEqual(await look(daysBefore(-1)), none);
    t.like(await customer.balance(), { points: 0, payableCents: 0, endedPoints: 100 });
    t.is(sent.length, 2);
    t.is(new Set(sent.map(({ id }) => id)).size, 2);
    for (const mail of sent) {
      if (!isMail(mail)) throw new Error('no text message was expected');
      t.regex(mail.subject, /100 points at Shop end on 10 Mar 2027/);
      t.regex(mail.text, /http:\/\/claims\.example\/points\/\S+/);
      t.is(mail.linkEndsAt?.getTime(), daysBefore(mail === sent[0] ? 30 : 7) + 7 * dayMs);
    }
    const { externalOrderId, rewardId } = customer.reward;
    t.deepEqual(
      (await customer.announced('points.ending'))
        .map(({ days }: { days: number }) => days)
        .toSorted((a, b) => a - b),
      [7, 30],
    );
    t.like((await customer.announced('points.ended'))[0], {
      ...{ externalOrderId, rewardId, points: 100, liabilityCents: 100, leftPoints: 0 },
    });
    t.deepEqual(await customer.audit(), []);
  });
}

test('the customer is told in the language in which they claimed, by email or text message', async (t) => {
  const customer = await aCustomer(t);
  const { rewards, customerBalances } = customer.models;
  const words = { en: /end on/, de: /verfallen am/, fr: /expirent/, es: /caducan/ };
  for (const language of languages) {
    for (const contact of [
      { email, phone: null },
      { email: null, phone },
    ]) {
      await rewards.updateMany({}, { $set: { claimLanguage: language } });
      await setContact(customer.database, customer.reward, contact);
      await customerBalances.updateMany(
        {},
        {
          $set: {
            'ending.told': 0,
            'ending.nextAt': new Date(daysBefore(30)),
            // Each notice is announced once for its date.
            'ending.endsAt': new Date(endsAt.getTime() + customer.sent.length),
          },
        },
      );
      t.deepEqual(await customer.look(daysBefore(30)), { ...none, told: 1 });
      const message = customer.sent.at(-1);
      if (message === undefined) throw new Error('nothing was sent');
      t.regex(isMail(message) ? message.subject : message.text, words[language]);
      t.is(isMail(message), contact.phone === null);
    }
  }
});

test('points that are spent renew the others: nothing ends on the date that was told', async (t) => {
  const customer = await aCustomer(t);
  await customer.look(daysBefore(30));
  await customer.look(daysBefore(7));
  const { origin, request } = customer.stage.redemption();
  await customer.newProcess().redeem(origin, request);
  t.deepEqual(await customer.look(daysBefore(0)), none);
  const { points, ending } = await customer.balance();
  t.is(points, 60);
  t.like(ending, { told: 0, endsAt: endOf('P12M', new Date(daysBefore(7))) });
});

test('a mail server that is away delays the notice and the end, and then the points end no sooner than told', async (t) => {
  const customer = await aCustomer(t);
  const { away, look } = customer;
  away.error = new Error('away');
  t.deepEqual(await look(daysBefore(30)), { ...none, failed: 1 });
  t.deepEqual(await look(daysBefore(29)), { ...none, failed: 1 });
  t.is((await customer.balance()).ending?.told, 0);
  t.deepEqual(await customer.announced('points.ending'), []);
  away.error = null;
  t.deepEqual(await look(daysBefore(28)), { ...none, told: 1 });
  const moved = daysBefore(28) + 30 * dayMs;
  t.is((await customer.balance()).ending?.endsAt.getTime(), moved);
  away.error = new Error('away');
  // After three days it is given up, and the partner is told.
  t.deepEqual(await look(moved - 3 * dayMs), { ...none, told: 1 });
  t.is((await customer.balance()).ending?.endsAt.getTime(), moved + 4 * dayMs);
  t.deepEqual(await look(moved), none);
  t.deepEqual(await look(moved + 4 * dayMs), { ...none, ended: 1 });
  t.deepEqual(await customer.audit(), []);
});

test('an address that is refused, or erased, does not stop the end', async (t) => {
  const customer = await aCustomer(t);
  customer.away.error = new UnreachableError('no such mailbox');
  t.deepEqual(await customer.look(daysBefore(30)), { ...none, told: 1 });
  t.is((await customer.announced('points.ending')).length, 1);
});

test('a worker that dies after it sent the notice sends it again under the same id, and announces it once', async (t) => {
  for (const lastIsDone of [false, true]) {
    for (let writes = 1; writes <= 5; writes += 1) {
      const customer = await aCustomer(t);
      const fate = dyingAfter(writes, lastIsDone);
      await under(fate, () => customer.look(daysBefore(30))).catch((error: unknown) => {
        if (!(error instanceof Killed)) throw error;
      });
      await customer.look(daysBefore(30));
      t.is(new Set(customer.sent.map(({ id }) => id)).size, 1);
      t.is((await customer.announced('points.ending')).length, 1);
      t.like((await customer.balance()).ending, { told: 1 });
    }
  }
});

test('without the setting, or under another one, points do not end', async (t) => {
  for (const after of [null, 'P24M'] as const) {
    const customer = await aCustomer(t);
    await customer.look(daysBefore(30));
    await customer.look(daysBefore(7));
    await customer.set(after);
    t.deepEqual(await customer.look(daysBefore(0)), none);
    const { points, ending } = await customer.balance();
    t.is(points, 100);
    t.is(ending?.nextAt, null);
  }
});

test('of an erased customer no date is kept, and nothing ends', async (t) => {
  const customer = await aCustomer(t);
  await customer.look(daysBefore(30));
  const { partnerId, customerId } = await customer.balance();
  const deps = { models: customer.models, now: () => daysBefore(20) };
  const erasedAt = new Date(daysBefore(20));
  await operate(deps, eraseAgain, { partnerId, customerId, reference: 'ticket', erasedAt });
  t.is((await customer.balance()).ending, undefined);
  t.deepEqual(await customer.look(daysBefore(-1)), none);
  t.is((await customer.balance()).points, 100);
  t.deepEqual(await customer.audit(), []);
});

test('an audit finds points that ended by no setting, and a customer who stands otherwise than the entries say', async (t) => {
  for (const [change, finding] of [
    [{ 'ending.kept': 7 }, /keeps 7 of at most 0 points, its entries say 0 of 0/],
    [{ 'ending.endsAt': new Date(daysBefore(90)) }, /its points end at/],
    [{ 'ending.activeAt': new Date(daysBefore(90)) }, /was active at/],
    [{ 'ending.settingId': 'pte_none' }, /stands under no setting/],
    [{ 'ending.fromSeq': 1 }, /begins with no entry of its own/],
  ] as const) {
    const customer = await aCustomer(t);
    await customer.models.customerBalances.updateMany({}, { $set: change });
    const found = await customer.audit();
    t.deepEqual(
      found.map(({ name }) => name),
      ['customers: points end as their entries say'],
    );
    t.regex(JSON.stringify(found), finding);
  }
  const ended = await aCustomer(t);
  for (const days of [30, 7, 0]) await ended.look(daysBefore(days));
  await ended.models.pointsEnds.deleteMany({});
  const found = await ended.audit();
  t.regex(JSON.stringify(found), /no setting ends points by then/);
});
