import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { applyMove, initialState, type Reward } from '../../domain/reward.ts';
import { announcementsOfMove } from '../../domain/reward-webhooks.ts';
import type { Models } from '../../models/schemas/index.ts';
import { idOfAnnouncement } from '../../models/webhooks/announce.ts';
import { createPatience } from './patience.ts';
import type { TrafficLog } from './traffic-log.ts';

type Received = TrafficLog['webhooks'];

/**
 * The partners' endpoint, which is never killed: it responds with 204 and records arrivals.
 * @returns its URL
 */
export async function startWebhookReceiver({ arrived }: Received): Promise<string> {
  const server = createServer(async (request, response) => {
    await text(request).catch(() => '');
    const id = String(request.headers['webhook-id']);
    arrived.set(id, (arrived.get(id) ?? 0) + 1);
    response.writeHead(204).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

const maxNamed = 20;

/**
 * Waits until every move of the rewards of partners with an endpoint has arrived, and finds arrivals of moves
 * that were never made.
 * @returns the faults
 */
export async function findWebhookFaults(
  models: Models,
  { endpoints, arrived }: Received,
  patienceMs: number,
): Promise<string[]> {
  const isPatient = createPatience(patienceMs);
  for (;;) {
    const missing = new Set<string>();
    const expected = new Set<string>();
    for (const of of endpoints) {
      for await (const reward of models.rewards.find(of).cursor()) {
        for (const announcement of announcementsOfMoves(reward)) {
          const id = idOfAnnouncement(announcement);
          expected.add(id);
          if (!arrived.has(id))
            missing.add(`${reward._id}: ${announcement.type} was not announced`);
        }
      }
    }
    if (missing.size > 0 && isPatient(missing.size)) {
      await delay(1_000);
      continue;
    }
    const stored = await models.webhookDeliveries.find(
      { eventId: { $in: [...arrived.keys()] } },
      { eventId: 1, rewardId: 1 },
    );
    const rewardOf = new Map(stored.map(({ eventId, rewardId }) => [eventId, rewardId]));
    const invented = [...arrived.keys()]
      .filter((id) => rewardOf.get(id) !== null && !expected.has(id))
      .map((id) => `${id} was announced, but its move was never made`);
    return [...missing, ...invented].slice(0, maxNamed);
  }
}

/** What each move of a reward announces. */
function announcementsOfMoves(reward: Reward) {
  let state = initialState;
  return reward.moves.flatMap((made, place) => {
    const before = state;
    state = applyMove(before, made.move);
    return announcementsOfMove({ ...reward, state, version: place + 1 }, before, made);
  });
}
