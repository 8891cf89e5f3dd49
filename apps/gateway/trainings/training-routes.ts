import { Training, TrainingPage, TrainingRequest } from '@adit/contracts';
import { z } from 'zod';
import { defineRoute } from '../http/route.js';
import { inPages, Message, OptionalPage, UuidInPath } from '../http/shapes.js';
import { exampleEndedTraining, exampleTraining } from './training-examples.js';

const tag = 'Trainings';
const params = z.object({ trainingId: UuidInPath.describe('Id of the training') });

export const listTrainings = defineRoute({
  method: 'GET',
  path: '/v1/trainings/',
  summary: 'List trainings, newest first',
  description: 'A plain list of all; with `offset` or `limit` it comes in pages.',
  tag,
  query: OptionalPage,
  reply: z.array(Training),
  otherwise: inPages(TrainingPage),
});

export const createTraining = defineRoute({
  method: 'POST',
  path: '/v1/trainings/',
  summary: 'Train a model with a dataset',
  description:
    'Begins when the images that the dataset has by then are evaluated. What is active and has not expired becomes a version ' +
    'of the model: an ONNX graph over embeddings and the gallery that jobs are matched with; its class ids are those of the ' +
    'dataset. The report names the images that were left out, and what a trial on photos held out gave. The same images give ' +
    'the same version. Of landmarks, `type`, `latitude`, `longitude` and `location` are what `custom_fields` of the classes say.',
  tag,
  body: TrainingRequest,
  reply: Training,
  errors: ['CONFLICT'],
  example: {
    body: {
      source_dataset_id: exampleTraining.source_dataset_id,
      output_model_name: exampleTraining.output_model_name,
    },
    reply: exampleTraining,
  },
});

export const getTraining = defineRoute({
  method: 'GET',
  path: '/v1/trainings/:trainingId/',
  summary: 'Read a training',
  description: 'Its state and progress, and once it is completed the model and the report.',
  tag,
  params,
  reply: Training,
  errors: ['NOT_FOUND'],
  example: { reply: exampleEndedTraining },
});

export const deleteTraining = defineRoute({
  method: 'DELETE',
  path: '/v1/trainings/:trainingId/',
  summary: 'Stop a training, and remove it',
  description: 'One that runs makes no version any more. A version that was made stays.',
  tag,
  params,
  reply: Message,
  errors: ['NOT_FOUND'],
  example: { reply: { message: `The training of ${exampleTraining.output_model_name} was deleted.` } },
});

/** The interface lists it without an id in the path. */
export const deleteTrainingAsListed = defineRoute({
  method: 'DELETE',
  path: '/v1/trainings/',
  summary: 'Stop a training, and remove it, by the path under which the interface lists that',
  description: 'Does what `DELETE /v1/trainings/{trainingId}/` does.',
  tag,
  query: z.object({ id: z.string().max(64).describe('Id of the training') }),
  reply: Message,
  errors: ['NOT_FOUND'],
  example: { reply: { message: `The training of ${exampleTraining.output_model_name} was deleted.` } },
});
