import type { WorkflowClientInterceptor } from '@temporalio/client';
import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import {
  continueTrace,
  currentTraceparent,
  inSpan,
  isTracing,
  SpanKind,
  traceparentHeader,
} from '../platform/tracing.ts';

/**
 * Passes the trace on in a header of starts and signals, which workflows forward to their
 * activities (`workflows/trace-header.ts`).
 */
function withTrace<Input extends { headers: Headers }>(input: Input): Input {
  const traceparent = currentTraceparent();
  if (traceparent === undefined) return input;
  const header = defaultPayloadConverter.toPayload(traceparent);
  return { ...input, headers: { ...input.headers, [traceparentHeader]: header } };
}

function traceOf(headers: Headers): string | undefined {
  const header = headers[traceparentHeader];
  if (header === undefined) return undefined;
  const value = defaultPayloadConverter.fromPayload<unknown>(header);
  return typeof value === 'string' ? value : undefined;
}

/** Records a span for each start and signal of a workflow, if tracing is on. */
export function clientInterceptors(): { workflow: WorkflowClientInterceptor[] } {
  if (!isTracing()) return { workflow: [] };
  const ofWorkflow = (workflow: string) => ({ 'temporal.workflow.type': workflow });
  return {
    workflow: [
      {
        startWithDetails: (input, next) =>
          inSpan(
            `start ${input.workflowType}`,
            { kind: SpanKind.PRODUCER, attributes: ofWorkflow(input.workflowType) },
            async (span) => {
              const started = await next(withTrace(input));
              span?.setAttribute('temporal.run.id', started.runId);
              return started;
            },
          ),
        signalWithStart: (input, next) =>
          inSpan(
            `signal ${input.workflowType} ${input.signalName}`,
            { kind: SpanKind.PRODUCER, attributes: ofWorkflow(input.workflowType) },
            async (span) => {
              const runId = await next(withTrace(input));
              span?.setAttribute('temporal.run.id', runId);
              return runId;
            },
          ),
      },
    ],
  };
}

/**
 * Records a span for each attempt of an activity, including local ones, of a traced workflow. It
 * names the run and not the workflow id, which contains the partner's order.
 */
export function activityTracing(): ActivityInterceptorsFactory[] {
  if (!isTracing()) return [];
  return [
    ({ info }) => ({
      inbound: {
        execute: (input, next) =>
          continueTrace(traceOf(input.headers), () =>
            inSpan(
              `activity ${info.activityType}`,
              {
                kind: SpanKind.CONSUMER,
                attributes: {
                  'temporal.activity.type': info.activityType,
                  'temporal.activity.attempt': info.attempt,
                  'temporal.run.id': info.workflowExecution?.runId ?? '',
                },
              },
              () => next(input),
            ),
          ),
      },
    }),
  ];
}
