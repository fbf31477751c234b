import test from 'ava';
import type { Mode } from '../../domain/mode.ts';
import type { Mail } from '../../messaging/message.ts';
import { avoidMidnight } from '../helpers/avoid-midnight.ts';
import { type Database, openDatabase } from '../helpers/processes.ts';
import { openStage } from './helpers/stage.ts';

let database: Database;
test.before(async () => {
  database = await openDatabase();
});
test.after.always(() => database?.close());

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

test('in TEST the email leads to the integration, which has the test funding', async (t) => {
  const { reward, mails } = await mailed('TEST', { missingCents: 250, lowBalanceCents: null });
  t.is(mails[0]?.subject, 'A TEST reward is waiting for funding: $2.50 is missing');
  const path = `http://claims.example/integrations/${reward.integrationId}?mode=TEST`;
  t.true(mails[0]?.text.includes(path));
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
  const use = { _id: `${partnerId}/${day}`, partnerId, day, points: 100, cents: 200 };
  await database.models.usageDays.create(use);
  const textOf = async (lowBalanceCents: number) => {
    stage.mails.clear();
    const fundingNotice = { missingCents: null, lowBalanceCents };
    await stage.call((activities) => activities.mailPartner({ ...reward, fundingNotice }));
    return JSON.parse([...stage.mails][0] ?? '{}').text as string;
  };
  t.regex(await textOf(400), /below \$5\.00\. At the current rate, it lasts 2 days\. Top it up/);
  t.regex(await textOf(0), /it lasts less than a day\. Top it up/);
});

test('a partner without a verified contact is not mailed', async (t) => {
  const { stage, reward } = await mailed('LIVE', { missingCents: 250, lowBalanceCents: null });
  stage.mails.clear();
  const { partnerId } = reward;
  await database.models.partners.updateOne({ _id: partnerId }, { verifiedContactEmail: null });
  t.is(await stage.call((a) => a.mailPartner(reward)), 'NO_EMAIL');
  t.is(stage.mails.size, 0);
});
