import type { Attributes } from '@opentelemetry/api';

/** Methods that are told apart; whatever else a client sends is one more. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT']);

/** The method as OpenTelemetry's conventions for HTTP name it. */
export function httpMethod(method: string): string {
  return METHODS.has(method) ? method : '_OTHER';
}

/** Attributes of a request that we send; user info, query and fragment may be secrets (signed addresses) and are left out. */
export function clientRequest(method: string, url: URL): Attributes {
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  return {
    'http.request.method': httpMethod(method),
    'url.full': `${url.origin}${url.pathname}`,
    'url.scheme': url.protocol.slice(0, -1),
    'server.address': url.hostname,
    'server.port': port,
  };
}

/** Attributes of a span about a message, after OpenTelemetry's conventions for messaging. */
export function messageAttributes(
  operation: 'send' | 'process',
  message: { system: string; topic: string; id: string; jobId: string; group?: string; key?: string },
): Attributes {
  const { system, topic, id, jobId, group, key } = message;
  return {
    'messaging.system': system,
    'messaging.operation.name': operation,
    'messaging.operation.type': operation,
    'messaging.destination.name': topic,
    'messaging.message.id': id,
    ...(group !== undefined && { 'messaging.consumer.group.name': group }),
    ...(system === 'kafka' && key !== undefined && { 'messaging.kafka.message.key': key }),
    'adit.job.id': jobId,
  };
}
