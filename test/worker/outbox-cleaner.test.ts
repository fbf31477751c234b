import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createMailer } from '../../messaging/mailer.ts';
import type { Models } from '../../models/schemas/index.ts';
import { newId } from '../../platform/ids.ts';
import { createLogger } from '../../platform/logger.ts';
import { cleanOutbox, startOutboxCleaner } from '../../worker/outbox-cleaner.ts';
import { eventually } from '../helpers/eventually.ts';
import { type TestDatabase, takeDatabase } from '../helpers/test-database.ts';

let models: Models;
let giveBack: TestDatabase['giveBack'];
test.before(async () => {
  ({ models, giveBack } = await takeDatabase());
});
test.after.always(() => giveBack?.());

/** An outbox with an email to a customer, whose data key is given, and one to a partner. */
async function anOutbox(t: ExecutionContext, key: { wrapped: string | null }) {
  const outboxDir = await mkdtemp(join(tmpdir(), 'outbox-'));
  t.teardown(() => rm(outboxDir, { recursive: true }));
  const dataKeyId = newId('dataKey');
  const at = new Date();
  const of = { partnerId: 'prt_1', customerId: 'cus_1', createdAt: at };
  const erasedAt = key.wrapped === null ? at : null;
  await models.dataKeys.create({ _id: dataKeyId, ...of, ...key, erasedAt });
  const send = createMailer({ smtpUrl: undefined, from: 'a@b.example', outboxDir });
  const mail = { to: 'jane@private.example', subject: 'Points', text: 'Yours.', html: '' };
  await send({ ...mail, id: 'PNR_1', dataKeyId });
  await send({ ...mail, id: 'low-balance-PNR_1' });
  return { outboxDir, ofCustomer: `PNR_1.${dataKeyId}.eml`, ofPartner: 'low-balance-PNR_1.eml' };
}

test('a saved copy stays while its customer’s key exists, and its name reveals nobody', async (t) => {
  const { outboxDir, ofCustomer, ofPartner } = await anOutbox(t, { wrapped: 'a key' });
  t.is(await cleanOutbox(models, outboxDir), 0);
  t.deepEqual((await readdir(outboxDir)).toSorted(), [ofCustomer, ofPartner]);
});

test('a saved copy is deleted with the key, even a partial one; a partner’s email stays', async (t) => {
  const { outboxDir, ofCustomer, ofPartner } = await anOutbox(t, { wrapped: null });
  await writeFile(join(outboxDir, `${ofCustomer}.part`), 'half');
  await writeFile(join(outboxDir, `PNR_2.${newId('dataKey')}.eml`), 'its key no longer exists');
  t.is(await cleanOutbox(models, outboxDir), 3);
  t.deepEqual(await readdir(outboxDir), [ofPartner]);
});

test('a missing outbox is fine', async (t) => {
  t.is(await cleanOutbox(models, join(tmpdir(), randomUUID())), 0);
});

test('a worker cleans its outbox at the start', async (t) => {
  const { outboxDir } = await anOutbox(t, { wrapped: null });
  const log = createLogger('test', { level: 'silent' });
  const cleaner = startOutboxCleaner(models, outboxDir, log);
  await eventually(
    async () => (await readdir(outboxDir)).length === 1,
    'the saved copy is deleted',
  );
  await cleaner.stop();
  t.pass();
});
