import { randomUUID } from 'node:crypto';
import { buildVersion } from '@adit/runtime';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

/** Exports every span of the process by OTLP over HTTP, as OpenTelemetry's own variables say; returns what sends the last ones and ends it. */
export function exportTraces(serviceName: string): () => Promise<void> {
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({
      'service.namespace': 'adit',
      'service.name': serviceName,
      'service.version': buildVersion(),
      'service.instance.id': randomUUID(),
    }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register();
  return () => provider.shutdown();
}
