import {
  type Completion,
  carryOut,
  type Deed,
  type Doer,
  type Read,
  recordRead,
} from '../models/commands/deeds.ts';
import type { DeedsDeps } from './deps.ts';

type TrailDeps = Pick<DeedsDeps, 'models' | 'now'>;

/**
 * What a way in leaves in the audit trail.
 * @param doerOf who asks, as the trail names them
 */
export function trailOf<Asked>(doerOf: (asked: Asked) => Doer) {
  return {
    /** Does what is asked for, with its entry before and after. */
    async deed<T>(
      deps: TrailDeps,
      asked: Asked,
      what: Deed,
      command: () => Promise<T>,
      completionOf?: (outcome: T) => Completion,
    ): Promise<T> {
      return await carryOut(deps, doerOf(asked), what, command, completionOf);
    },
    /** Leaves an entry for reading what is a customer's, or was sealed. */
    async noteRead(deps: TrailDeps, asked: Asked, read: Read): Promise<void> {
      await recordRead(deps, doerOf(asked), read);
    },
  };
}
