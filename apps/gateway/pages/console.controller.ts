import { AditError } from '@adit/contracts';
import { Controller, Get, HttpCode, Inject, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { PageFiles } from './page-files.js';
import { isFromThisMachine, SignInCodes } from './sign-in-codes.js';

/** Outside the API's prefix. */
export const CONSOLE_PATHS = ['console', 'console/assets/:file'];
/** Takes a code for the first key, once; no part of the API. */
export const SIGN_IN_PATH = 'console/sign-in';

/** Everything comes from here; small pictures of what was found are part of the API's replies (`data:`). */
const POLICY = [
  "default-src 'self'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** The page of the console. It holds nothing of anybody's: whoever opens it signs in with a key, which stays in the page. */
@Controller()
export class ConsoleController {
  private readonly files = new PageFiles('console');

  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'console'>,
    @Inject(SignInCodes) private readonly codes: SignInCodes,
  ) {}

  @Get('console')
  async page(@Req() { url }: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    this.requireOn();
    // The page's addresses are relative, so that a proxy may serve it below any prefix.
    if (!/^[^?]*\/(\?|$)/.test(url)) return void reply.redirect('console/', 308);
    await this.files.sendPage(reply, POLICY);
  }

  @Get('console/assets/:file')
  async asset(@Param('file') file: string, @Res() reply: FastifyReply): Promise<void> {
    this.requireOn();
    await this.files.sendAsset(reply, file);
  }

  /** Exchanges the code of `adit start`, in `Authorization: Code …`, for the key that it stands for. */
  @Post(SIGN_IN_PATH)
  @HttpCode(200)
  signIn(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): { key: string } {
    this.requireOn();
    if (!isFromThisMachine(request)) {
      throw new AditError('FORBIDDEN', 'The link of "adit start" works on the machine that it was started on alone.');
    }
    const [, code = ''] = /^Code (.+)$/.exec(request.headers.authorization ?? '') ?? [];
    const key = this.codes.take(code);
    if (key === null) {
      throw new AditError('UNAUTHENTICATED', 'The link is used up or too old: sign in with the key.');
    }
    void reply.header('cache-control', 'no-store');
    return { key };
  }

  private requireOn(): void {
    if (!this.config.console) throw new AditError('NOT_FOUND', 'There is nothing at this address.');
  }
}
