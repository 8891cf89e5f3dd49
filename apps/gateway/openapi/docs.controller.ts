import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { AditError } from '@adit/contracts';
import { ModuleRegistry } from '@adit/module-kit';
import { Controller, Get, Inject, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { REVALIDATED } from '../http/etags.js';
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
<link rel="stylesheet" href="/api/docs/legible.css">
</head>
<body>
<div id="api"></div>
<script src="/api/docs/swagger-ui-bundle.js"></script>
<script src="/api/docs/start.js"></script>
</body>
</html>
`;
/** A key typed in is kept in the page's memory only. */
const START = `SwaggerUIBundle({
  url: '/api/openapi.json',
  dom_id: '#api',
  deepLinking: true,
  // "Authorize" takes the key as it was given to somebody; the header has a word before it.
  requestInterceptor: (request) => {
    const given = (request.headers.Authorization ?? '').trim();
    if (given !== '' && !/^(Key|Bearer) /i.test(given)) request.headers.Authorization = 'Key ' + given;
    return request;
  },
});
`;
/** Swagger UI's colours, darkened until they can be read: 4.5 to 1 at least. */
const LEGIBLE = `
.swagger-ui .info .title small { background: #5c6670; }
.swagger-ui .info .title small.version-stamp { background: #4b6a02; }
.swagger-ui .info a, .swagger-ui .renderedMarkdown a, .swagger-ui .info .link { color: #1f62b5; }
.swagger-ui .btn.authorize { border-color: #1b7a4b; color: #1b7a4b; }
.swagger-ui .btn.authorize svg { fill: #1b7a4b; }
.swagger-ui .btn.cancel { border-color: #b3261e; color: #b3261e; }
.swagger-ui .parameter__in, .swagger-ui .prop-format { color: #5c5c5c; }
.swagger-ui [class*="json-schema-2020-12-expand-deep-button"], .swagger-ui [class*="json-schema-2020-12__attribute"] { color: #5c5c5c; }
.swagger-ui .opblock.opblock-get .opblock-summary-method { background: #1f62b5; }
.swagger-ui .opblock.opblock-post .opblock-summary-method { background: #1b7a4b; }
.swagger-ui .opblock.opblock-put .opblock-summary-method { background: #8f5208; }
.swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #b3261e; }
.swagger-ui .opblock.opblock-patch .opblock-summary-method { background: #0b7566; }
.swagger-ui .opblock.opblock-head .opblock-summary-method { background: #7a1fb5; }
.swagger-ui .opblock.opblock-options .opblock-summary-method { background: #0b4a85; }
`;
/** Swagger UI writes style attributes; scripts come from here alone. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'";

/** The API's description, as data and as pages, without anything from another host. Needs no key. */
@Controller()
export class DocsController {
  private document: string | null = null;

  constructor(@Inject(ModuleRegistry) private readonly modules: ModuleRegistry) {}

  @Get('openapi.json')
  openApi(@Res() reply: FastifyReply): void {
    this.document ??= JSON.stringify(openApiDocument(this.modules));
    void reply
      .headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': REVALIDATED })
      .send(this.document);
  }

  @Get('docs')
  page(@Res() reply: FastifyReply): void {
    void reply.headers({ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY }).send(PAGE);
  }

  @Get('docs/:file')
  file(@Param('file') file: string, @Res() reply: FastifyReply): void {
    if (file === 'start.js' || file === 'legible.css') {
      const [kind, text] = file === 'start.js' ? ['javascript', START] : ['css', LEGIBLE];
      void reply.header('content-type', `text/${kind}; charset=utf-8`).send(text);
      return;
    }
    const type = Object.hasOwn(FILES, file) ? FILES[file] : undefined;
    if (type === undefined) throw new AditError('NOT_FOUND', 'There is nothing at this address.');
    void reply
      .headers({ 'content-type': type, 'cache-control': 'public, max-age=86400' })
      .send(createReadStream(join(folder, file)));
  }
}
