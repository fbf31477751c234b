import {
  type Attributes,
  type Context,
  context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import type { Connection, mongo } from 'mongoose';

export { type Span, SpanKind };

/** W3C Trace Context: what names a span to whoever goes on from it. */
export const traceparentHeader = 'traceparent';
const traceparentPattern =
  /^00-(?<traceId>[0-9a-f]{32})-(?<spanId>[0-9a-f]{16})-(?<flags>[0-9a-f]{2})$/;

let isOn = false;
const tracer = trace.getTracer('partner-purchase-events');

/** Whether spans are made at all. */
export const isTracing = (): boolean => isOn;

/**
 * Sends spans by OTLP over HTTP, where the configuration says whereto; to be called before anything is
 * traced. What else there is to say is said by OpenTelemetry's own variables (docs/operations.md, Traces).
 * @returns what sends those that are left, once nothing more is traced
 */
export async function startTracing(
  service: string,
  { endpoint, headers }: { endpoint: string | undefined; headers: Record<string, string> },
): Promise<() => Promise<void>> {
  if (endpoint === undefined) return async () => undefined;
  // Loaded where it is wanted: it takes some megabytes.
  const { createProvider } = await import('./tracing-provider.ts');
  const provider = createProvider(service, endpoint, headers);
  provider.register();
  isOn = true;
  return () => provider.shutdown();
}

/** What of a span is said in a log line; nothing outside of one. */
export function traceFields(): { traceId?: string } {
  const traceId = trace.getActiveSpan()?.spanContext().traceId;
  return traceId === undefined ? {} : { traceId };
}

/** The span that is going on, in the words of W3C; undefined where none is recorded. */
export function currentTraceparent(): string | undefined {
  if (!isOn) return undefined;
  const span = trace.getActiveSpan()?.spanContext();
  if (span === undefined || !(span.traceFlags & TraceFlags.SAMPLED)) return undefined;
  return `00-${span.traceId}-${span.spanId}-01`;
}

/** What was begun goes on under what is going on now, whenever it is called. */
export const keepTrace = <Work extends (...args: never[]) => unknown>(work: Work): Work =>
  isOn ? context.bind(context.active(), work) : work;

/** @param traceparent undefined, or anything that a caller sent */
function contextOf(traceparent: string | undefined): Context | undefined {
  const { traceId, spanId, flags } = traceparentPattern.exec(traceparent ?? '')?.groups ?? {};
  if (!traceId || !spanId || !flags) return undefined;
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  const span = { traceId, spanId, traceFlags, isRemote: true };
  return trace.setSpanContext(ROOT_CONTEXT, span);
}

/** Does some work as what follows from a span elsewhere; as it is where none is named. */
export function goOnFrom<T>(traceparent: string | undefined, work: () => T): T {
  const parent = isOn ? contextOf(traceparent) : undefined;
  return parent === undefined ? work() : context.with(parent, work);
}

interface SpanTerms {
  kind?: SpanKind;
  /** Ids, kinds and numbers: never a customer, an order or a secret. */
  attributes?: Attributes;
}

/**
 * Does some work as a span of the trace that is going on; outside of one nothing is recorded, so that
 * what looks for work all the time leaves no traces.
 */
export async function inSpan<T>(
  name: string,
  terms: SpanTerms,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  if (!isOn || trace.getActiveSpan() === undefined) return await work(undefined);
  return await within(name, terms, context.active(), work);
}

/** Does some work as a span with which a trace begins, or that a caller's trace goes on with. */
export async function inFirstSpan<T>(
  name: string,
  terms: SpanTerms & { traceparent: string | undefined },
  work: (span: Span) => Promise<T>,
): Promise<T> {
  return await within(name, terms, contextOf(terms.traceparent) ?? ROOT_CONTEXT, work);
}

async function within<T>(
  name: string,
  { kind = SpanKind.INTERNAL, attributes = {} }: SpanTerms,
  parent: Context,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  return await tracer.startActiveSpan(name, { kind, attributes }, parent, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      failed(span, error);
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Of an error its name alone: what it says may hold what was asked for. */
export function failed(span: Span, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute('error.type', error instanceof Error ? error.name : typeof error);
}

/**
 * Makes a span of each command that is sent for the trace that is going on: what it does and on which
 * collection, and nothing of what is in it. A command that serves many at once is the first one's.
 */
export function traceCommands(connection: Connection): void {
  if (!isOn) return;
  const open = new Map<number, Span>();
  const client = connection.getClient();
  client.on('commandStarted', ({ requestId, commandName, command, databaseName }) => {
    if (trace.getActiveSpan() === undefined) return;
    const collection = command[commandName];
    const target = typeof collection === 'string' ? collection : undefined;
    const span = tracer.startSpan(target ? `${commandName} ${target}` : commandName, {
      kind: SpanKind.CLIENT,
      attributes: {
        'db.system.name': 'mongodb',
        'db.namespace': databaseName,
        'db.operation.name': commandName,
        ...(target && { 'db.collection.name': target }),
      },
    });
    open.set(requestId, span);
  });
  const end = (
    event: mongo.CommandSucceededEvent | mongo.CommandFailedEvent,
    note: (span: Span) => void,
  ) => {
    const span = open.get(event.requestId);
    if (span === undefined) return;
    open.delete(event.requestId);
    note(span);
    span.end();
  };
  client.on('commandSucceeded', (event) => end(event, () => undefined));
  client.on('commandFailed', (event) => end(event, (span) => failed(span, event.failure)));
}
