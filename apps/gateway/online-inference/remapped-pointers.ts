import { AditError } from '@adit/contracts';

/**
 * Runs `work`, and rewrites the pointers of its errors to the names that this request has for them. `places` maps
 * pointers of the other request to those of this one; the longest that fits counts.
 */
export async function remapPointers<T>(places: Record<string, string>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, message, options } = AditError.from(error);
    if (options.errors === undefined) throw error;
    const known = Object.entries(places).sort(([a], [b]) => b.length - a.length);
    const errors = options.errors.map((detail) => {
      const [from, to] = known.find(([place]) => `${detail.pointer}/`.startsWith(`${place}/`)) ?? ['', ''];
      return { ...detail, pointer: `${to}${detail.pointer.slice(from.length)}` };
    });
    throw new AditError(code, message, { ...options, errors });
  }
}
