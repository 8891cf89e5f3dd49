import { readFile } from 'node:fs/promises';
import type { ImageInput } from '@adit/contracts';
import { cpuGraph } from './cpu-graph.js';
import { float16Graph, type Float16Form } from './float16-graph.js';
import { pixelGraph } from './pixel-graph.js';

/** How a graph is loaded: as its file has it, as a CPU is fast at it where there is something to gain, or in float16. */
export type GraphForm = 'file' | 'cpu' | Float16Form;

/** A graph that is made of a file where it is loaded: whoever asks for it has nothing of it in memory. */
export interface MadeGraph {
  path: string;
  form: GraphForm;
  /** Has the pre-processing of such pictures put in front (`pixelGraph`), where the graph takes them that way. */
  pixels?: ImageInput;
}

/** What is loaded: a path, the bytes of a file, or what is made of one. */
export type GraphSource = string | Uint8Array | MadeGraph;

/** What ONNX Runtime loads of it. Throws VALIDATION where the graph has no such form. */
export async function madeGraph({ path, form, pixels }: MadeGraph): Promise<string | Uint8Array> {
  let file: Promise<Uint8Array> | null = null;
  const read = (): Promise<Uint8Array> => (file ??= readFile(path));
  const graph = form === 'file' ? null : form === 'cpu' ? cpuGraph(await read()) : float16Graph(await read(), form);
  const looking = pixels === undefined ? null : await withPixels(graph ?? read(), pixels);
  return looking ?? graph ?? path;
}

async function withPixels(graph: Uint8Array | Promise<Uint8Array>, input: ImageInput): Promise<Uint8Array | null> {
  try {
    return pixelGraph(await graph, input);
  } catch {
    // Loading the file itself says better what is wrong with it.
    return null;
  }
}
