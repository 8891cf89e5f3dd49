import { AditError } from '@adit/contracts';

/**
 * What `work` does; where it complains of places under the names of one request, the complaint points at those of another.
 * `places` are pointers by the pointers they stand for; the longest that fits counts.
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
