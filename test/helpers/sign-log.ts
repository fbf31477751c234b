import { ledgerKey } from '../../models/ledger/index.ts';
import { growLog, signHead } from '../../models/receipts/sign-log.ts';
import type { Models } from '../../models/schemas/index.ts';
import { isDuplicateKey } from '../../models/store/insert-once.ts';
import type { Config } from '../../platform/config.ts';
import type { Sealer } from '../../platform/sealing.ts';
import { eventually } from './eventually.ts';

/** Signs a tree head over all LIVE entries, as the daily schedule does. Other files may do so at once. */
export async function signLog({
  models,
  sealer,
  config,
}: {
  models: Models;
  sealer: Sealer;
  config: Pick<Config, 'customerHashKey'>;
}): Promise<void> {
  const deps = {
    models,
    sealer,
    hashKey: ledgerKey(config.customerHashKey),
    portalUrl: 'https://rewards.example',
    auditLog: async () => undefined,
  };
  await eventually(async () => {
    try {
      await growLog(deps);
      return true;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      return false;
    }
  }, 'the log grows');
  await signHead(deps, new Date());
}
