import {
  type Attributes,
  type Context,
  context,
  type Link,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import type { Connection, mongo } from 'mongoose';

export { type Span, SpanKind };

/** The W3C Trace Context header that identifies the parent span. */
export const traceparentHeader = 'traceparent';

let isOn = false;
const tracer = trace.getTracer('partner-events');

/** Whether tracing is on. */
export const isTracing = (): boolean => isOn;

/**
 * Starts sending spans by OTLP over HTTP if an endpoint is configured. To be called before anything
 * is traced. Everything else is configured by OpenTelemetry's own variables (docs/operate/monitoring.md, Traces).
 * @returns a function that sends the remaining spans, for when nothing more is traced
 */
export async function startTracing(
  service: string,
  { endpoint, headers }: { endpoint: string | undefined; headers: Record<string, string> },
): Promise<() => Promise<void>> {
  if (endpoint === undefined) return async () => undefined;
  // Loaded only if needed, since it takes several megabytes.
  const { createProvider, W3CTraceContextPropagator } = await import('./tracing-provider.ts');
  const provider = createProvider(service, endpoint, headers);
  provider.register({ propagator: new W3CTraceContextPropagator() });
  isOn = true;
  return () => provider.shutdown();
}

/** The fields of a log line that refer to the active span, if any. */
export function traceFields(): { traceId?: string } {
  const traceId = trace.getActiveSpan()?.spanContext().traceId;
  return traceId === undefined ? {} : { traceId };
}

/** The W3C `traceparent` of the active span; undefined if none is sampled. */
export function currentTraceparent(): string | undefined {
  if (!isOn) return undefined;
  const span = trace.getActiveSpan()?.spanContext();
  if (span === undefined || !(span.traceFlags & TraceFlags.SAMPLED)) return undefined;
  return `00-${span.traceId}-${span.spanId}-01`;
}

/** @param traceparent undefined, or unvalidated input */
function contextOf(traceparent: string | undefined): Context | undefined {
  const extracted = propagation.extract(ROOT_CONTEXT, { [traceparentHeader]: traceparent });
  return trace.getSpanContext(extracted) && extracted;
}

/** Runs work as a continuation of another span, or as is if none is given. */
export function continueTrace<T>(traceparent: string | undefined, work: () => T): T {
  const parent = isOn ? contextOf(traceparent) : undefined;
  return parent === undefined ? work() : context.with(parent, work);
}

interface SpanOptions {
  kind?: SpanKind;
  /** Ids, kinds and numbers; never customer data, orders or secrets. */
  attributes?: Attributes;
  /** Spans of other traces that led to this one. */
  links?: Link[];
}

/**
 * Runs work in a span of the active trace. Without one nothing is recorded, so that polling leaves
 * no traces.
 */
export async function inSpan<T>(
  name: string,
  terms: SpanOptions,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  if (!isOn || trace.getActiveSpan() === undefined) return await work(undefined);
  return await within(name, terms, context.active(), work);
}

/**
 * Runs work in a span that starts a trace.
 * @param terms.traceparent of an outsider, whose trace is linked: as a parent it would decide whether ours is sampled
 */
export async function inRootSpan<T>(
  name: string,
  terms: SpanOptions & { traceparent: string | undefined },
  work: (span: Span) => Promise<T>,
): Promise<T> {
  const outside = contextOf(terms.traceparent);
  const linked = outside && trace.getSpanContext(outside);
  const links = linked ? [{ context: linked }] : [];
  return await within(name, { ...terms, links }, ROOT_CONTEXT, work);
}

async function within<T>(
  name: string,
  { kind = SpanKind.INTERNAL, attributes = {}, links = [] }: SpanOptions,
  parent: Context,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  return await tracer.startActiveSpan(name, { kind, attributes, links }, parent, async (span) => {
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

/** Records only the name of an error: its message may contain request data. */
export function failed(span: Span, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute('error.type', error instanceof Error ? error.name : typeof error);
}

/**
 * Records a span for each command sent within a trace: its name and collection, not its content. A
 * command that serves several requests belongs to the first.
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
