// A webhook receiver that counts deliveries by job and event.
import { createServer } from 'node:http';

/** @param {string} [host] Address of this machine that the senders reach. */
export async function startReceiver(host = '127.0.0.1') {
  /** @type {Map<string, Map<string, number>>} Deliveries by webhook-id, by job and event. */
  const deliveries = new Map();
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece) => (body += piece));
    request.on('end', () => {
      const { event, data } = JSON.parse(body);
      const key = `${data.job.id} ${event}`;
      const ids = deliveries.get(key) ?? new Map();
      const id = request.headers['webhook-id'];
      ids.set(id, (ids.get(id) ?? 0) + 1);
      deliveries.set(key, ids);
      response.writeHead(204).end();
    });
  });
  await new Promise((resolve) => server.listen(0, host, resolve));
  return {
    url: `http://${host}:${server.address().port}/hook`,
    /** Number of different webhook-ids for an event of a job: 1 when nothing is lost or doubled. */
    idsOf: (jobId, event) => deliveries.get(`${jobId} ${event}`)?.size ?? 0,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
