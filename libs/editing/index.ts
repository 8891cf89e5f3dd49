export type { EditFormat } from './edit-format.js';
export type { EditEvent, EditList, EditSource } from './edit-list.js';
export { FALLBACK_RATE, isSameRate, rateName, type EditRate } from './edit-rate.js';
export { EDIT_FORMATS } from './formats.js';
export { reelsOf } from './reels.js';
export { intervalOf, timelineOf, type SourceTimeline } from './source-timeline.js';
