import type { KeyObject } from 'node:crypto';
import { keyedHasher } from '../../platform/hashing.ts';
import type { AuditCheckpointDoc } from '../schemas/audit-checkpoint.ts';

/** What an audit saw of an account, with the keyed hash that only an audit can make. */
export type Checkpoint = Omit<AuditCheckpointDoc, '_id'>;

/** Writes checkpoints down outside the database. @throws Error when that fails */
export type NoteCheckpoints = (checkpoints: readonly Checkpoint[]) => Promise<void>;

export type Checkpoints = ReturnType<typeof createCheckpoints>;

/**
 * The checkpoints of the audit (docs/decisions/009). Each carries a keyed hash, so that whoever can
 * write the database can take one away, but not make one.
 * @param customerHashKey keys them, by a key derived from it
 * @param note where each is written down before the database has it; without it, an audit keeps none
 */
export function createCheckpoints(customerHashKey: KeyObject, note: NoteCheckpoints | null = null) {
  const hash = keyedHasher(customerHashKey, 'audit checkpoint');
  const macOf = (one: Omit<Checkpoint, 'mac'>): string => {
    const { partnerId, collectionName, account, seq, seenAt } = one;
    return hash(
      JSON.stringify([partnerId, collectionName, account, seq, one.hash, seenAt.toISOString()]),
    );
  };
  return {
    seal: (content: Omit<Checkpoint, 'mac'>): Checkpoint => ({ ...content, mac: macOf(content) }),

    /** Whether an audit made it. What was changed may hold anything. */
    isGenuine(checkpoint: Checkpoint): boolean {
      try {
        return macOf(checkpoint) === checkpoint.mac;
      } catch {
        return false;
      }
    },

    note,
  };
}

/** A checkpoint's place among the stored ones: one for each account. */
export const checkpointIdOf = ({
  partnerId,
  collectionName,
  account,
}: Pick<Checkpoint, 'partnerId' | 'collectionName' | 'account'>): string =>
  `${partnerId}/${collectionName}/${account}`;
