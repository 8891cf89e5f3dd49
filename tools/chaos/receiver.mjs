// A webhook receiver that notes which events of which jobs arrived, and how often.
import { createServer } from 'node:http';

export async function startReceiver() {
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
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/hook`,
    /** Different webhook-ids that came for an event of a job: 1 when all is well. */
    idsOf: (jobId, event) => deliveries.get(`${jobId} ${event}`)?.size ?? 0,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
