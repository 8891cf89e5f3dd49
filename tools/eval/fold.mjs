// A module over the observations of an analysis, without an engine.
import { unitOf } from '@adit/contracts';
import { loadModules } from '@adit/modules';
import { ModelRepository } from '@adit/inference';

const registry = await loadModules();

/**
 * Opens a module and answers a function from the units of one file ([{facts, extent, observations}], with those of other analyses by
 * name in `beside`) to its segments.
 * `model` is a gallery in the folder `models`, for modules that take one.
 */
export async function openModule(id, analysis, given, { models, model } = {}) {
  const definition = registry.find(id);
  const args = definition.args.parse(model ? { ...given, model } : given);
  const fold = await opened(definition, args, models, model);
  return (units) => foldOf(fold, analysis, units).segments;
}

/** { segments, summaries }: all that an opened module says of the units of one file, as in a job. */
export function foldOf(opened, analysis, units) {
  const context = { sourceIndex: 0, facts: units[0].facts };
  const segments = [];
  let state = opened.start(context);
  for (const { facts, extent, observations, beside } of units) {
    const unit = unitOf({ sourceIndex: 0, mediaDigest: '', facts }, extent);
    const step = opened.fold(state, { unit, observations: { [analysis]: observations, ...beside } }, context);
    state = step.state;
    segments.push(...step.segments);
  }
  const end = opened.close(state, context);
  return { segments: [...segments, ...end.segments], summaries: end.summaries };
}

async function opened(definition, args, models, model) {
  if (!model) return definition.open(args, { models: [] });
  const repository = await ModelRepository.open({ roots: [models] });
  try {
    const { pin } = repository.resolve(model);
    const readModelFile = (one, name) => repository.readFile(one, name);
    return await definition.open(args, { models: [pin], readModelFile });
  } finally {
    await repository.close();
  }
}
