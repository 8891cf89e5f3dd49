import { createLogger } from '@adit/runtime';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

const log = createLogger('telemetry');

/**
 * Sends the process's spans to a collector by OTLP over HTTP when OTEL_EXPORTER_OTLP_ENDPOINT (or …_TRACES_ENDPOINT) names
 * one; headers, time-outs, the sampler and the rest are read from OpenTelemetry's own variables. Without a collector the
 * ids still travel with requests, messages and log lines.
 *
 * @returns what sends the last spans and ends it.
 */
export function startTelemetry(service: string, env: NodeJS.ProcessEnv = process.env): () => Promise<void> {
  const endpoint = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (!endpoint || env.OTEL_SDK_DISABLED === 'true') return () => Promise.resolve();
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({
      'service.namespace': 'adit',
      'service.name': env.OTEL_SERVICE_NAME || `adit-${service}`,
    }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register();
  log.info({ collector: originOf(endpoint) }, 'traces are sent to a collector');
  return () => provider.shutdown();
}

/** Credentials may stand in the rest of the address. */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'invalid address';
}
