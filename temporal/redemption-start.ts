import type { Client } from '@temporalio/client';
import {
  defineSearchAttributeKey,
  SearchAttributeType,
  TypedSearchAttributes,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/common';
import type { OutboxRow } from '../domain/outbox.ts';
import type { RedemptionRef } from '../domain/redemption.ts';
import {
  holdWorkflow,
  holdWorkflowId,
  receiptWorkflow,
  receiptWorkflowId,
  searchAttributes,
} from '../domain/workflow-names.ts';

const keyword = (name: string) => defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);

/**
 * Starts the workflow of a hold, or the one that tells a customer of a redemption: each once, so that a row
 * that is delivered again starts nothing.
 */
export async function startOfRedemption(
  client: Client,
  taskQueue: string,
  { kind, mode, partnerId, about: redemptionId }: OutboxRow,
): Promise<void> {
  const ref: RedemptionRef = { partnerId, redemptionId };
  const isHold = kind === 'HOLD';
  const started = client.workflow.start(isHold ? holdWorkflow.type : receiptWorkflow.type, {
    workflowId: isHold ? holdWorkflowId(redemptionId) : receiptWorkflowId(redemptionId),
    taskQueue,
    args: [ref],
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    priority: { fairnessKey: partnerId },
    typedSearchAttributes: new TypedSearchAttributes([
      { key: keyword(searchAttributes.partnerId), value: partnerId },
      { key: keyword(searchAttributes.mode), value: mode },
    ]),
    staticSummary: isHold
      ? `${mode} hold of points, ${redemptionId}`
      : `tell a customer of ${mode} redemption ${redemptionId}`,
  });
  await started.catch((error: unknown) => {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  });
}
