import type { Headers, Payload } from '@temporalio/common';
import type { WorkflowInterceptorsFactory } from '@temporalio/workflow';

const name = 'traceparent';

/**
 * Forwards the trace header (temporal/tracing.ts) of the latest start or signal of a workflow to
 * the activities that follow. Workflow code never acts on it.
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
