export { fillTables, leftOf, type Left, type ManyRows } from './many-rows.js';
export { sweeperOf } from './sweeper-of.js';
