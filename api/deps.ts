import type { Middleware } from 'koa';
import type { PublishedPlans, Usage } from '../models/billing/index.ts';
import type { OperationDeps } from '../operations/deps.ts';

/** What the API needs; built once by the entry point, or by a test. */
export interface ApiDeps extends OperationDeps {
  usage: Usage;
  /** Counts and times the requests of both listeners; without it, they are not counted. */
  recordRequests?: Middleware | undefined;
}

/** What the three GETs need. Each is a handful of indexed reads, however many events there are. */
export interface AccountDeps extends Pick<ApiDeps, 'models' | 'ledger' | 'usage' | 'now'> {
  publishedPlans: PublishedPlans;
}
