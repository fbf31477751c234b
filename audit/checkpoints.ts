import type { KeyObject } from 'node:crypto';
import type { AuditCheckpointDoc } from '../models/schemas/audit.ts';
import { keyedHasher } from '../platform/hashing.ts';

/** The state of a wallet as an audit saw it, with a keyed hash that only an audit can make. */
export type Checkpoint = Omit<AuditCheckpointDoc, '_id'>;

/** Records checkpoints outside the database. @throws Error if that fails */
export type NoteCheckpoints = (checkpoints: readonly Checkpoint[]) => Promise<void>;

export type Checkpoints = ReturnType<typeof createCheckpoints>;

/**
 * The checkpoints of the audit (docs/decisions/009). Each has a keyed hash, so that whoever can
 * write to the database can delete one but not forge one.
 * @param customerHashKey the key from which the key of the hashes is derived
 * @param note records each checkpoint before the database has it; null if audits store none
 */
export function createCheckpoints(customerHashKey: KeyObject, note: NoteCheckpoints | null = null) {
  const hash = keyedHasher(customerHashKey, 'audit checkpoint');
  const macOf = (one: Omit<Checkpoint, 'mac'>): string => {
    const { partnerId, mode, seq, seenAt } = one;
    return hash(JSON.stringify([partnerId, mode, seq, one.hash, seenAt.toISOString()]));
  };
  return {
    seal: (content: Omit<Checkpoint, 'mac'>): Checkpoint => ({ ...content, mac: macOf(content) }),

    /** Whether an audit made it. A tampered one may contain anything. */
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
