import type { Training } from '@adit/client';
import { AditError } from '@adit/contracts';
import { findDataset, type DatasetOptions } from '../dataset/datasets.js';
import { onEngine, printJson, untilEnded } from '../../engine/engine-work.js';
import { printable } from '../../output/text-table.js';

export interface TrainOptions extends DatasetOptions {
  name: string;
  description?: string;
  changelog?: string;
  minFaceSize?: number;
  sharpnessThreshold?: number;
}

/** Trains a model with a dataset, and says what a trial on photos held out gave. */
export function train(given: string, options: TrainOptions): Promise<void> {
  return onEngine(options, async (at) => {
    const { client, signal } = at;
    const { id } = await findDataset(client, given);
    const { id: trainingId } = await client.request('POST /v1/trainings/', {
      body: {
        ...{ source_dataset_id: id, output_model_name: options.name },
        output_model_description: options.description ?? '',
        output_model_changelog: options.changelog ?? '',
        config: {
          ...(options.minFaceSize !== undefined && { min_face_size: options.minFaceSize }),
          ...(options.sharpnessThreshold !== undefined && { sharpness_threshold: options.sharpnessThreshold }),
        },
      },
    });
    const params = { trainingId };
    const ask = () => client.request('GET /v1/trainings/{trainingId}/', { params });
    const training = await untilEnded('Training', ask, at).catch(async (error: unknown) => {
      if (signal.aborted) await client.request('DELETE /v1/trainings/{trainingId}/', { params });
      throw error;
    });
    at.progress.stop();
    if (training.state === 'failed' && !options.json) throw new AditError('MEDIA_INVALID', training.error);
    if (training.state === 'failed') process.exitCode = 1;
    if (options.json) return printJson(training);
    process.stdout.write(`${summaryOf(training)}\n`);
  });
}

function summaryOf({ output_model: model, output_model_name: name, report }: Training): string {
  const version = model === null ? name : `${name} version ${model.latest_version.version_number}`;
  if (report === null) return printable(version);
  const { number_of_classes: classes, number_of_images: images, number_left_out: left } = report;
  const trial = `${report.named_right} of ${report.held_out} images held out were named right, ${report.named_wrong} wrong`;
  return `${printable(version)}: ${classes} classes from ${images} images, ${left} left out; ${trial}`;
}
