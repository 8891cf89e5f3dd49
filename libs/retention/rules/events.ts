import { forgetEvents } from '@adit/webhooks';
import { storeRule } from '../rule.js';

/** Events of workspaces: older than ADIT_EVENT_HOURS, or more than ADIT_EVENTS_KEPT. */
export const events = storeRule('events', ({ db, now, settings, shouldContinue }) => {
  const before = new Date(now.getTime() - settings.eventHours * 3_600_000);
  return forgetEvents(db, { before, most: settings.eventsKept }, shouldContinue);
});
