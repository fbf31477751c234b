import { Connection } from '@temporalio/client';
import type { Security } from './security.ts';

/**
 * How long Temporal keeps closed workflows of a namespace that we create: long enough to look into one that a
 * partner asks about. What they did is stored for good.
 */
export const retentionDays = 30;
const daySeconds = 86_400;
/** gRPC status codes. */
const [notFound, alreadyExists, permissionDenied] = [5, 6, 7];

/**
 * Creates the namespace if it does not exist; safe to repeat. An existing one keeps its retention.
 * A caller without permission to look is assumed to have one.
 * @returns whether it was created
 * @throws Error of gRPC if it does not exist and cannot be created
 */
export async function ensureNamespace(
  { address, namespace }: { address: string; namespace: string },
  security: Security = { tls: false },
): Promise<boolean> {
  const connection = await Connection.connect({ address, ...security });
  const { workflowService } = connection;
  const codeOf = (error: unknown) => (error as { code?: unknown }).code;
  try {
    await workflowService.describeNamespace({ namespace });
    return false;
  } catch (error) {
    if (codeOf(error) === permissionDenied) return false;
    if (codeOf(error) !== notFound) throw error;
    const workflowExecutionRetentionPeriod = { seconds: retentionDays * daySeconds } as never;
    await workflowService
      .registerNamespace({ namespace, workflowExecutionRetentionPeriod })
      .catch((refusal: unknown) => {
        if (codeOf(refusal) !== alreadyExists) throw refusal;
      });
    return true;
  } finally {
    await connection.close();
  }
}
