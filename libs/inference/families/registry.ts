import { AditError } from '@adit/contracts';
import { scanFolder } from '@adit/runtime/scan-folder';
import type { FamilyDefinition } from './family.js';

/** Registry of the families found in a folder. */
export class FamilyRegistry {
  private constructor(private readonly families: readonly FamilyDefinition[]) {}

  /**
   * Imports `<folder>/<name>/family.ts` (from source) or `.js` (when built) of every subfolder that has one. Throws
   * INTERNAL when a family's name differs from its folder, or when two families share the name of a decoding.
   */
  static async scan(folder: string): Promise<FamilyRegistry> {
    const families: FamilyDefinition[] = [];
    const decodings = new Map<string, string>();
    for (const { name, file, definition } of await scanFolder<FamilyDefinition>(folder, 'family')) {
      if (definition?.name !== name) {
        throw new AditError('INTERNAL', `${file} must export by default a family named ${name}.`);
      }
      for (const decoding of definition.decodings) {
        const other = decodings.get(decoding);
        if (other !== undefined) {
          throw new AditError('INTERNAL', `The families ${other} and ${name} both have a decoding ${decoding}.`);
        }
        decodings.set(decoding, name);
      }
      families.push(definition);
    }
    return new FamilyRegistry(families.sort((a, b) => b.precedence - a.precedence || (a.name < b.name ? -1 : 1)));
  }

  /** Returns all families, the most specific first. */
  all(): readonly FamilyDefinition[] {
    return this.families;
  }

  /** Returns the families whose models jobs may name. */
  usable(): FamilyDefinition[] {
    return this.families.filter(({ uses }) => uses.length > 0);
  }

  find(name: string | null | undefined): FamilyDefinition | undefined {
    return this.families.find((family) => family.name === name);
  }

  /** Returns the family with the given decoding. */
  withDecoding(decoding: string | undefined): FamilyDefinition | undefined {
    return decoding === undefined ? undefined : this.families.find(({ decodings }) => decodings.includes(decoding));
  }

  /** Returns the analysis by which a module runs models of a family; null where it uses none of them. */
  analysisFor(module: string, family: string | null | undefined): string | null {
    return this.find(family)?.uses.find((use) => use.module === module)?.analysis ?? null;
  }
}
