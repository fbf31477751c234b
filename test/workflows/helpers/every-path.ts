import { scopes } from '../../../domain/partners.ts';
import { walletOf } from '../../../domain/postings.ts';
import { holdMs } from '../../../domain/redemption.ts';
import { recordRedemption } from '../../../domain/redemption-facts.ts';
import {
  holdWorkflowId,
  jobWorkflowId,
  pointsEndWorkflowId,
  pointsLinkWorkflowId,
  sendAgainWorkflowId,
  webhookWorkflowId,
} from '../../../domain/workflow-names.ts';
import { queueBackTest } from '../../../jobs/index.ts';
import { createCommit } from '../../../models/commit.ts';
import { findActiveRules } from '../../../models/rewards/rules.ts';
import { correctContactOfReward, reinstateReward } from '../../../operations/rewards.ts';
import {
  createWebhookEndpoint,
  testWebhookEndpoint,
} from '../../../operations/webhook-endpoints.ts';
import { newId } from '../../../platform/ids.ts';
import { ensureSchedules, scheduleIdOf } from '../../../temporal/schedules.ts';
import { aRedemption, noLimits } from '../../helpers/a-redemption.ts';
import { claimTokenOf } from '../../helpers/claim-token.ts';
import { eventually } from '../../helpers/eventually.ts';
import { operate } from '../../helpers/operate.ts';
import { type OwnService, startOwnService } from '../../helpers/own-service.ts';
import { type Bought, rewardCents, townOf } from '../../helpers/town.ts';
import { startReceiver } from '../../helpers/webhook-receiver.ts';
import type { History } from './history-file.ts';

/** Every path that a workflow can take. Each has a recorded history in `test/histories`. */
export const everyPath = [
  'purchase-claimed',
  'purchase-mailed-later',
  'purchase-expired',
  'purchase-on-hold',
  'purchase-on-hold-released',
  'purchase-cancelled',
  'purchase-reduced',
  'purchase-corrected',
  'purchase-topped-up',
  'purchase-without-test-funding',
  'purchase-expired-in-test',
  'resumed-review-upheld',
  'resumed-review-reduced',
  'resumed-review-dismissed',
  'resumed-review-by-policy',
  'resumed-no-action',
  'resumed-reinstated',
  'resumed-claimed',
  'audit',
  'tree-head',
  'billing',
  'reconciliation',
  'shops',
  'points-end',
  'points-end-in-test',
  'job',
  'points-link',
  'send-again',
  'hold-ended',
  'webhooks-retried',
  'webhooks-disabled',
] as const;
export type Path = (typeof everyPath)[number];

/** Takes every path on a new service. @returns the workflows' histories */
export async function takeEveryPath(): Promise<{ path: Path; history: History }[]> {
  const service = await startOwnService();
  try {
    return await takeEveryPathOn(service);
  } finally {
    await service.stop();
  }
}

/** Takes every path on the given service. @returns the workflows' histories */
export async function takeEveryPathOn(
  service: OwnService,
): Promise<{ path: Path; history: History }[]> {
  const taken = {
    ...(await purchases(service)),
    ...(await rounds(service)),
    job: await job(service),
    'points-link': await pointsLink(service),
    'points-end-in-test': await pointsEnd(service),
    'send-again': await sendAgain(service),
    ...(await redemptions(service)),
    'webhooks-retried': await webhooks(service, [500, 204]),
    'webhooks-disabled': await webhooks(service, [410]),
  };
  return everyPath.map((path) => ({ path, history: taken[path] }));
}

