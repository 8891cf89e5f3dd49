import type { Session } from './session.js';

/** Milliseconds before a link ends at which another is asked for. */
const MARGIN_MS = 60_000;

/** Addresses of sources for small players; asked for once in the minutes that each is good for. */
export class Previews {
  private readonly links = new Map<string, { url: Promise<string | null>; until: number }>();

  constructor(private readonly session: Session) {}

  /** Null for a source that cannot be played. */
  address(jobId: string, source: number): Promise<string | null> {
    const key = `${jobId} ${source}`;
    const known = this.links.get(key);
    if (known !== undefined && known.until > Date.now()) return known.url;
    const entry = { url: Promise.resolve<string | null>(null), until: Date.now() + MARGIN_MS };
    entry.url = this.read(jobId, source, entry);
    this.links.set(key, entry);
    return entry.url;
  }

  private async read(jobId: string, source: number, entry: { until: number }): Promise<string | null> {
    const { client, address } = this.session;
    try {
      const reply = await client.request('GET /v1/jobs/{jobId}/media/', { params: { jobId }, query: { source } });
      entry.until = Date.parse(reply.time_expires) - MARGIN_MS;
      return `${address}/api/v1/media/?link=${encodeURIComponent(reply.link)}`;
    } catch (error) {
      this.session.notice(error);
      return null;
    }
  }
}
