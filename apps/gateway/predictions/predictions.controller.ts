import { AditError, PredictionOptions, type Prediction } from '@adit/contracts';
import type { ResolvedModule } from '@adit/jobs';
import { ModuleRegistry } from '@adit/module-kit';
import { Controller, Inject } from '@nestjs/common';
import type { Caller } from '../http/caller.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { OnlineInference } from '../online-inference/online-inference.js';
import { Pictures, type Picture } from '../online-inference/pictures.js';
import { remapPointers } from '../online-inference/remapped-pointers.js';
import { Models } from '../models/models.js';
import { RequestResolver } from '../modules/resolve-request.js';
import { predict } from './prediction-routes.js';

@Controller()
export class PredictionsController {
  constructor(
    @Inject(OnlineInference) private readonly inference: OnlineInference,
    @Inject(Pictures) private readonly pictures: Pictures,
    @Inject(Models) private readonly models: Models,
    @Inject(ModuleRegistry) private readonly modules: ModuleRegistry,
    @Inject(RequestResolver) private readonly resolver: RequestResolver,
  ) {}

  @Route(predict)
  async predict({ params, body }: Input<typeof predict>, { caller, request }: Exchange) {
    const { workspaceId } = caller;
    // Before a picture is taken for nothing.
    await this.models.get(workspaceId, params.modelId);
    return this.pictures.with(
      { workspaceId, request, body, fields: { file_uri: 'file' }, options: PredictionOptions },
      ({ file_uri: picture }, options) => this.answer(caller, params.modelId, picture, options),
    );
  }

  private async answer(
    caller: Caller,
    modelId: string,
    picture: Picture,
    options: PredictionOptions,
  ): Promise<Prediction> {
    const module = await this.moduleOf(caller.workspaceId, modelId, options);
    const { facts, segments } = await this.inference.ask(caller, picture, { analyses: module.analyses, module });
    const analysisModels = module.analyses.flatMap((analysis) => analysis.models);
    const models = new Map([...module.models, ...analysisModels].map((pin) => [pin.digest, pin]));
    return {
      module: this.modules.get(module.moduleId).resultName,
      width: facts.width,
      height: facts.height,
      results: segments,
      models: [...models.values()],
    };
  }

  /** The module that is asked, with the model. Throws VALIDATION with a pointer for what no picture alone can be asked. */
  private async moduleOf(workspaceId: string, id: string, options: PredictionOptions): Promise<ResolvedModule> {
    const { modules: taking } = await this.models.get(workspaceId, id);
    const { version, module: named, arguments: args } = options;
    if (named !== undefined && !taking.includes(named)) {
      throw wrong('/module', `${named} does not take this model: ${taking.join(', ')} do.`);
    }
    if ('model' in args || 'models' in args) throw wrong('/arguments', 'The model is named in the address.');
    const asked = named ?? taking.find((each) => this.modules.get(each).sharesModelsOf === undefined);
    if (asked === undefined) throw wrong('/module', 'Nothing takes this model by itself.');
    const model = version === undefined ? id : `${id}@${version}`;
    const place = `/modules/${asked}`;
    const [module] = await remapPointers({ [place]: '/arguments', [`${place}/model`]: '/version' }, () =>
      this.resolver.resolve(workspaceId, { modules: { [asked]: { ...args, model } } }),
    );
    if (module === undefined) throw new AditError('INTERNAL', 'Nothing was resolved.');
    const { dictionaryIds, media } = this.modules.get(asked);
    if (!media.includes('image')) throw wrong('/module', `${asked} does not look at pictures.`);
    const { dictionaries } = module.args;
    const others = dictionaryIds?.(module.args) ?? [];
    if (others.length > 0 || (Array.isArray(dictionaries) && dictionaries.length > 0)) {
      throw wrong('/arguments', 'Dictionaries are applied to the results of jobs, not to predictions.');
    }
    return module;
  }
}

function wrong(pointer: string, message: string): AditError {
  return new AditError('VALIDATION', message, { errors: [{ pointer, code: 'invalid', message }] });
}
