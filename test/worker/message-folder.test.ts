import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createMailer } from '../../messaging/mailer.ts';
import type { Models } from '../../models/schemas/index.ts';
import { newId } from '../../platform/ids.ts';
import { createLogger } from '../../platform/logger.ts';
import { cleanFolder, startFolderCleaner } from '../../worker/message-folder.ts';
import { eventually } from '../helpers/eventually.ts';
import { anOrderEvent } from '../helpers/signed-requests.ts';
import { type TestDatabase, takeDatabase } from '../helpers/test-database.ts';

let models: Models;
let giveBack: TestDatabase['giveBack'];
test.before(async () => {
  ({ models, giveBack } = await takeDatabase());
});
test.after.always(() => giveBack?.());

/** A message folder with an email to a customer, whose purchase says who that is or was erased, and one to a partner. */
async function aFolder(t: ExecutionContext, event: { sealed: string | null }) {
  const messageDir = await mkdtemp(join(tmpdir(), 'messages-'));
  t.teardown(() => rm(messageDir, { recursive: true }));
  const { _id: purchaseEventId, ...purchase } = anOrderEvent(event);
  await models.orderEvents.collection.insertOne({ _id: purchaseEventId, ...purchase });
  const send = createMailer({ smtpUrl: undefined, from: 'a@b.example', messageDir });
  const mail = { to: 'jane@private.example', subject: 'Points', text: 'Yours.', html: '' };
  await send({ ...mail, id: 'PNR_1', purchaseEventId });
  await send({ ...mail, id: 'low-balance-PNR_1' });
  return {
    messageDir,
    ofCustomer: `PNR_1.${purchaseEventId}.eml`,
    ofPartner: 'low-balance-PNR_1.eml',
  };
}

test('a saved copy stays until its customer is erased, and its name reveals nobody', async (t) => {
  const { messageDir, ofCustomer, ofPartner } = await aFolder(t, { sealed: 'sealed' });
  t.is(await cleanFolder(models, messageDir), 0);
  t.deepEqual((await readdir(messageDir)).toSorted(), [ofCustomer, ofPartner]);
});

test('a saved copy is deleted with its customer’s contact, even a partial one; a partner’s email stays', async (t) => {
  const { messageDir, ofCustomer, ofPartner } = await aFolder(t, { sealed: null });
  await writeFile(join(messageDir, `${ofCustomer}.${randomUUID()}.part`), 'half');
  await writeFile(join(messageDir, `PNR_2.${newId('event')}.eml`), 'its purchase does not exist');
  t.is(await cleanFolder(models, messageDir), 3);
  t.deepEqual(await readdir(messageDir), [ofPartner]);
});

test('a missing message folder is fine', async (t) => {
  t.is(await cleanFolder(models, join(tmpdir(), randomUUID())), 0);
});

test('a worker cleans its message folder at the start', async (t) => {
  const { messageDir } = await aFolder(t, { sealed: null });
  const log = createLogger('test', { level: 'silent' });
  const cleaner = startFolderCleaner(models, messageDir, log);
  await eventually(
    async () => (await readdir(messageDir)).length === 1,
    'the saved copy is deleted',
  );
  await cleaner.stop();
  t.pass();
});
