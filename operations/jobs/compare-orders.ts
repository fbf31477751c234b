import Joi from 'joi';
import { modes } from '../../domain/mode.ts';
import { columnNames } from '../../domain/order-file.ts';
import { type ComparisonScope, compareOrderFile } from '../../models/jobs/index.ts';
import type { OperationDeps } from '../deps.ts';
import { idField, shortText } from '../fields.ts';
import { operation } from '../operation.ts';
import { startJobWork } from './start-work.ts';

type Comparison = ComparisonScope & { partnerId: string; file: AsyncIterable<Uint8Array> };

/** Compares a partner's own file of orders with what it reported. */
export const compareOrders = operation({
  name: 'order-comparison.start',
  permission: { operator: null, user: 'job.start' },
  secondFactor: 'NEVER',
  input: Joi.object<Comparison>({
    partnerId: idField,
    mode: Joi.string()
      .valid(...modes)
      .required(),
    integrationId: idField,
    range: Joi.object({ fromDay: Joi.string().required(), toDay: Joi.string().required() })
      .allow(null)
      .required(),
    columns: Joi.object().pattern(Joi.valid(...columnNames), shortText(100)),
    // A stream.
    file: Joi.any().required(),
  }),
  find: () => null,
  approval: 'NONE',
  audit: ({ partnerId, mode, integrationId, range }) => ({
    partnerId,
    targetId: null,
    details: { mode, integrationId, range },
  }),

  /** @throws ServiceError VALIDATION_FAILED, PAYLOAD_TOO_LARGE; CONFLICT while a comparison is open */
  async run(
    deps: Pick<OperationDeps, 'models' | 'now' | 'messenger' | 'log'>,
    { partnerId, file, ...scope },
    { actor: { id: requestedBy } },
  ) {
    const job = await compareOrderFile(deps, { partnerId, requestedBy }, scope, file);
    await startJobWork(deps, job);
    return job;
  },

  completion: ({ _id: targetId, input: { rows } }) => ({ targetId, details: { rows } }),
});
