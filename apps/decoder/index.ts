export * from './config.js';
export { ChunkHandler } from './chunk.handler.js';
export * from './decoder.module.js';
export { SourceHandler } from './source.handler.js';
