import type { AditClient } from '@adit/client';
import { AditError } from '@adit/contracts';
import { checkSet, MAX_PICTURES, type LabelledPicture, type LabelledSet } from '@adit/evaluation';
import { findDataset } from './datasets.js';
import { printable } from '../../output/text-table.js';

/** The active images of a dataset of the service, by id or name, each labelled with its class. Throws VALIDATION, TOO_LARGE. */
export async function datasetPictures(client: AditClient, given: string): Promise<LabelledSet> {
  const { id: datasetId, name } = await findDataset(client, given).catch((error: unknown) => {
    if (!(error instanceof AditError) || error.code !== 'VALIDATION') throw error;
    throw new AditError('VALIDATION', `${printable(given)} is no folder or list here. ${error.message}`);
  });
  const pictures: LabelledPicture[] = [];
  const labels = new Set<string>();
  const query = { active: true };
  const classes = 'GET /v1/datasets/{datasetId}/classes';
  for await (const { id: classId, label } of client.items(classes, { params: { datasetId }, query })) {
    labels.add(label);
    const images = 'GET /v1/datasets/{datasetId}/classes/{classId}/images';
    for await (const { id, file_uri: uri } of client.items(images, { params: { datasetId, classId }, query })) {
      pictures.push({ name: `${label}: image ${id}`, place: { uri }, labels: [label], boxes: null, size: null });
      // Refused below; what is beyond it is not listed for that.
      if (pictures.length > MAX_PICTURES) break;
    }
  }
  return checkSet({ title: `the dataset ${name}`, pictures, labels: [...labels], missing: [] });
}
