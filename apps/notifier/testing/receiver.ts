import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Received {
  id: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
  raw: string;
}

type Answer = number | 'silence';

/** A receiver on loopback that stores requests and gives configured answers. */
export class Receiver {
  readonly received: Received[] = [];
  /** Returns the status of each request; 204 by default. */
  answer: (request: Received) => Answer | Promise<Answer> = () => 204;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Receiver> {
    const server = createServer((request, response) => {
      let raw = '';
      request.setEncoding('utf8');
      request.on('data', (piece: string) => (raw += piece));
      request.on('end', () => void receiver.take(request.headers, raw, response));
    });
    const receiver = new Receiver(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`;
  }

  /** `webhook-id` of each request, in the order of arrival. */
  get ids(): string[] {
    return this.received.map(({ id }) => id);
  }

  get events(): string[] {
    return this.received.map(({ body }) => String(body['event']));
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async take(headers: IncomingHttpHeaders, raw: string, response: ServerResponse): Promise<void> {
    const body = JSON.parse(raw) as Record<string, unknown>;
    const request = { id: String(headers['webhook-id']), headers, body, raw };
    this.received.push(request);
    const answer = await this.answer(request);
    if (answer !== 'silence') response.writeHead(answer).end();
  }
}
