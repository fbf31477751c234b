import { Connection } from '@temporalio/client';
import type { Security } from './security.ts';

const daySeconds = 86_400;
/** As gRPC numbers them. */
const [notFound, alreadyExists, permissionDenied] = [5, 6, 7];

/**
 * Makes the namespace where there is none: safe to run again. One that is there keeps the retention it has; who
 * may not even ask is taken to have one.
 * @param retentionDays how long Temporal keeps workflows that are over
 * @returns whether it was made
 * @throws Error of gRPC where it is not there and may not be made
 */
export async function ensureNamespace(
  { address, namespace }: { address: string; namespace: string },
  retentionDays: number,
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
