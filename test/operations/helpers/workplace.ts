import { randomBytes } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { Role } from '../../../domain/operators.ts';
import { isMail, type Mail } from '../../../messaging/message.ts';
import { type Commit, createCommit } from '../../../models/commit.ts';
import { ledgerKey } from '../../../models/ledger/index.ts';
import type { ProposalDoc } from '../../../models/schemas/audit.ts';
import type { OperatorActor } from '../../../operations/actor.ts';
import { approve } from '../../../operations/approve.ts';
import type { ApprovalDeps, OperationDeps } from '../../../operations/deps.ts';
import { execute } from '../../../operations/execute.ts';
import type { SensitiveOperation } from '../../../operations/operation.ts';
import { createFirstOperator } from '../../../operations/operators.ts';
import { loadConfig } from '../../../platform/config.ts';
import { createLogger } from '../../../platform/logger.ts';
import { createSealer } from '../../../platform/sealing.ts';
import { asOperator, operate } from '../../helpers/operate.ts';
import { patienceMs } from '../../helpers/patience.ts';
import { serviceClient } from '../../helpers/service.ts';
import { silentMessenger } from '../../helpers/silent-messenger.ts';
import { takeDatabase } from '../../helpers/test-database.ts';
import { townIn } from '../../helpers/town-in-database.ts';

export type Workplace = Awaited<ReturnType<typeof openWorkplace>>;

/**
 * Everything that operations depend on, with a database for one test file. There are no servers and no
 * workflows; signals go nowhere.
 * @param changes to the configuration
 */
export async function openWorkplace(changes: Record<string, string> = {}) {
  const { models, uri, giveBack } = await takeDatabase();
  const config = loadConfig({
    MONGODB_URI: uri,
    TEMPORAL_ADDRESS: 'unused',
    MASTER_KEYS: `test1:${randomBytes(32).toString('base64')}`,
    CUSTOMER_HASH_KEY: randomBytes(32).toString('base64'),
    LOG_LEVEL: 'silent',
    ...changes,
  });
  const log = createLogger('test', config.log);
  const now = () => Date.now() + clockOffsetMs;
  const commit: Commit = createCommit({
    patienceMs,
    models,
    hashKey: ledgerKey(config.customerHashKey),
    now: () => now(),
  });
  const sealer = createSealer(config.masterKeys);
  const mails: Mail[] = [];
  let clockOffsetMs = 0;
  const deps: OperationDeps = {
    config,
    models,
    commit,
    sealer,
    log,
    messenger: silentMessenger,
    temporal: {} as Client,
    sendMessage: async (message) => {
      if (isMail(message)) mails.push(message);
    },
    now,
  };
  const { partner } = serviceClient({
    baseUrl: '',
    portalUrl: async () => '',
    models,
    commit,
    sealer,
  });

  return {
    deps,
    models,
    commit,
    /** The emails sent so far, oldest first. */
    mails,
    partner,

    setClockOffsetMs(offsetMs: number) {
      clockOffsetMs = offsetMs;
    },

    async operator(role: Role = 'admin', name = `An ${role}`): Promise<OperatorActor> {
      const { operator: admin } = await operate(deps, createFirstOperator, { name, role });
      return asOperator(admin._id, role);
    },

    /** Executes an operation that needs approval. @throws Error if it is carried out without one */
    async propose<Input, Outcome, Found, Deps, Needed>(
      operation: SensitiveOperation<Input, Outcome, Found, Deps, Needed>,
      by: OperatorActor,
      input: Input,
    ): Promise<ProposalDoc> {
      const executed = await execute(deps as unknown as Deps & ApprovalDeps, operation, by, input);
      if (executed.isDone) throw new Error(`${operation.name} was carried out without approval`);
      return executed.proposal;
    },

    approve: (by: OperatorActor, { _id }: { _id: string }) => approve(deps, by, _id),

    town: townIn(deps),

    close: giveBack,
  };
}
