import type { OrderEventDoc } from '../models/schemas/events.ts';
import { currentTraceparent } from '../platform/tracing.ts';

/**
 * The trace context stored with an event, so that its workflow continues the trace of its request.
 */
export function tracedBy(): Pick<OrderEventDoc, 'traceparent'> {
  const traceparent = currentTraceparent();
  return traceparent === undefined ? {} : { traceparent };
}
