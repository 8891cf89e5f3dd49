/**
 * Packages that every process loads and that consist of many files: together some 1,700 of the 2,300 that a start would
 * read. Each is named as the code imports it. Not here: what loads files that lie beside it (native code, WebAssembly,
 * workers), and what few processes need.
 */
export const bundled = [
  '@fastify/multipart',
  '@nestjs/common',
  '@nestjs/core',
  '@nestjs/microservices',
  '@nestjs/platform-fastify',
  '@opentelemetry/api',
  'fastify',
  'file-type',
  'jose',
  'kafkajs',
  'pg',
  'pino',
  'prom-client',
  'reflect-metadata',
  'rxjs',
  'typeorm',
  'undici',
  'zod',
];

/** The bundle's file in `dist`, e.g. `nestjs-common.js`. */
export function fileOf(specifier) {
  return `${specifier.replace('@', '').replaceAll('/', '-')}.js`;
}
