export * from './csv-rows.js';
export * from './header.js';
export * from './text-pieces.js';
export * from './write-csv.js';
