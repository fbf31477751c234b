import { setTimeout as delay } from 'node:timers/promises';
import {
  type Client,
  isGrpcServiceError,
  WithStartWorkflowOperation,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ApplicationFailure, type UpdateDefinition } from '@temporalio/common';
import { purchaseWorkflow } from '../domain/workflow-names.ts';
import type { Config } from '../platform/config.ts';
import { type PurchaseHeading, purchaseStartOptions } from '../platform/purchase-start.ts';
import { runIsClosing } from '../workflows/messages.ts';
import type { purchase } from '../workflows/purchase.ts';
import { unavailable } from './service-errors.ts';

export interface AskDeps {
  temporal: Client;
  config: Config;
  /** Milliseconds since the epoch. */
  now: () => number;
}

/** What a purchase workflow is asked. */
export interface Question<Ret, Args extends unknown[]> {
  /** Whose workflow it is, and how it is started where it does not run. */
  purchase: PurchaseHeading;
  update: UpdateDefinition<Ret, Args>;
  /** Names the question: asked again, it joins the first and gets its answer. */
  updateId?: string;
  args: Args;
}

/** A run that ends while it is asked is followed by another; more than this in a row is no accident. */
const maxAsks = 12;
/** Many who ask at once must not end each other's runs in step. */
const maxPauseMs = 25;
const notFound = 5;
const aborted = 10;

/**
 * Starts or joins the workflow and waits for its answer, in one call (domain, Workflows).
 * @throws ServiceError UNAVAILABLE when there is no answer within the answer timeout
 */
export async function ask<Ret, Args extends unknown[]>(
  { temporal, config, now }: AskDeps,
  question: Question<Ret, Args>,
): Promise<Ret> {
  const deadline = now() + config.http.answerTimeoutMs;
  for (let asks = 1; ; asks++) {
    try {
      return await temporal.withDeadline(deadline, () => updateWithStart());
    } catch (error) {
      if (asks < maxAsks && isPassing(error)) {
        await delay(Math.random() * maxPauseMs * asks);
        continue;
      }
      if (isPassing(error) || error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) {
        throw unavailable();
      }
      throw error;
    }
  }

  async function updateWithStart(): Promise<Ret> {
    const { purchase: heading, update, updateId, args } = question;
    const startWorkflowOperation = new WithStartWorkflowOperation<typeof purchase>(
      purchaseWorkflow.type,
      purchaseStartOptions(heading, config.temporal.taskQueue),
    );
    return await temporal.workflow.executeUpdateWithStart(update, {
      args,
      startWorkflowOperation,
      ...(updateId !== undefined && { updateId }),
    });
  }
}

/**
 * The run closed under the question, or lost it with a task that took too long: the next one will answer.
 * What is not found the client says in two ways: of a poll by a type, of the two calls in one by a code.
 */
function isPassing(error: unknown): boolean {
  if (error instanceof WorkflowNotFoundError) return true;
  if (error instanceof WorkflowUpdateFailedError) {
    const { cause } = error;
    return (
      cause instanceof ApplicationFailure &&
      (cause.type === runIsClosing || cause.type === 'AcceptedUpdateCompletedWorkflow')
    );
  }
  const grpc = error instanceof Error && isGrpcServiceError(error.cause) ? error.cause : error;
  return isGrpcServiceError(grpc) && (grpc.code === notFound || grpc.code === aborted);
}
