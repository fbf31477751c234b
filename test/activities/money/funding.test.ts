import { randomUUID } from 'node:crypto';
import test from 'ava';
import { runAudit } from '../../../audit/run.ts';
import { isFunded } from '../../../domain/reward.ts';
import { eventually } from '../../helpers/eventually.ts';
import { Operator } from '../../helpers/operator.ts';
import { aPurchase, type PartnerBackend, type Reply } from '../../helpers/partner-backend.ts';
import { type Service, startService } from '../../helpers/service.ts';
import { rewardCents } from '../../helpers/town.ts';

let service: Service;
let ada: Operator;
test.before(async () => {
  service = await startService();
  ada = new Operator(service, service.adminToken);
});
test.after.always(() => service?.stop());

const rewardsOf = ({ partnerId }: PartnerBackend) =>
  service.models.rewards.find({ partnerId }).sort({ _id: 1 });

/** Waits until each reward of the partner is either funded or in the queue. */
async function accounted(partner: PartnerBackend, funded: number, awaiting: number) {
  return await eventually(async () => {
    const rewards = await rewardsOf(partner);
    const inQueue = rewards.filter(({ state }) => state === 'AWAITING_FUNDING');
    const isSettled =
      rewards.filter(({ state }) => isFunded(state)).length === funded &&
      inQueue.length === awaiting;
    return isSettled && { rewards, inQueue };
  }, `${funded} rewards are funded and ${awaiting} wait`);
}

/** Sends a purchase, and retries it with its key while the busy service responds with 503. */
async function answered(partner: PartnerBackend): Promise<Reply> {
  const purchase = aPurchase();
  const idempotencyKey = randomUUID();
  return await eventually(async () => {
    const reply = await partner.purchase(purchase, { idempotencyKey });
    return reply.status !== 503 && reply;
  }, 'the purchase is answered');
}

async function topUp({ partnerId }: PartnerBackend, amountCents: number, reference: string) {
  const money = { amountCents, currency: 'USD', externalReference: reference };
  const { status, text } = await ada.post(`/partners/${partnerId}/top-ups`, money);
  if (status !== 201) throw new Error(text);
}

test.serial(
  '200 concurrent purchases with funds for 100: 100 are funded, 100 wait, and 50 more go to the oldest',
  async (t) => {
    const partner = await service.partner({ mode: 'LIVE', fundingCents: 100 * rewardCents });
    const replies = await Promise.all(Array.from({ length: 200 }, () => answered(partner)));
    t.deepEqual([...new Set(replies.map(({ status }) => status))], [201]);
    const before = await accounted(partner, 100, 100);

    // First come, first served.
    const { partnerId } = partner;
    const reservations = await service.models.ledger.find({ partnerId, kind: 'RESERVE' });
    t.is(reservations.length, 100);
    const wallet = async () => (await ada.get(`/partners/${partnerId}/wallet`)).body;
    t.like(await wallet(), { fundingCents: 0, awaitingRewards: 100 });

    await topUp(partner, 50 * rewardCents, 'for fifty');
    const { inQueue } = await accounted(partner, 150, 50);
    const ids = (rewards: { _id: string }[]) => rewards.map(({ _id }) => _id);
    t.deepEqual(ids(inQueue), ids(before.inQueue.slice(50)), 'the oldest 50 were funded');
    t.like(await wallet(), {
      fundingCents: 0,
      reservedCents: 150 * rewardCents,
      awaitingRewards: 50,
      awaitingCents: 50 * rewardCents,
    });
    const { faults, summary } = await runAudit(service, { partnerId });
    t.is(faults, 0, summary);
  },
);

test.serial(
  'the partner is notified of low funds once per crossing, and of a shortage once',
  async (t) => {
    const contactEmail = `money-${Date.now()}@shop.example`;
    const partner = await service.partner({
      mode: 'LIVE',
      fundingCents: 3 * rewardCents,
      partner: {
        contactEmail,
        verifiedContactEmail: contactEmail,
        lowBalanceThresholdCents: 2 * rewardCents,
      },
    });
    const subjects = () =>
      service.mails.filter(({ to }) => to === contactEmail).map(({ subject }) => subject);
    const buy = async (funded: number, awaiting: number) => {
      await partner.purchase();
      await accounted(partner, funded, awaiting);
    };
    const mailed = (count: number) =>
      eventually(async () => subjects().length >= count, `the partner gets ${count} emails`);

    await buy(1, 0);
    t.deepEqual(subjects(), [], 'the threshold is reached and not crossed');
    await buy(2, 0);
    await mailed(1);
    await buy(3, 0);
    await buy(3, 1);
    await mailed(2);
    await buy(3, 2);
    // Funds the two waiting rewards, and leaves funds for three: above the threshold again.
    await topUp(partner, 5 * rewardCents, 'again');
    await accounted(partner, 5, 0);
    await buy(6, 0);
    await buy(7, 0);
    await mailed(3);
    await buy(8, 0);
    t.deepEqual(subjects(), [
      'Your reward funding is down to $4.99',
      'A LIVE reward is waiting for funding: $4.99 is missing',
      'Your reward funding is down to $4.99',
    ]);
    const [low] = service.mails.filter(({ to }) => to === contactEmail);
    t.regex(
      low?.text ?? '',
      /below \$9\.98\. At the current rate, it lasts less than a day\. Top it up/,
    );
  },
);
