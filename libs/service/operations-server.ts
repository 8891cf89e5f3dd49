import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { health, metricsPage, type Health, type HealthReport } from '@adit/runtime';

export interface OperationsServer {
  /** The port it listens on. */
  port: number;
  close(): Promise<void>;
}

/**
 * Probes and metrics of a process without an API of its own: `/healthz` (it works), `/startupz` (it has started: models
 * loaded), `/readyz` (its dependencies answer) and `/metrics`. 503 means no.
 */
export async function startOperationsServer(
  options: { port: number; host: string },
  probed: Health = health,
): Promise<OperationsServer> {
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').replace(/\?.*$/s, '').replace(/(.)\/$/, '$1');
    answer(path, request.method ?? 'GET', response, probed).catch(() => response.destroy());
  });
  server.headersTimeout = 10_000;
  await listening(server, options);
  return {
    // A server that listens on a port has an address of this kind.
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(path: string, method: string, response: ServerResponse, probed: Health): Promise<void> {
  if (method !== 'GET' && method !== 'HEAD') return send(response, 405, { message: 'Only GET is answered here.' });
  switch (path) {
    case '/healthz':
      return report(response, probed.livez());
    case '/startupz':
      return report(response, probed.startupz());
    case '/readyz':
      return report(response, await probed.readyz());
    case '/metrics': {
      const { contentType, body } = await metricsPage();
      response.writeHead(200, { 'content-type': contentType }).end(body);
      return;
    }
    default:
      return send(response, 404, { message: 'Here are /healthz, /startupz, /readyz and /metrics.' });
  }
}

function report(response: ServerResponse, health: HealthReport): void {
  send(response, health.ok ? 200 : 503, health);
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function listening(server: Server, { port, host }: { port: number; host: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
