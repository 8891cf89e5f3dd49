import { isoTime, isoTimeOrNull, type Export } from '@adit/contracts';
import type { ExportEntity } from '@adit/database';

/** Presents an export in the API. */
export function presentExport(row: ExportEntity): Export {
  const { id, strategy, config, state, progress, errorMsg, notes, timeCreated, timeCompleted } = row;
  return {
    id,
    strategy,
    time_created: isoTime(timeCreated),
    time_completed: isoTimeOrNull(timeCompleted),
    state,
    progress,
    error_msg: errorMsg,
    notes,
    config,
  };
}
