export { RecorderConfig } from './config.js';
export { RecorderModule } from './recorder.module.js';
