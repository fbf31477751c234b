import Joi from 'joi';
import { startInvoicePdf as queueInvoicePdf } from '../../models/jobs/index.ts';
import { requireFound } from '../../models/store/require-found.ts';
import type { OperationDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';
import { startJobWork } from './start-work.ts';

/** Creates the PDF of an invoice. */
export const startInvoicePdf = operation({
  name: 'invoice-pdf.start',
  permission: { operator: 'read', user: 'read' },
  secondFactor: 'NEVER',
  input: Joi.object<{ partnerId: string; invoiceId: string }>({
    partnerId: idField,
    invoiceId: idField,
  }),
  find: async ({ models }, { partnerId, invoiceId: _id }) =>
    requireFound(await models.invoices.findOne({ partnerId, _id }), 'invoice', _id),
  approval: 'NONE',
  audit: ({ partnerId, invoiceId: targetId }) => ({ partnerId, targetId, details: {} }),

  /** @throws ServiceError CONFLICT while another PDF of the partner is being created */
  async run(
    deps: Pick<OperationDeps, 'models' | 'now' | 'messenger' | 'log'>,
    { partnerId, invoiceId },
    { actor: { id: requestedBy } },
  ) {
    const job = await queueInvoicePdf(deps, { partnerId, requestedBy }, invoiceId);
    await startJobWork(deps, job);
    return job;
  },

  completion: ({ _id: jobId }) => ({ details: { jobId } }),
});
