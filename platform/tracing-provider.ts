export { W3CTraceContextPropagator } from '@opentelemetry/core';

import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

/** Records spans and sends them in batches in the background; what cannot be sent is dropped. */
export function createProvider(
  service: string,
  endpoint: string,
  headers: Record<string, string>,
): NodeTracerProvider {
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, headers });
  const own = resourceFromAttributes({ 'service.name': `partner-events-${service}` });
  const resource = own.merge(detectResources({ detectors: [envDetector] }));
  return new NodeTracerProvider({ resource, spanProcessors: [new BatchSpanProcessor(exporter)] });
}
