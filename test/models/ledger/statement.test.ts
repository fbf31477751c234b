import { createSecretKey, randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import test from 'ava';
import { recordTopUp } from '../../../domain/facts.ts';
import { recordWithdrawal } from '../../../domain/funding.ts';
import { formatCents } from '../../../domain/money.ts';
import { statementPdf } from '../../../models/billing/statement-pdf.ts';
import { createCommit } from '../../../models/commit.ts';
import {
  everyMovement,
  movementsBetween,
  newestMovements,
  statementBounds,
} from '../../../models/ledger/index.ts';
import type { Models } from '../../../models/schemas/index.ts';
import { createPartner } from '../../../operations/partners.ts';
import { scopeOf } from '../../../views/partner-scope.ts';
import { readStatement, statementCsv } from '../../../views/statement.ts';
import { operate } from '../../helpers/operate.ts';
import { textInPdf } from '../../helpers/pdf.ts';
import { type TestDatabase, takeDatabase } from '../../helpers/test-database.ts';

let models: Models;
let giveBack: TestDatabase['giveBack'];
test.before(async () => {
  ({ models, giveBack } = await takeDatabase());
});
test.after.always(() => giveBack?.());

const hashKey = createSecretKey(randomBytes(32));

/** A partner whose movements were written in this order, by processes whose clocks differ. */
async function moved(...movements: readonly [at: string, cents: number][]) {
  const deps = { models, now: Date.now };
  const partner = await operate(deps, createPartner, { name: 'Corner Shop' });
  const { _id: partnerId } = partner;
  const wallet = { mode: 'LIVE', partnerId } as const;
  for (const [place, [at, cents]] of movements.entries()) {
    const commit = createCommit({ models, hashKey, now: () => Date.parse(at) });
    const amountCents = Math.abs(cents);
    const externalReference = `wire ${place}`;
    const money = { partnerId, amountCents, currency: 'USD', externalReference };
    await commit({
      partnerId,
      wallet,
      decide: (draft, terms) =>
        cents > 0
          ? recordTopUp(draft, wallet, money, terms)
          : recordWithdrawal(draft, money, terms),
    });
  }
  return partner;
}

const skewed = () =>
  moved(
    ['2026-03-01T10:00:00Z', 100],
    ['2026-03-01T23:59:59.900Z', 50],
    ['2026-03-02T00:00:00.100Z', -30],
    // Written later, by a process whose clock is behind.
    ['2026-03-01T23:59:59.950Z', 7],
    ['2026-03-02T09:00:00Z', -20],
    ['2026-03-04T09:00:00Z', 1],
  );

const days = (fromDay: string, toDay = fromDay) => ({ fromDay, toDay });

test('movements follow their numbers, and each balance is the one before plus the amount', async (t) => {
  const partner = await skewed();
  const statement = await readStatement(
    { models },
    scopeOf(partner),
    days('2026-03-01', '2026-03-31'),
    null,
  );
  t.like(statement, { openingCents: 0, closingCents: 108, after: null, nextAfter: null });
  t.deepEqual(
    statement.movements.map(({ seq, amountCents, balanceCents }) => [
      seq,
      amountCents,
      balanceCents,
    ]),
    [
      [1, 100, 100],
      [2, 50, 150],
      [3, -30, 120],
      [4, 7, 127],
      [5, -20, 107],
      [6, 1, 108],
    ],
  );
  const newest = await newestMovements(models, partner._id, 2);
  t.deepEqual(
    newest.map(({ balanceCents }) => balanceCents),
    [108, 107],
  );
});

test('each statement begins with the balance that the one before it ends with', async (t) => {
  const { _id: partnerId } = await skewed();
  let [after, balance, seen] = [0, 0, 0];
  for (const day of ['2026-02-28', '2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04']) {
    const bounds = await statementBounds(models, partnerId, days(day));
    t.is(bounds.afterSeq, after, day);
    t.is(bounds.openingCents, balance, day);
    for await (const { amountCents } of everyMovement(models, partnerId, bounds, 1)) {
      balance += amountCents;
      seen += 1;
    }
    t.is(bounds.closingCents, balance, day);
    after = bounds.untilSeq;
  }
  t.is(seen, 6);
});

test('days before the first movement, after the last, and without any, have the balance of then', async (t) => {
  const { _id: partnerId } = await skewed();
  const balances = async (day: string) => {
    const { openingCents, closingCents } = await statementBounds(models, partnerId, days(day));
    return [openingCents, closingCents];
  };
  t.deepEqual(await balances('2020-01-01'), [0, 0]);
  t.deepEqual(await balances('2026-03-03'), [107, 107]);
  t.deepEqual(await balances('2030-01-01'), [108, 108]);
  await t.throwsAsync(balances('2026-02-30'), { instanceOf: RangeError });
  const empty = await moved();
  const none = await statementBounds(models, empty._id, days('2026-03-01'));
  t.deepEqual(none, { afterSeq: 0, untilSeq: 0, openingCents: 0, closingCents: 0 });
});

test('a later entry does not change where a day of the past ends', async (t) => {
  const before = await moved(
    ...Array.from({ length: 9 }, (_, at) => [`2026-03-0${at + 1}`, 1] as [string, number]),
  );
  const bounds = () => statementBounds(models, before._id, days('2026-03-03', '2026-03-05'));
  t.like(await bounds(), { afterSeq: 2, untilSeq: 5, openingCents: 2, closingCents: 5 });
});

test('the CSV and the PDF have every movement between the two balances', async (t) => {
  const partner = await skewed();
  const range = days('2026-03-02', '2026-03-04');
  const csv = await text(await statementCsv({ models }, scopeOf(partner), partner, range));
  const [, ...lines] = csv.trim().split('\r\n');
  const last = lines.map((line) => line.split(',').at(-2));
  const bounds = await statementBounds(models, partner._id, range);
  t.is(last[0], formatCents(bounds.openingCents, 'USD'));
  t.is(last.at(-1), '1.08');
  t.is(lines.length, bounds.untilSeq - bounds.afterSeq + 2);
  t.regex(lines.join(), /"Top-up","wire 5",,"txn_\w+",0\.01,1\.08,"USD"/);

  const movements = await movementsBetween(models, partner._id, bounds, 100);
  const { name, _id: partnerId, currency } = partner;
  const printed = { ...range, ...bounds, movements, createdAt: new Date(0) };
  const words = await textInPdf(
    await statementPdf({ ...printed, partner: { name, partnerId, currency } }),
  );
  t.regex(words, /Statement of funding Corner Shop prt_\w+ 2026-03-02 to 2026-03-04, in USD/);
  t.regex(
    words,
    /Opening balance .* Paid back to you wire 4 -\$0\.20 \$1\.07 .* Closing balance \$1\.08/,
  );
});

test('the PDF names the order that money was reserved for', async (t) => {
  const partner = await moved(['2026-03-02', 5]);
  const range = days('2026-03-02', '2026-03-02');
  const bounds = await statementBounds(models, partner._id, range);
  const [one] = await movementsBetween(models, partner._id, bounds, 1);
  if (!one) throw new Error('nothing moved');
  const movements = [{ ...one, kind: 'RESERVE', rewardId: 'PNR_1', externalOrderId: '#10001' }];
  const printed = { ...range, ...bounds, movements, createdAt: new Date(0) };
  const { name, _id: partnerId, currency } = partner;
  const words = await textInPdf(
    await statementPdf({ ...printed, partner: { name, partnerId, currency } }),
  );
  t.regex(words, /Reserved for a reward #10001 \$0\.05/);
  t.notRegex(words, /PNR_/);
});
