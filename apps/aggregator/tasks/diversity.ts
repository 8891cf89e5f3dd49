import { type DiversityInfo, isOneOf, keysOf } from '@adit/contracts';

/** Aggregate of one kind over the jobs of one batch. */
export interface BatchTotal {
  batchId: string;
  type: string;
  category: string;
  value: number;
}

/** A batch and its parent; null, or outside of the tree, for the root. */
interface TreeNode {
  id: string;
  parentId: string | null;
}

function noDiversity(): DiversityInfo {
  return {
    gender_count: {},
    age_count: {},
    person_screen_time: {},
    gender_screen_time: {},
    age_screen_time: {},
    gender_speech_time: {},
    age_speech_time: {},
    name_to_speech_time: {},
  };
}

export const DIVERSITY_TYPES = keysOf(noDiversity());

/**
 * Aggregates each batch of a tree with all below it. Counts are whole, times are seconds.
 *
 * @param tree each batch before those in it.
 */
export function diversityOfTree(tree: TreeNode[], totals: BatchTotal[]): { batchId: string; info: DiversityInfo }[] {
  const nodes = tree.map((node) => ({ ...node, info: noDiversity() }));
  const infos = new Map(nodes.map(({ id, info }) => [id, info]));
  for (const { batchId, type, category, value } of totals) {
    const info = infos.get(batchId);
    if (info !== undefined && isDiversityType(type)) add(info, type, category, value);
  }
  // Leaves come first, so that a batch is complete when it is added to its parent.
  for (const { parentId, info } of [...nodes].reverse()) {
    const parent = parentId === null ? undefined : infos.get(parentId);
    if (parent === undefined) continue;
    for (const type of DIVERSITY_TYPES) {
      for (const [category, value] of Object.entries(info[type])) add(parent, type, category, value);
    }
  }
  return nodes.map(({ id, info }) => ({ batchId: id, info }));
}

function add(info: DiversityInfo, type: keyof DiversityInfo, category: string, value: number): void {
  const before = Object.hasOwn(info[type], category) ? info[type][category] : undefined;
  const sum = (before ?? 0) + value;
  // Categories are labels of people: one may be called __proto__.
  Object.defineProperty(info[type], category, { value: sum, enumerable: true, configurable: true, writable: true });
}

function isDiversityType(type: string): type is keyof DiversityInfo {
  return isOneOf(DIVERSITY_TYPES, type);
}