async function purchases(service: OwnService) {
  const town = townOf(service);
  const live = await town.partner('LIVE');
  const historyOf = async (bought: Bought): Promise<History> => {
    await town.closed(bought);
    return await (await town.workflowOf(bought)).fetchHistory();
  };

  async function claimed(): Promise<Bought> {
    const bought = await town.funded(live);
    await town.claim(bought);
    return bought;
  }
  async function reviewed(
    decision: 'UPHOLD' | 'DISMISS',
    ...part: [externalRefundId?: string, amountCents?: number]
  ): Promise<History> {
    const bought = await claimed();
    await town.closed(bought);
    await town.refund(bought, ...part);
    await town.decide(await town.reviewOf(bought), decision);
    return await historyOf(bought);
  }
  async function decidedByPolicy(): Promise<History> {
    const partner = await town.partner('LIVE');
    const { partnerId } = partner;
    const of = { partnerId, mode: 'LIVE' } as const;
    const terms = { maxCents: null, perCustomer: null, withinDays: null };
    const policyId = newId('policy');
    // A grace of two seconds.
    const policy = { ...of, ...terms, _id: policyId, graceHours: 1 / 1_800, createdAt: new Date() };
    await service.models.refundPolicies.create(policy);
    const activation = { ...of, _id: newId('activation'), seq: 1, policyId };
    await service.models.policyActivations.create({ ...activation, activatedAt: new Date() });
    const bought = await town.funded(partner);
    await town.claim(bought);
    await town.closed(bought);
    await town.refund(bought);
    await town.onceState(bought, 'CANCELLED');
    return await historyOf(bought);
  }
  async function lostBeforeItsClaim(): Promise<Bought> {
    const bought = await town.funded(live);
    await (await town.workflowOf(bought)).terminate('lost');
    await town.claim(bought);
    return bought;
  }
  async function expired(): Promise<Bought> {
    const rule = { claimWindow: 'PT1S' };
    const bought = await town.buy(await town.partner('LIVE', { rule }));
    await town.onceState(bought, 'EXPIRED');
    return bought;
  }

  const onHold = async (holdFor: string): Promise<Bought> =>
    await town.funded(await town.partner('LIVE', { rule: { holdFor } }));
  const isMailedTo = ({ rewardId }: Bought) =>
    eventually(
      async () => service.mails.some(({ id }) => id === rewardId),
      'the claim link is sent',
    );
  const held = await onHold('PT3S');
  await isMailedTo(held);
  await town.claim(held);
  const released = await onHold('P14D');
  await eventually(
    async () => service.mails.some(({ id }) => id === `on-hold-${released.rewardId}`),
    'the customer is told of the hold',
  );
  await town.release(released);
  await isMailedTo(released);
  await town.claim(released);
  const cancelled = await town.funded(live);
  await town.refund(cancelled);
  const reduced = await town.funded(live);
  await town.refund(reduced, 'part', 1_200);
  await town.claim(reduced);
  const people = { ...service, now: Date.now } as never;
  const corrected = await town.funded(live);
  const { rewardId } = corrected;
  const email = 'right@customers.example';
  await operate(people, correctContactOfReward, { rewardId, email });
  const isToldTo = async () => service.mails.some(({ id }) => id === `corrected-${rewardId}`);
  await eventually(isToldTo, 'the wrong contact is told');
  await town.claim(corrected);
  const reinstated = await town.funded(live);
  await town.refund(reinstated);
  await town.closed(reinstated);
  const { rewardId: mistaken } = reinstated;
  await operate(people, reinstateReward, { rewardId: mistaken, reference: 'ticket 7' });
  const isSentAgain = async () => service.mails.some(({ id }) => id === `${mistaken}-2`);
  await eventually(isSentAgain, 'the claim link is sent again');
  await town.claim(reinstated);
  const late = await expired();
  await town.closed(late);
  await town.refund(late);
  const short = await town.partner('LIVE', { fundingCents: 1 });
  const waiting = await town.buy(short);
  await town.onceState(waiting, 'AWAITING_FUNDING');
  await town.topUp(short, rewardCents);
  const isMailed = async () => service.mails.some(({ id }) => id === waiting.rewardId);
  await eventually(isMailed, 'the claim link is sent once the reward is funded');
  await town.claim(waiting);
  service.setMailAway(true);
  const patient = await town.funded(live);
  await eventually(async () => service.mailsRefused() > 1, 'the service retries the email');
  service.setMailAway(false);
  await eventually(
    async () => service.mails.some(({ id }) => id === patient.rewardId),
    'the email is sent',
  );
  await town.claim(patient);
  const free = await town.funded(await town.partner('TEST'));
  await town.claim(free);
  const rehearsed = await town.funded(await town.partner('TEST'));
  await town.setTestClock(rehearsed, 'EXPIRE');
  return {
    'purchase-claimed': await historyOf(await claimed()),
    'purchase-mailed-later': await historyOf(patient),
    'purchase-expired': await historyOf(await expired()),
    'purchase-on-hold': await historyOf(held),
    'purchase-on-hold-released': await historyOf(released),
    'purchase-cancelled': await historyOf(cancelled),
    'purchase-reduced': await historyOf(reduced),
    'purchase-corrected': await historyOf(corrected),
    'purchase-topped-up': await historyOf(waiting),
    'purchase-without-test-funding': await historyOf(free),
    'purchase-expired-in-test': await historyOf(rehearsed),
    'resumed-review-upheld': await reviewed('UPHOLD'),
    'resumed-review-reduced': await reviewed('UPHOLD', 'a part', 1_200),
    'resumed-review-dismissed': await reviewed('DISMISS'),
    'resumed-review-by-policy': await decidedByPolicy(),
    'resumed-no-action': await historyOf(late),
    'resumed-reinstated': await historyOf(reinstated),
    'resumed-claimed': await historyOf(await lostBeforeItsClaim()),
  };
}

