import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedSpan {
  service: string;
  version: string;
  name: string;
  /** OpenTelemetry's number: 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  attributes: Record<string, unknown>;
}

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: string | number };
}

interface OtlpRequest {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: {
      spans: (Pick<ReceivedSpan, 'name' | 'kind' | 'traceId' | 'spanId' | 'parentSpanId'> & {
        attributes: Attribute[];
      })[];
    }[];
  }[];
}

function valuesOf(attributes: Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]));
}

/** A collector that takes spans by OTLP over HTTP, in its JSON encoding, and keeps them. */
export class SpanCollector {
  readonly spans: ReceivedSpan[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<SpanCollector> {
    const server = createServer();
    const collector = new SpanCollector(server);
    server.on('request', (request, response) => {
      let body = '';
      request.on('data', (piece: Buffer) => (body += piece.toString()));
      request.on('end', () => {
        collector.keep(JSON.parse(body) as OtlpRequest);
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private keep({ resourceSpans }: OtlpRequest): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      const { 'service.name': service, 'service.version': version } = valuesOf(resource.attributes);
      for (const { spans } of scopeSpans) {
        for (const { name, kind, traceId, spanId, parentSpanId, attributes } of spans) {
          const made = { service: String(service), version: String(version), attributes: valuesOf(attributes) };
          this.spans.push({ ...made, name, kind, traceId, spanId, parentSpanId });
        }
      }
    }
  }
}
