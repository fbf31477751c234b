import test from 'ava';
import { eventually } from '../helpers/eventually.ts';
import { aPurchase } from '../helpers/partner-backend.ts';
import { type PartnerOverrides, type Service, startService } from '../helpers/service.ts';

let service: Service;
test.before(async () => {
  service = await startService();
});
test.after.always(() => service.stop());

const email = 'stranger@private.example';
const contactEmail = 'owner@shop.example';

/** The mail that carries the claim link of a new purchase. */
async function claimMail(overrides: PartnerOverrides) {
  const partner = await service.partner(overrides);
  const { body } = await partner.purchase(aPurchase({ customer: { email } }));
  return await eventually(
    async () => service.mails.find(({ id }) => id === body.reward.id),
    'the mail is sent',
  );
}

test('a TEST mail reaches no stranger: it stays in the outbox, and says TEST', async (t) => {
  const mail = await claimMail({ mode: 'TEST' });
  t.true(mail.staysInOutbox);
  t.regex(mail.subject, /^\[TEST\] /);
});

test('a TEST mail goes to the partner’s own contact, where one is set', async (t) => {
  const mail = await claimMail({ mode: 'TEST', partner: { contactEmail } });
  t.falsy(mail.staysInOutbox);
  t.is(mail.to, contactEmail);
  t.regex(mail.subject, /^\[TEST\] /);
});

test('a LIVE mail goes to the customer', async (t) => {
  const mail = await claimMail({
    mode: 'LIVE',
    fundingCents: 1_000_000,
    partner: { contactEmail },
  });
  t.falsy(mail.staysInOutbox);
  t.is(mail.to, email);
  t.notRegex(mail.subject, /TEST/);
});