/** One run of each scheduled workflow. */
async function rounds(service: OwnService) {
  const { temporal, config } = service;
  const { taskQueue } = config.temporal;
  await ensureSchedules(temporal, taskQueue);
  const round = async (name: string): Promise<History> => {
    const schedule = temporal.schedule.getHandle(scheduleIdOf(name, taskQueue));
    await schedule.trigger();
    const ran = await eventually(
      async () => (await schedule.describe()).info.recentActions[0]?.action.workflow,
      'the schedule starts the workflow',
    );
    const history = await closedHistory(service, ran.workflowId);
    await schedule.delete();
    return history;
  };
  return {
    audit: await round('audit'),
    'tree-head': await round('tree-head'),
    billing: await round('billing'),
    reconciliation: await round('reconciliation'),
    shops: await round('shops'),
    'points-end': await round('points-end'),
  };
}

/** A back-test for a partner without purchases. */
async function job(service: OwnService): Promise<History> {
  const { models, messenger } = service;
  const { partnerId } = await service.partner();
  const owner = { partnerId, requestedBy: 'usr_1' };
  const [rule] = await findActiveRules(models, partnerId, 'TEST');
  if (!rule) throw new Error('the partner should have a rule');
  const { _id: jobId } = await queueBackTest({ models, now: Date.now }, owner, rule);
  await messenger.startJob({ partnerId, jobId });
  return await closedHistory(service, jobWorkflowId(jobId));
}

/** A customer's request for the link to their points. */
async function pointsLink(service: OwnService): Promise<History> {
  const { messenger } = service;
  const buying = await service.partner();
  const { body } = await buying.purchase();
  const rewardId: string = body.reward.id;
  const { partnerId, purchaseEventId, customerId, mode } = await service.rewardOf(rewardId);
  const asked = { partnerId, purchaseEventId, rewardId, customerId, mode };
  await messenger.startPointsLink({ ...asked, language: 'de' });
  return await closedHistory(service, pointsLinkWorkflowId(rewardId));
}

/** The TEST clock moves the points of a customer towards their end. */
async function pointsEnd(service: OwnService): Promise<History> {
  const { partnerId } = await service.partner();
  const customerId = 'cus_1';
  await service.messenger.startPointsEnd({ partnerId, customerId, told: 0 });
  return await closedHistory(service, pointsEndWorkflowId(customerId));
}

/** A claim link that is sent again. */
async function sendAgain(service: OwnService): Promise<History> {
  const buying = await service.partner();
  const { partnerId } = buying;
  const { body } = await buying.purchase();
  const rewardId: string = body.reward.id;
  await service.messenger.startSendAgain({ partnerId, rewardId });
  return await closedHistory(service, sendAgainWorkflowId(rewardId));
}

/** A hold whose time is over in a second. */
async function redemptions(service: OwnService) {
  const { models, hashKey } = service;
  const partner = await service.partner({ scopes: [...scopes] });
  const { body } = await partner.purchase();
  await service.claim(await claimTokenOf(service, body.eventId));
  const { partnerId, customerId, mode, integrationId } = await service.rewardOf(body.reward.id);
  const commit = createCommit({ models, hashKey, now: () => Date.now() - holdMs + 1_000 });
  const of = { partnerId, customerId, mode, integrationId, _id: 'red_held' };
  await commit({
    partnerId,
    wallet: walletOf(of),
    customerIds: [customerId],
    decide: (draft, terms) =>
      recordRedemption(draft, aRedemption({ ...of, isHeld: true }), terms, noLimits),
  });
  await service.carriedOut(partner);
  return {
    'hold-ended': await closedHistory(service, holdWorkflowId('red_held')),
  };
}

/** A test event for an endpoint. @param answers the statuses of its responses */
async function webhooks(service: OwnService, answers: number[]): Promise<History> {
  const { models, sealer, config } = service;
  const receiver = await startReceiver();
  receiver.answerWith((response) => void response.writeHead(answers.shift() ?? 204).end());
  const { partnerId } = await service.partner();
  const deps = { models, sealer, config, now: Date.now };
  const { endpoint } = await operate(deps, createWebhookEndpoint, {
    partnerId,
    mode: 'TEST',
    url: receiver.url,
    eventTypes: ['test.ping'],
    description: '',
  });
  await operate(deps, testWebhookEndpoint, { partnerId, endpointId: endpoint._id });
  const ended = { endpointId: endpoint._id, state: { $ne: 'PENDING' as const } };
  await eventually(
    () => models.webhookDeliveries.exists(ended),
    'the delivery succeeds or is abandoned',
  );
  const history = await closedHistory(service, webhookWorkflowId(endpoint._id));
  await receiver.stop();
  return history;
}

async function closedHistory({ temporal }: OwnService, workflowId: string): Promise<History> {
  const handle = temporal.workflow.getHandle(workflowId);
  await eventually(
    async () => (await handle.describe()).status.name === 'COMPLETED',
    `${workflowId} closes`,
  );
  return await handle.fetchHistory();
}
