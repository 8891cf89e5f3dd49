import { AditError, type ParagraphChange } from '@adit/contracts';
import {
  NewTranscripts,
  presentVariant,
  presentVersion,
  type TranscriptBounds,
  TranscriptErasures,
  TranscriptReader,
  TranscriptWriter,
  type WritePlace,
} from '@adit/transcript-store';
import { Controller, Inject } from '@nestjs/common';
import { scopesOf } from '../auth/access-scopes.js';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import type { Caller } from '../http/caller.js';
import { Links } from '../http/links.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { sendFile } from '../http/send-object.js';
import { ConcurrencyLimit } from '../http/bodies/concurrency-limit.js';
import { StoredFiles } from '../storage/stored-files.js';
import { etagOf, ifMatch } from './if-match.js';
import * as routes from './transcript-routes.js';

/** Searches and comparisons of one workspace: each reads whole versions, or every transcript there is, for a page. */
export const SEARCHES = { concurrency: 4, waiting: 100 };

@Controller()
export class TranscriptsController {
  private readonly searches = new ConcurrencyLimit({
    ...SEARCHES,
    message: 'Too many searches of this workspace’s transcripts wait for their turn; send fewer at a time.',
  });

  constructor(
    @Inject(TranscriptReader) private readonly reader: TranscriptReader,
    @Inject(TranscriptWriter) private readonly writer: TranscriptWriter,
    @Inject(NewTranscripts) private readonly made: NewTranscripts,
    @Inject(TranscriptErasures) private readonly erasures: TranscriptErasures,
    @Inject(StoredFiles) private readonly files: StoredFiles,
    @Inject(Links) private readonly links: Links,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  @Route(routes.listTranscripts)
  async list({ query }: Input<typeof routes.listTranscripts>, { caller, request }: Exchange) {
    const { total, transcripts, next } = await this.searched(caller, query, () =>
      this.reader.list(caller.workspaceId, query, this.links.baseUrl(request)),
    );
    return this.links.page(request, query, total, transcripts, next);
  }

  @Route(routes.createTranscript)
  async create({ body }: Input<typeof routes.createTranscript>, exchange: Exchange) {
    const { caller, request, newId: id, isDone, done: beside } = exchange;
    const order = { id, author: caller.name, most: this.config.maxTranscripts, beside, ...this.bounds };
    if (!isDone) await this.made.create(caller.workspaceId, body, order);
    return this.reader.one(caller.workspaceId, id, this.links.baseUrl(request));
  }

  @Route(routes.getTranscript)
  one({ params }: Input<typeof routes.getTranscript>, { caller, request }: Exchange) {
    return this.reader.one(caller.workspaceId, params.transcriptId, this.links.baseUrl(request));
  }

  @Route(routes.deleteTranscript)
  async delete({ params }: Input<typeof routes.deleteTranscript>, { caller }: Exchange) {
    const { id } = await this.reader.transcript(caller.workspaceId, params.transcriptId);
    await this.erasures.delete(caller.workspaceId, id);
    return { message: `The transcript ${id} was deleted.` };
  }

  @Route(routes.transcriptAccess)
  async access({ params }: Input<typeof routes.transcriptAccess>, { caller }: Exchange) {
    const { source } = await this.reader.transcript(caller.workspaceId, params.transcriptId);
    const file = await this.files.ofSource(caller.workspaceId, source);
    const media = file && { filename: file.filename, content_type: file.contentType, size: file.size };
    return { scopes: scopesOf(caller), media };
  }

  @Route(routes.transcriptMedia)
  async media({ params }: Input<typeof routes.transcriptMedia>, exchange: Exchange) {
    const { workspaceId } = exchange.caller;
    const { id, source } = await this.reader.transcript(workspaceId, params.transcriptId);
    const file = await this.files.ofSource(workspaceId, source);
    if (file === null) {
      const message = `What the transcript ${id} was made of is neither an uploaded file nor one that this gateway can open.`;
      throw new AditError('NOT_FOUND', message);
    }
    return sendFile(file, exchange.request, exchange.reply);
  }

  @Route(routes.listVariants)
  async variants({ params, query }: Input<typeof routes.listVariants>, { caller, request }: Exchange) {
    const { id } = await this.reader.transcript(caller.workspaceId, params.transcriptId);
    const { rows, total, next } = await this.reader.variants(id, query);
    return this.links.page(request, query, total, rows.map(presentVariant), next);
  }

  @Route(routes.createVariant)
  async createVariant({ params, body }: Input<typeof routes.createVariant>, exchange: Exchange) {
    const { caller, newId: id, isDone, done: beside } = exchange;
    const { workspaceId, name: author } = caller;
    const { transcriptId } = params;
    if (isDone) return presentVariant((await this.reader.variant(workspaceId, transcriptId, id)).variant);
    const maker = { id, author, beside, ...this.bounds };
    return presentVariant(await this.made.createVariant(workspaceId, transcriptId, body, maker));
  }

  @Route(routes.getVariant)
  async variant({ params }: Input<typeof routes.getVariant>, { caller }: Exchange) {
    const { variant } = await this.reader.variant(caller.workspaceId, params.transcriptId, params.variantId);
    return presentVariant(variant);
  }

  @Route(routes.deleteVariant)
  async deleteVariant({ params }: Input<typeof routes.deleteVariant>, { caller }: Exchange) {
    const { id, name } = await this.writer.removeVariant(caller.workspaceId, params.transcriptId, params.variantId);
    await this.erasures.eraseVariant(id);
    return { message: `The variant ${name} (${id}) was deleted.` };
  }

  @Route(routes.listVersions)
  async versions({ params, query }: Input<typeof routes.listVersions>, { caller, request }: Exchange) {
    const { variant } = await this.reader.variant(caller.workspaceId, params.transcriptId, params.variantId);
    const { rows, total, next } = await this.reader.versions(variant.id, query);
    return this.links.page(request, query, total, rows.map(presentVersion), next);
  }

  @Route(routes.createVersion)
  async createVersion({ params, body }: Input<typeof routes.createVersion>, exchange: Exchange) {
    const { caller, request, reply, newId: id, isDone, done: beside } = exchange;
    const seen = { ifMatch: ifMatch(request.headers['if-match']) };
    const row = isDone
      ? (await this.place({ ...params, version: id }, caller)).version
      : await this.writer.write(this.writePlace(params, caller), body, { ...seen, id, beside });
    reply.header('etag', etagOf(row.version));
    return presentVersion(row);
  }

  @Route(routes.getVersion)
  async version({ params }: Input<typeof routes.getVersion>, { caller, reply }: Exchange) {
    const { version } = await this.place(params, caller);
    reply.header('etag', etagOf(version.version));
    return presentVersion(version);
  }

  @Route(routes.deleteVersion)
  async deleteVersion({ params }: Input<typeof routes.deleteVersion>, { caller }: Exchange) {
    const { version } = await this.writer.remove(this.writePlace(params, caller), params.version);
    return { message: `Version ${version} was deleted.` };
  }

  @Route(routes.versionDifferences)
  async differences({ params, query }: Input<typeof routes.versionDifferences>, { caller, request }: Exchange) {
    const { version } = await this.place(params, caller);
    const before = await this.place({ ...params, version: query.from }, caller);
    const { total, limit, next, differences } = await this.searches.run(caller.workspaceId, () =>
      this.reader.differences(before, version, query),
    );
    return this.links.page(request, { ...query, limit }, total, differences, next);
  }

  @Route(routes.listParagraphs)
  async paragraphs({ params, query }: Input<typeof routes.listParagraphs>, { caller, request }: Exchange) {
    const place = await this.place(params, caller);
    const { total, limit, next, paragraphs } = await this.searched(caller, query, () =>
      this.reader.paragraphs(place, query),
    );
    return this.links.page(request, { ...query, limit }, total, paragraphs, next);
  }

  @Route(routes.getParagraph)
  async paragraph({ params }: Input<typeof routes.getParagraph>, { caller, reply }: Exchange) {
    const found = await this.reader.paragraph(await this.place(params, caller), params.paragraphId);
    reply.header('etag', etagOf(found.revision, found.index));
    return found;
  }

  @Route(routes.replaceParagraph)
  replace({ params, body }: Input<typeof routes.replaceParagraph>, exchange: Exchange) {
    return this.edit(params, body, exchange);
  }

  @Route(routes.changeParagraph)
  change({ params, body }: Input<typeof routes.changeParagraph>, exchange: Exchange) {
    return this.edit(params, body, exchange);
  }

  private async edit(
    params: Input<typeof routes.replaceParagraph>['params'],
    change: ParagraphChange,
    { caller, request, reply }: Exchange,
  ) {
    const seen = { id: params.paragraphId, base: params.version, ifMatch: ifMatch(request.headers['if-match']) };
    const edited = await this.writer.editParagraph(this.writePlace(params, caller), seen, change);
    reply.header('etag', etagOf(edited.revision, edited.index));
    return edited;
  }

  /** In its turn, where it looks for something. */
  private searched<T>({ workspaceId }: Caller, { search }: { search?: string | undefined }, read: () => Promise<T>) {
    return search ? this.searches.run(workspaceId, read) : read();
  }

  private place(
    { transcriptId, variantId, version }: Input<typeof routes.getVersion>['params'],
    { workspaceId }: Caller,
  ) {
    return this.reader.version(workspaceId, transcriptId, variantId, version);
  }

  private writePlace(
    { transcriptId, variantId }: Input<typeof routes.getVariant>['params'],
    { workspaceId, name: author }: Caller,
  ): WritePlace {
    return { workspaceId, transcriptId, variantId, author, ...this.bounds };
  }

  private get bounds(): TranscriptBounds {
    const { maxTranscriptBytes: mostBytes, transcriptBytesPerWorkspace: workspaceBytes, storageBytes } = this.config;
    return { mostBytes, workspaceBytes, storageBytes };
  }
}
