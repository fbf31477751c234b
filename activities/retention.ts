import { eraseOldContacts, shortenAddresses } from '../models/store/retention.ts';
import type { ActivityDeps } from './deps.ts';

export function retentionActivities({
  models,
  contactRetentionDays,
}: Pick<ActivityDeps, 'models' | 'contactRetentionDays'>) {
  return {
    /** @returns how many addresses were shortened; a repeat finds those that are left */
    async shortenAddresses(): Promise<number> {
      return await shortenAddresses(models, Date.now());
    },

    /** @returns how many contacts were erased; a repeat finds those that are left */
    async eraseOldContacts(): Promise<number> {
      return await eraseOldContacts(models, contactRetentionDays, Date.now());
    },
  };
}
