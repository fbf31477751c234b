import type { CustomerBalance } from '../domain/draft.ts';
import { type MovingOperation, movingOperations } from '../domain/operators.ts';
import type { AuditEntryDoc } from '../models/schemas/audit.ts';
import type { InvoiceDoc } from '../models/schemas/billing.ts';
import type { EntryDoc } from '../models/schemas/entries.ts';
import type { OrderEventDoc } from '../models/schemas/events.ts';
import type { RedemptionDoc } from '../models/schemas/redemptions.ts';
import type { RewardDoc } from '../models/schemas/rewards.ts';
import type { AuditDeps, Check } from './audit.ts';
import type { AuditedLedger } from './ledgers.ts';
import { pageSize, pagesOf } from './pages.ts';
import type { AuditReport, Finding } from './report.ts';

/** All documents, those after a given one, or a single one. */
interface Where<Doc> {
  after?: Doc;
  id?: string;
}

/** A collection of partners' documents, and how it is read. */
export interface Source<Doc> {
  /**
   * Whether documents are complete when they are written; otherwise they may be work in progress.
   */
  isFinal: boolean;
  read(deps: AuditDeps, partnerId: string, where: Where<Doc>, limit: number): Promise<Doc[]>;
}

/** A problem of a document, or something it still lacks. */
export interface Problem<Doc> extends Finding {
  doc: Doc;
  /** It cannot resolve itself, and is reported immediately. */
  isLost?: boolean;
}

/** A condition on each document of a source. */
export interface DocCheck<Doc> {
  name: string;
  /** @param docs all of one partner */
  problemsOf(deps: AuditDeps, partnerId: string, docs: Doc[]): Promise<Problem<Doc>[]>;
}

/** Makes a check of all conditions on a source: reads it once, page by page, and rechecks suspects. */
export function checkOf<Doc extends { _id: string }>(
  source: Source<Doc>,
  ...conditions: readonly DocCheck<Doc>[]
): Check {
  return {
    name: conditions.map(({ name }) => name).join('; '),
    async run(deps, report) {
      for (const { name } of conditions) report.looked(name, 0);
      for await (const partnerId of deps.partners()) {
        const read = (last: Doc | undefined) =>
          source.read(deps, partnerId, last ? { after: last } : {}, pageSize);
        for await (const docs of pagesOf(read)) {
          for (const condition of conditions) await look(deps, report, partnerId, docs, condition);
          await deps.pace();
        }
      }
    },
  };

  async function look(
    deps: AuditDeps,
    report: AuditReport,
    partnerId: string,
    docs: Doc[],
    { name, problemsOf }: DocCheck<Doc>,
  ): Promise<void> {
    const lookAgain = async (id: string): Promise<Finding | undefined> => {
      const found = await source.read(deps, partnerId, { id }, 1);
      const [problem] = await problemsOf(deps, partnerId, found);
      return problem;
    };
    for (const { doc, text, waitingSince, isLost } of await problemsOf(deps, partnerId, docs)) {
      if (waitingSince !== undefined) report.waits(name, waitingSince);
      else if (source.isFinal || isLost) report.fault(name, text);
      else report.suspect(name, text, () => lookAgain(doc._id));
    }
    report.looked(name, docs.length);
  }
}

/** Ordered by id, for which each of these collections has an index. */
function byId({ after, id }: Where<{ _id: string }>) {
  if (id !== undefined) return { _id: id };
  return after === undefined ? {} : { _id: { $gt: after._id } };
}

export const rewardSource: Source<RewardDoc> = {
  isFinal: false,
  read: ({ models }, partnerId, where, limit) =>
    models.rewards
      .find({ partnerId, ...byId(where) })
      .sort({ _id: 1 })
      .limit(limit),
};

export const redemptionSource: Source<RedemptionDoc> = {
  isFinal: false,
  read: ({ models }, partnerId, where, limit) =>
    models.redemptions
      .find({ partnerId, ...byId(where) })
      .sort({ _id: 1 })
      .limit(limit),
};

/** Customers who stand under a setting by which points end. */
export const endingSource: Source<CustomerBalance> = {
  isFinal: false,
  read: ({ models }, partnerId, where, limit) =>
    models.customerBalances
      .find({ partnerId, ending: { $exists: true }, ...byId(where) })
      .sort({ _id: 1 })
      .limit(limit),
};

export const purchaseSource: Source<OrderEventDoc> = {
  isFinal: false,
  read: ({ models }, partnerId, where, limit) =>
    models.orderEvents
      .find({ partnerId, type: 'PURCHASE', ...byId(where) })
      .sort({ _id: 1 })
      .limit(limit),
};

/** An operation that moved money or points. */
export type MovingOperationDoc = AuditEntryDoc & { action: MovingOperation };

export const operationSource: Source<MovingOperationDoc> = {
  isFinal: false,
  read: ({ models }, partnerId, where, limit) =>
    models.auditEntries
      .find({ partnerId, action: { $in: movingOperations }, status: 'DONE', ...byId(where) })
      .sort({ _id: 1 })
      .limit(limit)
      .lean<MovingOperationDoc[]>(),
};

export const invoiceSource: Source<InvoiceDoc> = {
  isFinal: false,
  read: ({ models }, partnerId, where, limit) =>
    models.invoices
      .find({ partnerId, ...byId(where) })
      .sort({ _id: 1 })
      .limit(limit),
};

/** The entries of a ledger. */
export const entrySource = ({ mode }: Pick<AuditedLedger, 'mode'>): Source<EntryDoc> => ({
  isFinal: true,
  read: ({ models }, partnerId, where, limit) =>
    models.ledger
      .find({ partnerId, mode, ...byId(where) })
      .sort({ _id: 1 })
      .limit(limit),
});

/** The invoices in the ledger, by their references. */
export const invoiceEntrySource: Source<EntryDoc> = {
  isFinal: true,
  read: ({ models }, partnerId, { after, id }, limit) =>
    models.ledger
      .find({
        partnerId,
        mode: 'LIVE',
        reference: { $gt: after?.reference ?? 'invoice:', $lt: 'invoice;' },
        ...(id !== undefined && { _id: id }),
      })
      .sort({ reference: 1 })
      .limit(limit),
};
