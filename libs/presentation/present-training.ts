import { isoTime, isoTimeOrNull, type EndedTraining, type Model, type Training } from '@adit/contracts';
import type { TrainingEntity } from '@adit/database';

export function presentTraining(row: TrainingEntity, model: Model | null): Training {
  return { ...presented(row), output_model: model, report: row.report };
}

/** Presents a training in an event: its version by model id and number, without a report. */
export function presentEndedTraining(row: TrainingEntity): EndedTraining {
  const { modelId, modelVersion } = row;
  return { ...presented(row), output_model_id: modelId, output_model_version: modelVersion };
}

function presented(row: TrainingEntity): Omit<Training, 'output_model' | 'report'> {
  const end = row.timeCompleted ?? new Date();
  return {
    id: row.id,
    type: row.type,
    source_dataset_id: row.datasetId,
    source_dataset: row.dataset,
    output_model_name: row.modelName,
    output_model_description: row.modelDescription,
    output_model_changelog: row.modelChangelog,
    config: row.config,
    state: row.state,
    error: row.errorMsg ?? '',
    progress: row.progress,
    duration: row.timeStarted === null ? 0 : Math.max(0, (end.getTime() - row.timeStarted.getTime()) / 1000),
    time_created: isoTime(row.timeCreated),
    time_started: isoTimeOrNull(row.timeStarted),
    time_completed: isoTimeOrNull(row.timeCompleted),
  };
}
