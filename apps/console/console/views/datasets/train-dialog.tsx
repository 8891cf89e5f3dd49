import type { Dataset } from '@adit/client';
import { useMessages } from '../../messages/i18n.js';
import { trainingsText } from '../../messages/datasets.en.js';
import { trainingAddress } from '../../model/datasets.js';
import { nameFor } from '../../model/new-model.js';
import type { Notices } from '../../state/notices.js';
import type { Route } from '../../state/route.js';
import type { Session } from '../../state/session.js';
import { startTraining } from '../../state/datasets/trainings.js';
import { FormDialog, type FormField } from '../forms/form-dialog.js';

const MAX_TEXT = 10_000;

interface TrainDialogProps {
  session: Session;
  route: Route;
  notices: Notices;
  dataset: Dataset;
  onClose: () => void;
}

/** Starts a training of a dataset. */
export function TrainDialog({ session, route, notices, dataset, onClose }: TrainDialogProps) {
  const text = useMessages(trainingsText);
  const isFaces = dataset.type === 'face';
  const ofFaces: FormField[] = [
    { name: 'size', label: text.minFaceSize, kind: 'number', value: '80', most: 10_000 },
    { name: 'sharpness', label: text.sharpness, kind: 'number', value: '40', most: 100 },
  ];
  return (
    <FormDialog
      {...{ session, onClose, title: text.trainTitle({ name: dataset.name }), submitLabel: text.start }}
      fields={[
        {
          ...{ name: 'model', label: text.model, hint: text.modelHint, required: true, maxLength: 63 },
          value: nameFor(dataset.name),
        },
        { name: 'description', label: text.description, kind: 'lines', maxLength: MAX_TEXT },
        { name: 'changelog', label: text.changelog, kind: 'lines', maxLength: MAX_TEXT },
        ...(isFaces ? ofFaces : []),
      ]}
      submit={async ({ model = '', description = '', changelog = '', size = '', sharpness = '' }) => {
        const training = await startTraining(session, {
          source_dataset_id: dataset.id,
          output_model_name: model,
          output_model_description: description,
          output_model_changelog: changelog,
          config: {
            ...(size !== '' && { min_face_size: Number(size) }),
            ...(sharpness !== '' && { sharpness_threshold: Number(sharpness) }),
          },
        });
        notices.say(text.started({ name: model }));
        route.go(trainingAddress(training.id));
      }}
    />
  );
}
