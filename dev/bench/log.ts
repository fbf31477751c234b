import { dayMs } from '../../domain/utc-days.ts';
import { integrationEventOf } from '../../models/events/integration-events.ts';
import { countRewards } from '../../models/rewards/totals.ts';
import type { OrderEventDoc } from '../../models/schemas/events.ts';
import type { Models } from '../../models/schemas/index.ts';
import type { IntegrationEventDoc } from '../../models/schemas/requests.ts';
import { system } from '../../operations/actor.ts';
import { execute } from '../../operations/execute.ts';
import { createPartner } from '../../operations/partners/create.ts';
import { acceptInvitation } from '../../operations/users/accept-invitation.ts';
import { inviteUser } from '../../operations/users/invite.ts';
import { correspondingId, newId } from '../../platform/ids.ts';
import type { PortalDeps } from '../../portal/deps.ts';
import { hashes, measurePages, type PageToMeasure, signIn } from './portal-pages.ts';
import { rewardOf } from './reward-of.ts';

/**
 * `npm run bench:log`: the response times of a partner's home, log, search and rewards, as complete pages
 * over HTTP, with 100 events and with 100,000, or with the numbers given as arguments. Needs a MongoDB
 * (`MONGODB_URI`); creates its own databases and drops them. Fails if the 95th percentile of a page exceeds a
 * tenth of a second.
 */
const batch = 5_000;
const days = 90;
const nowMs = Date.now();

await measurePages('log', async (deps, events) => {
  const { models } = deps;
  const [live, sandbox] = [await aPartner(deps, 'Live'), await aPartner(deps, 'Sandbox')];
  await models.partners.updateOne({ _id: live.partnerId }, { $set: { 'goLive.state': 'LIVE' } });
  await fill(models, events, [live.partnerId, sandbox.partnerId]);
  return [
    ['home, while setting up', '/home', sandbox.cookie],
    ...pagesOf(events).map(([what, path]): PageToMeasure => [what, path, live.cookie]),
  ];
});

/** With a signed-in owner. */
async function aPartner(deps: PortalDeps, name: string) {
  const { _id: partnerId } = await execute(deps, createPartner, system('seed'), { name });
  const invitation = await execute(
    { ...deps, sendMessage: async () => undefined },
    inviteUser,
    system('seed'),
    { partnerId, email: `${name}@bench.example`, role: 'owner' },
  );
  const fields = { name: 'An owner', password: 'correct horse battery' };
  const { _id } = await execute(deps, acceptInvitation, system('seed'), {
    invitationId: invitation._id,
    ...fields,
  });
  return { partnerId, cookie: await signIn(deps, _id) };
}

/** Half of the events are the measured partner's, spread over the days, with a few rare ones. */
async function fill(models: Models, events: number, partnerIds: string[]): Promise<void> {
  for (let from = 0; from < events; from += batch) {
    const length = Math.min(batch, events - from);
    const accepted = Array.from({ length }, (_, index) =>
      anEvent(from + index, partnerIds[index % 2] ?? '', events),
    );
    await models.orderEvents.collection.insertMany(accepted, { ordered: false });
    await models.integrationEvents.collection.insertMany(
      accepted.map((event, index) => aRequest(event, from + index)),
      { ordered: false },
    );
    const rewards = accepted.map((event, index) => aReward(event, from + index));
    await models.rewards.collection.insertMany(rewards as never[], { ordered: false });
  }
  for (const partnerId of partnerIds) await countRewards(models, partnerId);
}

/** One in ten has expired; a thousand customers return. */
function aReward(event: OrderEventDoc, index: number) {
  const status = index % 10 === 2 ? 'EXPIRED' : 'AVAILABLE';
  return { ...rewardOf(event, status, customerOf(index)), toCount: true };
}

function customerOf(index: number): string {
  return `cus_${String(index % 1_000).padStart(32, '0')}`;
}

function anEvent(index: number, partnerId: string, events: number): OrderEventDoc {
  const receivedAt = new Date(nowMs - Math.floor(((events - index) / events) * days * dayMs));
  const _id = newId('event', receivedAt.getTime());
  return {
    _id,
    partnerId,
    integrationId: 'int_bench',
    credentialId: 'key_bench',
    mode: index % 10 < 7 ? 'LIVE' : 'TEST',
    type: 'PURCHASE',
    externalOrderId: `order-${index}`,
    idempotencyKeyHash: hashes.ofIdempotencyKey(`key-${index}`),
    payloadHash: _id,
    requestId: correspondingId('request', _id),
    receivedAt,
    occurredAt: null,
    sealed: '',
    rewardId: correspondingId('reward', _id),
    purchaseEventId: _id,
    workflowId: `order-${index}/LIVE/bench`,
    request: { method: 'POST', path: '/api/v1/partner/purchases', status: 201 },
    answer: '{}',
    purchase: null,
    externalRefundId: null,
    // The newest hundred wait for their workflow.
    ...(index >= events - 100 && { pendingSince: receivedAt }),
  };
}

/** One in a hundred is not an accepted purchase; the rarest are at the far end. */
function aRequest(event: OrderEventDoc, index: number): IntegrationEventDoc {
  const accepted = integrationEventOf(event, null);
  if (index < 4) return { ...accepted, mode: 'TEST', type: 'REFUND', code: 'TOO_MANY_REFUNDS' };
  if (index % 100 === 0) return { ...accepted, code: 'REPLAYED' };
  return accepted;
}

function pagesOf(events: number): [what: string, path: string][] {
  const old = newId('integrationEvent', Math.round(nowMs - days * dayMs * 0.99));
  const rare = 'mode=TEST&type=REFUND&code=TOO_MANY_REFUNDS';
  const middle = 2 * Math.floor(events / 4);
  const day = (daysAgo: number) => new Date(nowMs - daysAgo * dayMs).toISOString().slice(0, 10);
  return [
    ['home, once live', '/home'],
    ['log, first page', '/events'],
    ['log, page near the end', `/events?older=${old}`],
    ['log, newer page near the end', `/events?newer=${old}`],
    ['log of one mode', '/events?mode=TEST'],
    ['log of one type, rare', '/events?type=REFUND'],
    ['log of one code, rare', '/events?code=TOO_MANY_REFUNDS'],
    ['log of mode, type and code, rare', `/events?${rare}`],
    ['log of an order', `/events?order=order-${middle}`],
    ['log of a day', `/events?from=${day(70)}&to=${day(70)}`],
    ['log of days, mode and code', `/events?${rare}&from=${day(85)}&to=${day(40)}`],
    ['search by order', `/find?q=order-${middle}`],
    ['search by Idempotency-Key', `/find?q=key-${middle}`],
    ['search by event', `/find?q=${newId('event')}`],
    ['search without results', '/find?q=no+such+thing'],
    ['rewards, first page and totals', '/rewards'],
    ['rewards of one state', '/rewards?status=EXPIRED'],
    ['rewards of a day range', `/rewards?from=${day(70)}&to=${day(40)}`],
    ['rewards of an order', `/rewards?order=order-${middle}`],
    ['rewards of a customer', `/rewards?customer=${customerOf(0)}`],
    ['funding', '/funding'],
    ['usage', '/usage'],
  ];
}
