import { readFile } from 'node:fs/promises';
import type { ImageInput } from '@adit/contracts';
import { cpuGraph } from './cpu-graph.js';
import { float16Graph, type Float16Form } from './float16-graph.js';
import { pixelGraph } from './pixel-graph.js';

/** Form in which a graph is loaded: as in its file, rewritten for CPUs where that gains, or in float16. */
export type GraphForm = 'file' | 'cpu' | Float16Form;

/** A graph that is rewritten where it is loaded, so that the caller holds nothing of it in memory. */
export interface MadeGraph {
  path: string;
  form: GraphForm;
  /** Puts the pre-processing of such pictures in front (`pixelGraph`), where the graph permits it. */
  pixels?: ImageInput;
}

/** Source of a graph: a path, the bytes of a file, or a rewritten file. */
export type GraphSource = string | Uint8Array | MadeGraph;

/** Returns the graph for ONNX Runtime. Throws VALIDATION where the graph has no such form. */
export async function madeGraph({ path, form, pixels }: MadeGraph): Promise<string | Uint8Array> {
  let file: Promise<Uint8Array> | null = null;
  const read = (): Promise<Uint8Array> => (file ??= readFile(path));
  const graph = form === 'file' ? null : form === 'cpu' ? cpuGraph(await read()) : float16Graph(await read(), form);
  const prepared = pixels === undefined ? null : await withPixels(graph ?? read(), pixels);
  return prepared ?? graph ?? path;
}

async function withPixels(graph: Uint8Array | Promise<Uint8Array>, input: ImageInput): Promise<Uint8Array | null> {
  try {
    return pixelGraph(await graph, input);
  } catch {
    // Loading the file itself gives a better error.
    return null;
  }
}
