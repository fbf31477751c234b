import type { Models } from '../schemas/index.ts';
import { upsertUnjournaled } from './upsert-unjournaled.ts';

/** A relay that has not been seen for this long is gone, by the database's clock. */
const goneAfterMs = 5_000;

/** The relays of all workers, between which partners are divided. */
export interface RelayMembership {
  /** Says that this relay works. @returns its place among those that do, and how many they are */
  join(): Promise<{ place: number; count: number }>;
  leave(): Promise<void>;
}

/** @param relayId unique to this process */
export function createRelayMembership(models: Models, relayId: string): RelayMembership {
  const { relays } = models;
  return {
    async join() {
      const [{ seenAt }] = [
        await upsertUnjournaled(models, relays, { _id: relayId }, [{ $set: { seenAt: '$$NOW' } }]),
      ];
      const since = new Date(seenAt.getTime() - goneAfterMs);
      const working = await relays.find({ seenAt: { $gte: since } }, { _id: 1 }).sort({ _id: 1 });
      const ids = working.map(({ _id }) => _id);
      return { place: Math.max(0, ids.indexOf(relayId)), count: Math.max(1, ids.length) };
    },
    async leave() {
      await relays.deleteOne({ _id: relayId });
    },
  };
}
