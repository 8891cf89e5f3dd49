import { Controller, Get, Inject, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { PageFiles } from './page-files.js';

/** Outside the API's prefix. */
export const EDITOR_PATHS = ['editor/:transcriptId', 'editor/assets/:file'];

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
  private readonly files = new PageFiles('editor');
  private readonly policy: string;

  constructor(@Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig) {
    this.policy = policyOf(config.editorFrameAncestors);
  }

  @Get('editor/:transcriptId')
  async page(@Res() reply: FastifyReply): Promise<void> {
    // `frame-ancestors` says it better, and older browsers know it too.
    if (this.config.editorFrameAncestors.length > 0) reply.removeHeader('x-frame-options');
    await this.files.sendPage(reply, this.policy);
  }

  @Get('editor/assets/:file')
  async asset(@Param('file') file: string, @Res() reply: FastifyReply): Promise<void> {
    await this.files.sendAsset(reply, file);
  }
}
