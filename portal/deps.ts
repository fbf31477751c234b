import type { OperationDeps } from '../operations/deps.ts';
import type { PortalMiddleware } from './context.ts';
import type { Throttle } from './session/throttle.ts';

/** Dependencies of the portal, built once by the entry point or by a test. */
export interface PortalDeps extends OperationDeps {
  /** Where the test console sends to: the API's own address, such as `http://127.0.0.1:3000`. */
  apiUrl: string;
  /** Set if the process serves metrics. */
  recordPages?: PortalMiddleware | undefined;
}

/** Dependencies of a page. */
export interface PageDeps extends PortalDeps {
  throttle: Throttle;
}
