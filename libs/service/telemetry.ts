import { createLogger } from '@adit/runtime';

const log = createLogger('telemetry');

/**
 * Sends the process's spans to a collector by OTLP over HTTP when OTEL_EXPORTER_OTLP_ENDPOINT (or …_TRACES_ENDPOINT) names
 * one; headers, time-outs, the sampler and the rest are read from OpenTelemetry's own variables. Without a collector the
 * ids still travel with requests, messages and log lines.
 *
 * @returns what sends the last spans and ends it.
 */
export async function startTelemetry(
  service: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<() => Promise<void>> {
  const endpoint = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (!endpoint || env.OTEL_SDK_DISABLED === 'true') return () => Promise.resolve();
  // Hundreds of files, which a process without a collector starts faster without.
  const { exportTraces } = await import('./otlp-traces.js');
  const end = exportTraces(env.OTEL_SERVICE_NAME || `adit-${service}`);
  log.info({ collector: originOf(endpoint) }, 'traces are sent to a collector');
  return end;
}

/** Credentials may stand in the rest of the address. */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'invalid address';
}
