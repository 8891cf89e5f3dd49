import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { AditError, nullIfNoFile } from '@adit/contracts';
import { Controller, Get, Inject, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { REVALIDATED } from '../http/etags.js';

/** Outside the API's prefix. */
export const EDITOR_PATHS = ['editor/:transcriptId', 'editor/assets/:file'];

/** Folder that `npm run setup` builds. */
const folder = join(dirname(createRequire(import.meta.url).resolve('@adit/console/package.json')), 'dist/editor');

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

/** Its own scripts and styles, the API beside it, and a film that the person opens from the disk (`blob:`). */
function policyOf(frameAncestors: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "media-src 'self' blob:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${frameAncestors.length > 0 ? frameAncestors.join(' ') : "'none'"}`,
    "require-trusted-types-for 'script'",
  ].join('; ');
}

/**
 * The page of the transcript editor. It holds nothing of anybody's: the token in its address is for the API, which the page
 * asks with it, and is not looked at here.
 */
@Controller()
export class EditorController {
  private readonly policy: string;

  constructor(@Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig) {
    this.policy = policyOf(config.editorFrameAncestors);
  }

  @Get('editor/:transcriptId')
  async page(@Res() reply: FastifyReply): Promise<void> {
    const page = await readFile(join(folder, 'index.html'), 'utf8').catch((cause: unknown) => {
      throw new AditError('UNAVAILABLE', 'The editor has not been built: npm run setup does that.', { cause });
    });
    // `frame-ancestors` says it better, and older browsers know it too.
    if (this.config.editorFrameAncestors.length > 0) reply.removeHeader('x-frame-options');
    void reply
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': this.policy,
        'cache-control': REVALIDATED,
      })
      .send(page);
  }

  @Get('editor/assets/:file')
  async asset(@Param('file') file: string, @Res() reply: FastifyReply): Promise<void> {
    const assets = join(folder, 'assets');
    const known = (await readdir(assets).catch(nullIfNoFile)) ?? [];
    const type = known.includes(file) ? TYPES[extname(file)] : undefined;
    if (type === undefined) throw new AditError('NOT_FOUND', 'There is nothing at this address.');
    // Its name says what is in it.
    void reply
      .headers({ 'content-type': type, 'cache-control': 'public, max-age=31536000, immutable' })
      .send(createReadStream(join(assets, file)));
  }
}
