import type { Client } from '@temporalio/client';
import { checkPatienceMs, passes } from '../platform/passes.ts';

/** Whether Temporal's frontend responds, for which it needs no database. */
export const reachesTemporal = (temporal: Client): Promise<boolean> =>
  passes(() =>
    temporal.withDeadline(Date.now() + checkPatienceMs, () =>
      temporal.workflowService.getSystemInfo({}),
    ),
  );
