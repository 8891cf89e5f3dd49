import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { meanColourGraph } from '@adit/inference/spec-graph';

const MANIFEST = `name: scenes
kind: network
task: scene-classification
description: Which of three colours a picture has most of; stands in for a classifier of scenes.
modules: [object_scene_recognition]
maxBatch: 8
input: { tensor: x, width: 32, height: 32, layout: nchw, colour: rgb, mean: [0, 0, 0], std: [12, 12, 12] }
licence: none
origin: written by the specs
`;

/** For specs: puts a network for the slot `scenes` into a folder of models, whose labels are those of red, green, blue. */
export async function writeColourScenes(root: string, labels = ['sunset', 'forest', 'sea']): Promise<void> {
  const folder = join(root, 'scenes');
  await mkdir(join(folder, '1'), { recursive: true });
  await writeFile(join(folder, '1', 'model.onnx'), meanColourGraph(32));
  await writeFile(join(folder, 'model.yaml'), `${MANIFEST}labels: ${JSON.stringify(labels)}\n`);
}
