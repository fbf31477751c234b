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
  messenger: Messenger;
  sealer: Sealer;
  sendMail: SendMail;
  /** Where customers reach the claim links, without a slash at the end. */
  publicUrl: string;
  reviewDueMs: number;
}
