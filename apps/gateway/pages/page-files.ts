import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { AditError, nullIfNoFile } from '@adit/contracts';
import type { FastifyReply } from 'fastify';
import { REVALIDATED } from '../http/etags.js';

/** Folder that `npm run setup` builds. */
const built = join(dirname(createRequire(import.meta.url).resolve('@adit/console/package.json')), 'dist');

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

/** The files of one page of `apps/console`. They hold nothing of anybody's, so they need no key. */
export class PageFiles {
  private readonly folder: string;

  constructor(private readonly name: 'console' | 'editor') {
    this.folder = join(built, name);
  }

  /** Sends the page under a Content-Security-Policy. Throws UNAVAILABLE where it has not been built. */
  async sendPage(reply: FastifyReply, policy: string): Promise<void> {
    const page = await readFile(join(this.folder, 'index.html'), 'utf8').catch((cause: unknown) => {
      throw new AditError('UNAVAILABLE', `The ${this.name} has not been built: npm run setup does that.`, { cause });
    });
    void reply
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': policy,
        'cache-control': REVALIDATED,
      })
      .send(page);
  }

  /** Throws NOT_FOUND for what is no file of the page. */
  async sendAsset(reply: FastifyReply, file: string): Promise<void> {
    const assets = join(this.folder, 'assets');
    const known = (await readdir(assets).catch(nullIfNoFile)) ?? [];
    const type = known.includes(file) ? TYPES[extname(file)] : undefined;
    if (type === undefined) throw new AditError('NOT_FOUND', 'There is nothing at this address.');
    // Its name says what is in it.
    void reply
      .headers({ 'content-type': type, 'cache-control': 'public, max-age=31536000, immutable' })
      .send(createReadStream(join(assets, file)));
  }
}
