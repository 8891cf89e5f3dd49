export { NotifierConfig } from './config.js';
export { NotifierModule } from './notifier.module.js';
