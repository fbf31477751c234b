import type { Registry } from '@prometheus-io/client';
import { Gauge } from '@prometheus-io/client';
import type { mongo } from 'mongoose';
import { metricPrefix } from './metrics.ts';

/** What a member said in its latest heartbeat, in milliseconds of this machine's clock and of the primary's. */
export interface Heartbeat {
  isPrimary: boolean;
  heardAt: number;
  lastWriteAt: number;
}

/** Where the driver tells of each member's heartbeats. */
export type HeartbeatSource = Pick<mongo.MongoClient, 'on'>;

/**
 * How far a member is behind the primary. Both wrote something at least ten seconds ago, so a small lag says nothing.
 * @returns milliseconds
 */
export function lagMs(member: Heartbeat, primary: Heartbeat): number {
  return Math.max(0, primary.lastWriteAt - primary.heardAt - (member.lastWriteAt - member.heardAt));
}

/** Measures which members of MongoDB's replica set can be reached, and how far each is behind the primary. */
export function observeMembers(source: HeartbeatSource, registry: Registry): void {
  const heard = new Map<string, Heartbeat | null>();
  const options = { labelNames: ['member'] as const, registers: [registry] };
  new Gauge({
    name: `${metricPrefix}mongodb_member_up`,
    help: 'Whether a member of the replica set answers this process',
    ...options,
    collect() {
      this.reset();
      for (const [member, heartbeat] of heard) this.set({ member }, heartbeat === null ? 0 : 1);
    },
  });
  new Gauge({
    name: `${metricPrefix}mongodb_lag_seconds`,
    help: 'How far a member of the replica set is behind the primary',
    ...options,
    collect() {
      this.reset();
      const primary = [...heard.values()].find((one) => one?.isPrimary);
      if (!primary) return;
      for (const [member, heartbeat] of heard) {
        if (heartbeat !== null) this.set({ member }, lagMs(heartbeat, primary) / 1000);
      }
    },
  });
  source.on('serverHeartbeatSucceeded', ({ connectionId, reply }) => {
    const isPrimary = reply.isWritablePrimary === true;
    // Others are no members with data, such as an arbiter or one that is being set up.
    if (!isPrimary && reply.secondary !== true) return;
    const lastWriteAt = Number(reply.lastWrite?.lastWriteDate);
    heard.set(connectionId, { isPrimary, heardAt: Date.now(), lastWriteAt });
  });
  source.on('serverHeartbeatFailed', ({ connectionId }) => heard.set(connectionId, null));
  source.on('serverClosed', ({ address }) => heard.delete(address));
}
