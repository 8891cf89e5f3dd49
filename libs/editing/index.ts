export type { EditFormat } from './edit-format.js';
export type { EditEvent, EditList, EditSource } from './edit-list.js';
export { isSameRate, rateName, type EditRate } from './edit-rate.js';
export { EDIT_FORMATS } from './formats.js';
export { LOG_COLUMNS, logRow } from './log-rows.js';
export { reelsOf } from './reels.js';
export { intervalOf, timelineOf, type SourceTimeline } from './source-timeline.js';
