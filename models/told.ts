import { channel } from 'node:diagnostics_channel';
import type { Mode } from '../domain/events.ts';
import type { RewardMove } from '../domain/reward-states.ts';

/** What the models tell of their work to whoever measures it; nothing where nobody listens. */
function telling<Message>(name: string) {
  const told = channel(name);
  return {
    tell(message: Message): void {
      if (told.hasSubscribers) told.publish(message);
    },
    listen(listener: (message: Message) => void): void {
      told.subscribe((message) => listener(message as Message));
    },
  };
}

/** One write to a collection of chains. */
export interface Appended {
  collection: string;
  entries: number;
  /** Whether another append took a place first, so that what is left is decided anew. */
  raced: boolean;
}

export const appended = telling<Appended>('models:appended');

/** One move of a reward, now stored. */
export interface RewardMoved {
  mode: Mode;
  move: RewardMove;
  /** How old the purchase was when its reward was first funded; null on every other move. */
  firstFundedAfterMs: number | null;
}

export const rewardMoved = telling<RewardMoved>('models:reward-moved');
