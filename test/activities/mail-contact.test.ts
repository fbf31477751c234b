import test from 'ava';
import { sendToCustomer } from '../../activities/messages.ts';
import type { Mail, Message } from '../../messaging/message.ts';
import { createPartner } from '../../operations/partners.ts';
import { operate } from '../helpers/operate.ts';
import { type TestDatabase, takeDatabase } from '../helpers/test-database.ts';

let models: TestDatabase['models'];
let giveBack: TestDatabase['giveBack'];
test.before(async () => {
  ({ models, giveBack } = await takeDatabase());
});
test.after.always(() => giveBack?.());

const contactEmail = 'owner@shop.example';
const mail: Mail = {
  id: 'PNR_1',
  to: 'stranger@private.example',
  subject: 'Your points',
  text: 'Claim them',
  html: '<p>Claim them</p>',
};

/** Sends a TEST email to a customer. @returns the messages that are sent */
async function sentInTest(verifiedContactEmail: string | null): Promise<Message[]> {
  const created = await operate({ models, now: Date.now }, createPartner, {
    name: 'Shop',
    contactEmail,
  });
  const partner = { ...created, verifiedContactEmail };
  const sent: Message[] = [];
  const sendMessage = async (message: Message) => void sent.push(message);
  await sendToCustomer({ models, sendMessage }, partner, 'TEST', mail);
  return sent;
}

test('a TEST email delivered to the partner’s contact is sent to nobody else', async (t) => {
  t.deepEqual(await sentInTest(contactEmail), [{ ...mail, to: contactEmail }]);
});

test('a TEST email that reaches no contact stays in the outbox', async (t) => {
  t.deepEqual(await sentInTest(null), [{ ...mail, staysInOutbox: true }]);
});
