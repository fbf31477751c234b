import type { DeedsDeps } from '../deeds/deps.ts';
import type { Usage } from '../models/billing/index.ts';
import type { PortalMiddleware } from './context.ts';

/** What the portal needs; built once by the entry point, or by a test. */
export interface PortalDeps extends DeedsDeps {
  usage: Usage;
  /** Where the test console sends to: the API's own address, such as `http://127.0.0.1:3000`. */
  apiUrl: string;
  /** Set where the process serves metrics. */
  measurePages?: PortalMiddleware | undefined;
}
