import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { Controller, Inject } from '@nestjs/common';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { Links } from '../http/links.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { askedPage } from '../http/shapes.js';
import { sendObject } from '../http/send-object.js';
import { ConcurrencyLimit } from '../http/bodies/concurrency-limit.js';
import { Dictionaries, presentDictionary, type DictionaryFields } from './dictionaries.js';
import { missing, readForm, type SentFile } from './dictionary-form.js';
import {
  changeDictionary,
  ChangedDictionary,
  deleteDictionary,
  getDictionary,
  getDictionaryFile,
  listDictionaries,
  NewDictionary,
  replaceDictionary,
  ReplacedDictionary,
  uploadDictionary,
} from './dictionary-routes.js';

/** Dictionaries of one workspace that are read at the same time: each lies in memory whole. */
export const MAX_CONCURRENCY = 4;

@Controller()
export class DictionariesController {
  private readonly taken = new ConcurrencyLimit({
    ...{ concurrency: MAX_CONCURRENCY, waiting: 0 },
    message: `At most ${MAX_CONCURRENCY} dictionaries of a workspace are taken at the same time; try again in a second.`,
  });

  constructor(
    @Inject(Dictionaries) private readonly dictionaries: Dictionaries,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(Links) private readonly links: Links,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  @Route(uploadDictionary)
  async upload(_: Input<typeof uploadDictionary>, { caller, request }: Exchange) {
    return this.taken.run(caller.workspaceId, async () => {
      await this.dictionaries.refuseFull(caller.workspaceId);
      const { fields, file } = await readForm(request, NewDictionary, this.config.maxDictionaryBytes);
      if (file === null) throw missing('Send the file in the field "file".');
      return presentDictionary(await this.dictionaries.create(caller.workspaceId, file, fields));
    });
  }

  @Route(listDictionaries)
  async list({ query }: Input<typeof listDictionaries>, { caller, request }: Exchange) {
    const page = askedPage(query);
    const { total, rows, next } = await this.dictionaries.list(caller.workspaceId, page ?? query);
    const shown = rows.map(presentDictionary);
    return page === null ? shown : this.links.page(request, page, total, shown, next);
  }

  @Route(getDictionary)
  async one({ params }: Input<typeof getDictionary>, { caller }: Exchange) {
    return presentDictionary(await this.dictionaries.get(caller.workspaceId, params.dictionaryId));
  }

  @Route(getDictionaryFile)
  async file({ params }: Input<typeof getDictionaryFile>, { caller, request, reply }: Exchange) {
    const row = await this.dictionaries.get(caller.workspaceId, params.dictionaryId);
    const { objectKey, size, digest } = await this.dictionaries.currentVersion(row);
    const object = {
      key: objectKey,
      filename: row.name,
      contentType: row.type === 'map' ? 'text/csv; charset=utf-8' : 'text/plain; charset=utf-8',
      size,
      etag: digest,
      disposition: 'attachment' as const,
    };
    return sendObject(this.objects, object, request, reply);
  }

  @Route(replaceDictionary)
  async replace({ params, body }: Input<typeof replaceDictionary>, { caller, request }: Exchange) {
    return this.changed(params.dictionaryId, caller.workspaceId, async () =>
      body === undefined
        ? readForm(request, ReplacedDictionary, this.config.maxDictionaryBytes)
        : { fields: body, file: null },
    );
  }

  @Route(changeDictionary)
  async change({ params, body }: Input<typeof changeDictionary>, { caller, request }: Exchange) {
    return this.changed(params.dictionaryId, caller.workspaceId, async () =>
      body === undefined
        ? readForm(request, ChangedDictionary, this.config.maxDictionaryBytes)
        : { fields: body, file: null },
    );
  }

  @Route(deleteDictionary)
  async delete({ params }: Input<typeof deleteDictionary>, { caller }: Exchange) {
    const { name } = await this.dictionaries.remove(caller.workspaceId, params.dictionaryId);
    return { message: `The dictionary ${name} was deleted.` };
  }

  private changed(
    id: string,
    workspaceId: string,
    read: () => Promise<{ fields: DictionaryFields; file: SentFile | null }>,
  ) {
    return this.taken.run(workspaceId, async () => {
      const { fields, file } = await read();
      return presentDictionary(await this.dictionaries.change(workspaceId, id, file, fields));
    });
  }
}
