import test from 'ava';
import { claimTokenOf } from '../helpers/claim-token.ts';
import { eventually } from '../helpers/eventually.ts';
import { aPurchase, type PartnerBackend, toReply } from '../helpers/partner-backend.ts';
import { type PartnerOverrides, type Service, startService } from '../helpers/service.ts';

let service: Service;
let partner: PartnerBackend;

test.before(async () => {
  service = await startService();
  partner = await service.partner();
});
test.after.always(() => service.stop());

const open = async (token: string, method = 'GET') =>
  toReply(await fetch(`${service.baseUrl}/claim/${token}`, { method }));
const claim = (token: string) => open(token, 'POST');

/** A fresh reward with its claim token. */
async function rewarded(from: PartnerBackend = partner) {
  const body = aPurchase();
  const { body: answer, text } = await from.purchase(body);
  if (!answer.success) throw new Error(text);
  return {
    externalOrderId: body.externalOrderId,
    reward: answer.reward,
    token: await claimTokenOf(service, answer.eventId),
  };
}
const withWindow = async (claimWindow: string, overrides: PartnerOverrides = {}) =>
  rewarded(await service.partner({ ...overrides, rule: { claimWindow } }));

test('GET /claim/{token} shows what the link is worth and until when, and changes nothing', async (t) => {
  const { reward, token } = await rewarded();
  for (let looks = 0; looks < 2; looks++) {
    const { status, body, headers } = await open(token);
    t.is(status, 200);
    t.deepEqual(body, {
      success: true,
      mode: 'TEST',
      partner: { name: 'Corner Shop' },
      reward: {
        points: 499,
        status: 'PENDING',
        customerStatus: 'AWAITING_CUSTOMER_CLAIM',
        claimExpiresAt: reward.claimExpiresAt,
      },
    });
    t.is(headers.get('cache-control'), 'no-store');
    t.regex(headers.get('x-request-id') ?? '', /^req_/);
  }
});

test('the customer gets the link by e-mail, once', async (t) => {
  const { reward, token } = await rewarded();
  const mail = await eventually(
    async () => service.mails.find(({ id }) => id === reward.id),
    'the mail is sent',
  );
  t.is(mail.to, 'customer@example.com');
  t.true(mail.text.includes(`http://claims.example/claim/${token}`));
  t.true(mail.subject.includes('499 points'));
  await claim(token);
  t.is(service.mails.filter(({ id }) => id === reward.id).length, 1);
});

test('POST /claim/{token} claims the reward; again, it is answered the same', async (t) => {
  const { reward, token } = await rewarded();
  const first = await claim(token);
  t.is(first.status, 200, first.text);
  t.like(first.body.reward, { status: 'AVAILABLE', customerStatus: 'CLAIMED', points: 499 });
  const again = await claim(token);
  t.is(again.status, 200);
  t.deepEqual(again.body, first.body);
  t.deepEqual((await open(token)).body, first.body);
  const stored = await service.rewardOf(reward.id);
  t.deepEqual(
    stored.moves.map(({ move }) => move),
    ['FUND', 'CLAIM'],
  );
});

test('10 claims at once are one claim and 10 equal answers', async (t) => {
  const { reward, token } = await rewarded();
  const replies = await Promise.all(Array.from({ length: 10 }, () => claim(token)));
  t.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
  t.is(new Set(replies.map(({ text }) => text)).size, 1);
  const stored = await service.rewardOf(reward.id);
  t.is(stored.moves.filter(({ move }) => move === 'CLAIM').length, 1);
});

test('a claimed reward stays shown as claimed while its refund is reviewed', async (t) => {
  const { externalOrderId, token } = await rewarded();
  await claim(token);
  const refund = await partner.refund({ externalOrderId });
  t.is(refund.body.refund.status, 'ADMIN_REVIEW');
  const again = await claim(token);
  t.is(again.status, 200);
  t.like(again.body.reward, { status: 'ADMIN_REVIEW', customerStatus: 'CLAIMED' });
});

test('a link that nobody was sent is 404, whatever it looks like', async (t) => {
  const { reward, token } = await rewarded();
  for (const unknown of ['x', `${token}x`, token.slice(1), reward.id, '%00', '%F0%9F%8E%81']) {
    for (const method of ['GET', 'POST']) {
      const { status, body } = await open(unknown, method);
      t.is(status, 404, unknown);
      t.is(body.error.code, 'NOT_FOUND');
    }
  }
});

test('a path that cannot be decoded is refused as the caller’s mistake', async (t) => {
  const { status, body } = await open('%E0%A4%A');
  t.true(status >= 400 && status < 500, String(status));
  t.is(typeof body?.error?.code, 'string');
});

test('a claim after the window is 410 CLAIM_EXPIRED', async (t) => {
  const { reward, token } = await withWindow('PT1S');
  await eventually(async () => (await open(token)).body.reward.status === 'EXPIRED', 'it expires');
  const { status, body } = await claim(token);
  t.is(status, 410);
  t.is(body.error.code, 'CLAIM_EXPIRED');
  t.like((await open(token)).body.reward, {
    status: 'EXPIRED',
    customerStatus: 'CLAIM_EXPIRED',
    claimExpiresAt: reward.claimExpiresAt,
  });
});

test('the reward of a refunded purchase is 409 REWARD_NOT_CLAIMABLE', async (t) => {
  const { externalOrderId, token } = await rewarded();
  await partner.refund({ externalOrderId });
  const { status, body } = await claim(token);
  t.is(status, 409);
  t.is(body.error.code, 'REWARD_NOT_CLAIMABLE');
  t.like((await open(token)).body.reward, { status: 'CANCELLED', customerStatus: 'CANCELLED' });
});

test('a reward of 0 points can be claimed, and a window of years is kept', async (t) => {
  const generous = await service.partner({ rule: { claimWindow: 'P5Y', points: 0 } });
  const { reward, token } = await rewarded(generous);
  t.is(reward.points, 0);
  const years = new Date(reward.claimExpiresAt).getUTCFullYear() - new Date().getUTCFullYear();
  t.is(years, 5);
  t.is((await claim(token)).body.reward.customerStatus, 'CLAIMED');
});

test('a LIVE reward is claimed like a TEST one', async (t) => {
  const { token } = await withWindow('P30D', { mode: 'LIVE', fundingCents: 1_000 });
  t.like((await claim(token)).body, { mode: 'LIVE', reward: { customerStatus: 'CLAIMED' } });
});

test('the claim page says nothing about the customer or the partner’s ids', async (t) => {
  const personal = await partner.purchase(
    aPurchase({ customer: { email: 'jane.doe@example.com', phone: '+14155552671' } }),
  );
  const token = await claimTokenOf(service, personal.body.eventId);
  for (const method of ['GET', 'POST', 'GET']) {
    const { text } = await open(token, method);
    for (const secret of ['jane', '4155552671', 'cus_', partner.partnerId, token]) {
      t.false(text.includes(secret), secret);
    }
  }
});

test('other methods are 405 and name those allowed', async (t) => {
  const { token } = await rewarded();
  const { status, body, headers } = await open(token, 'DELETE');
  t.is(status, 405);
  t.is(body.error.code, 'METHOD_NOT_ALLOWED');
  t.regex(headers.get('allow') ?? '', /GET.*POST/);
});
