export * from './package-parts.js';
export * from './xml.js';
export * from './zip.js';
