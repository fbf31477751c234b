import type { RewardSnapshot } from '../domain/events.ts';
import type { Books } from '../models/books.ts';
import type { Models } from '../models/index.ts';
import type { Settle } from '../models/settlement.ts';
import type { Messenger } from '../platform/messenger.ts';
import type { Sealer } from '../platform/sealing.ts';
import type { SendMail } from './mail.ts';

/** What the activities need; built once by the worker, or by a test. */
export interface ActivityDeps {
  models: Models;
  books: Books;
  settle: Settle;
  meter: Meter;
  messenger: Messenger;
  sealer: Sealer;
  sendMail: SendMail;
  /** Where customers reach the claim links, without a slash at the end. */
  publicUrl: string;
  reviewDueMs: number;
}

/** Counts the points of funded LIVE rewards against the plan, once each, and gives them back. */
export interface Meter {
  count(reward: RewardSnapshot, fundedAt: string): Promise<void>;
  giveBack(reward: RewardSnapshot, at: string): Promise<void>;
}
