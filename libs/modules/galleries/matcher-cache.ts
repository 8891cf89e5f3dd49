import type { OpenContext } from '@adit/module-kit';
import { readGallery } from './gallery.js';
import { Matcher } from './match.js';

/** Sets of galleries kept in memory; 20,000 people with two photos each take 82 MB. */
const KEPT = 4;

const matchers = new Map<string, Promise<Matcher>>();

/**
 * Returns the galleries of these pins, in memory; the most recently used stay there, so that reopening a job reads
 * nothing.
 */
export function matcherOf({ models, readModelFile }: Pick<OpenContext, 'models' | 'readModelFile'>): Promise<Matcher> {
  const key = models.map((pin) => pin.digest).join(' ');
  const matcher =
    matchers.get(key) ??
    Promise.all(models.map((pin) => readGallery(pin.name, (file) => readModelFile(pin, file)))).then(
      (galleries) => new Matcher(galleries),
    );
  matchers.delete(key);
  matchers.set(key, matcher);
  // A failed read is repeated next time.
  matcher.catch(() => matchers.get(key) === matcher && matchers.delete(key));
  for (const oldest of matchers.keys()) {
    if (matchers.size <= KEPT) break;
    matchers.delete(oldest);
  }
  return matcher;
}
