import type { NetworkSession } from '@adit/inference';

/** File beside a graph with too many characters for a manifest: one per line. */
const FILE = 'characters.data';

const files = new Map<string, Promise<readonly string[]>>();

/**
 * Returns the text of each output of a recogniser, '' for none: the labels of its manifest, or, between a separator and
 * a space, the lines of the file beside it. Throws NOT_FOUND where there is neither.
 */
export async function charactersOf(network: NetworkSession): Promise<readonly string[]> {
  return network.manifest.labels ?? fileOf(network);
}

function fileOf(network: NetworkSession): Promise<readonly string[]> {
  const known = files.get(network.digest);
  if (known) return known;
  const reading = network.readFile(FILE).then((file) => ['', ...file.toString('utf8').split('\n'), ' ']);
  files.set(network.digest, reading);
  reading.catch(() => files.delete(network.digest));
  return reading;
}
