import type { Middleware } from 'koa';
import type { PublishedPlans } from '../models/billing/index.ts';
import type { OperationDeps } from '../operations/deps.ts';

/** Dependencies of both APIs, built once by the entry point or by a test. */
export interface ApiDeps extends OperationDeps {
  /** How long a credential, its rules and its plan are cached. Absent for the usual time. */
  credentialCacheMs?: number;
  /** Counts and times the requests of both listeners. Absent without a metrics port. */
  recordRequests?: Middleware | undefined;
}

/**
 * Dependencies of the GETs for plans, usage and billing. Each makes a fixed number of indexed reads,
 * however many events there are.
 */
export interface AccountDeps extends Pick<ApiDeps, 'models' | 'now'> {
  publishedPlans: PublishedPlans;
}
