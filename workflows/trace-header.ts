import type { Headers, Payload } from '@temporalio/common';
import type { WorkflowInterceptorsFactory } from '@temporalio/workflow';

const name = 'traceparent';

/**
 * Hands the header that names a trace (temporal/tracing.ts) on from what started or woke a workflow last
 * to what it does then. Nothing is made of it here, and nothing waits for it.
 */
export const interceptors: WorkflowInterceptorsFactory = () => {
  let trace: Payload | undefined;
  const note = ({ headers }: { headers: Headers }): void => {
    trace = headers[name] ?? trace;
  };
  const withTrace = <Input extends { headers: Headers }>(input: Input): Input =>
    trace === undefined ? input : { ...input, headers: { ...input.headers, [name]: trace } };
  return {
    inbound: [
      {
        execute(input, next) {
          note(input);
          return next(input);
        },
        handleSignal(input, next) {
          note(input);
          return next(input);
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(withTrace(input)),
        scheduleLocalActivity: (input, next) => next(withTrace(input)),
        continueAsNew: (input, next) => next(withTrace(input)),
      },
    ],
  };
};
