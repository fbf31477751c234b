import { shortenAddresses } from '../models/retention.ts';
import type { ActivityDeps } from './deps.ts';

export function retentionActivities({ models }: Pick<ActivityDeps, 'models'>) {
  return {
    /** @returns how many addresses were shortened; a repeat finds those that are left */
    async shortenAddresses(): Promise<number> {
      return await shortenAddresses(models, Date.now());
    },
  };
}
