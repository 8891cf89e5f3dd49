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

/**
 * Test helper: writes a network for the slot `scenes` into a folder of models, whose labels stand for red, green and
 * blue.
 */
export async function writeColourScenes(root: string, labels = ['sunset', 'forest', 'sea']): Promise<void> {
  await write(root, 'scenes', labels, MANIFEST);
}

/** Test helper: writes the same as a classifier that jobs name, for a picture's centre and with independent labels. */
export async function writeColourClassifier(root: string, name: string, graph = meanColourGraph(32)): Promise<void> {
  const more = 'family: classifier\ndecoding: sigmoid\n';
  const pixels = MANIFEST.replace(
    'std: [12, 12, 12] }',
    'std: [32], resize: crop, shorterSide: 40, filter: antialiased }',
  );
  const centred = pixels.replace('mean: [0, 0, 0]', 'mean: [128]');
  await write(root, name, ['sunset', 'forest', 'sea'], centred.replace('name: scenes', `name: ${name}`) + more, graph);
}

async function write(
  root: string,
  name: string,
  labels: string[],
  manifest: string,
  graph = meanColourGraph(32),
): Promise<void> {
  const folder = join(root, name);
  await mkdir(join(folder, '1'), { recursive: true });
  await writeFile(join(folder, '1', 'model.onnx'), graph);
  await writeFile(join(folder, 'model.yaml'), `${manifest}labels: ${JSON.stringify(labels)}\n`);
}
