import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { AditError } from '@adit/contracts';
import { Controller, Get, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { openApiDocument } from './document.js';

const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
/** The package's files the page needs; nothing else of it is served. */
const FILES: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Adit API</title>
<link rel="icon" href="/api/docs/favicon-32x32.png">
<link rel="stylesheet" href="/api/docs/swagger-ui.css">
</head>
<body>
<div id="api"></div>
<script src="/api/docs/swagger-ui-bundle.js"></script>
<script src="/api/docs/start.js"></script>
</body>
</html>
`;
/** A key typed in is kept in the page's memory only. */
const START = "SwaggerUIBundle({ url: '/api/openapi.json', dom_id: '#api', deepLinking: true });\n";
/** Swagger UI writes style attributes; scripts come from here alone. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'";

/** The API's description, as data and as pages, without anything from another host. Needs no key. */
@Controller()
export class DocsController {
  private document: string | null = null;

  @Get('openapi.json')
  openApi(@Res() reply: FastifyReply): void {
    this.document ??= JSON.stringify(openApiDocument());
    void reply.header('content-type', 'application/json; charset=utf-8').send(this.document);
  }

  @Get('docs')
  page(@Res() reply: FastifyReply): void {
    void reply.headers({ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY }).send(PAGE);
  }

  @Get('docs/:file')
  file(@Param('file') file: string, @Res() reply: FastifyReply): void {
    if (file === 'start.js') {
      void reply.header('content-type', 'text/javascript; charset=utf-8').send(START);
      return;
    }
    const type = Object.hasOwn(FILES, file) ? FILES[file] : undefined;
    if (type === undefined) throw new AditError('NOT_FOUND', 'There is nothing at this address.');
    void reply
      .headers({ 'content-type': type, 'cache-control': 'public, max-age=86400' })
      .send(createReadStream(join(folder, file)));
  }
}
