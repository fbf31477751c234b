import type { OrderEventDoc } from '../models/schemas/order-event.ts';
import { currentTraceparent } from '../platform/tracing.ts';

/** What an event keeps of the trace of its request, so that its workflow goes on with it. */
export function tracedBy(): Pick<OrderEventDoc, 'traceparent'> {
  const traceparent = currentTraceparent();
  return traceparent === undefined ? {} : { traceparent };
}
