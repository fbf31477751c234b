import { type Activities, createActivities } from '../../../activities/index.ts';
import type { Service } from '../../helpers/service.ts';

/** The activities of a process that writes how a reward moves, and dies before its money follows. */
export function dyingBeforeTheMoney({ activityDeps }: Service): Activities {
  const of = () => {
    throw new Error('the process died');
  };
  return createActivities({ ...activityDeps, ledger: { ...activityDeps.ledger, of } });
}
