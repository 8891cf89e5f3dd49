import { AditError } from '@adit/contracts';
import type { StorageEntryEntity } from '@adit/database';
import { Controller, Inject } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { API_PREFIX } from '../http/api-prefix.js';
import { Links } from '../http/links.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { shortIdOf } from '../http/short-id.js';
import { fileName, folderPath } from '@adit/storage';
import { presentEntry } from './present-entry.js';
import { ResumableUploads, tooMuch } from './resumable-uploads.js';
import {
  bytesIn,
  formatMetadata,
  OFFSET_STREAM,
  parseMetadata,
  refuseUnspoken,
  requireTus,
  TUS_EXTENSIONS,
  TUS_VERSION,
} from './tus.js';
import { continueUpload, createUpload, describeUploads, inspectUpload, terminateUpload } from './tus-routes.js';
import { asTaken } from './uploads.js';

/** Resumable uploads by tus 1.0.0: core, creation, creation with upload, expiration, termination. */
@Controller()
export class TusController {
  constructor(
    @Inject(ResumableUploads) private readonly uploads: ResumableUploads,
    @Inject(Links) private readonly links: Links,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  @Route(describeUploads)
  describe(_: Input<typeof describeUploads>, { reply }: Exchange) {
    void reply.headers({
      'tus-resumable': TUS_VERSION,
      'tus-version': TUS_VERSION,
      'tus-extension': TUS_EXTENSIONS,
      'tus-max-size': this.config.maxUploadBytes,
    });
  }

  @Route(createUpload)
  async create({ query }: Input<typeof createUpload>, exchange: Exchange) {
    const { caller, request, reply, newId, isDone, done: beside } = exchange;
    const { headers } = request;
    const { workspaceId } = caller;
    this.begin(headers, reply);
    const length = bytesIn(headers, 'Upload-Length');
    if (length === null) throw new AditError('VALIDATION', 'Send the size of the whole file in Upload-Length.');
    // Its first bytes may come with it; those of a file without bytes are none.
    const announced =
      headers['content-type'] === OFFSET_STREAM && length > 0 ? bytesIn(headers, 'Content-Length') : null;
    if (announced !== null && announced > length) throw tooMuch(length);
    const metadata = parseMetadata(headers['upload-metadata']);
    const folder = query.folder ?? metadata.get('folder');
    if (folder === undefined) {
      throw new AditError('VALIDATION', 'Name the folder to put the file in, in the query or in Upload-Metadata.');
    }
    const name = fileName(query.name ?? metadata.get('name') ?? metadata.get('filename') ?? '', 'Upload-Metadata');
    const taken = asTaken({ if_exists: query.if_exists ?? metadata.get('if_exists') });
    const place = { workspaceId, folder: folderPath(folder), name };
    const key = shortIdOf(newId);
    const upload = { ...place, claimedType: metadata.get('filetype'), ...taken, length, key, beside };
    let entry = isDone ? await this.uploads.begun(workspaceId, key) : await this.uploads.create(upload);
    void reply.header('location', `${this.links.baseUrl(request)}${API_PREFIX}/v1/storage/uploads/${entry.id}/`);
    // A client reads the offset of an upload that was begun before, and continues there.
    if (headers['content-type'] === OFFSET_STREAM && length > 0 && !isDone) {
      entry = await this.uploads.append(workspaceId, String(entry.id), 0, announced, request);
    }
    this.setProgress(entry, reply);
    return presentEntry(entry);
  }

  @Route(inspectUpload)
  async status({ params }: Input<typeof inspectUpload>, { caller, request, reply }: Exchange) {
    this.begin(request.headers, reply);
    const entry = await this.uploads.status(caller.workspaceId, params.storageId);
    this.setProgress(entry, reply);
    const { name, folder } = entry;
    void reply.headers({
      'upload-length': entry.uploadLength ?? '0',
      'upload-metadata': formatMetadata({ filename: name, folder }),
    });
  }

  @Route(continueUpload)
  async continue({ params }: Input<typeof continueUpload>, { caller, request, reply }: Exchange) {
    const { headers } = request;
    this.begin(headers, reply);
    if (headers['content-type'] !== OFFSET_STREAM) {
      throw new AditError('UNSUPPORTED_MEDIA_TYPE', `Send the bytes as ${OFFSET_STREAM}.`);
    }
    const offset = bytesIn(headers, 'Upload-Offset');
    if (offset === null) throw new AditError('VALIDATION', 'Send the offset of the first byte in Upload-Offset.');
    const announced = bytesIn(headers, 'Content-Length');
    this.setProgress(
      await this.uploads.append(caller.workspaceId, params.storageId, offset, announced, request),
      reply,
    );
  }

  @Route(terminateUpload)
  async terminate({ params }: Input<typeof terminateUpload>, { caller, request, reply }: Exchange) {
    this.begin(request.headers, reply);
    await this.uploads.terminate(caller.workspaceId, params.storageId);
  }

  private begin(headers: Record<string, string | string[] | undefined>, reply: FastifyReply): void {
    void reply.headers({ 'tus-resumable': TUS_VERSION, 'tus-version': TUS_VERSION });
    requireTus(headers);
    refuseUnspoken(headers);
  }

  private setProgress(entry: StorageEntryEntity, reply: FastifyReply): void {
    void reply.header('upload-offset', entry.size ?? '0');
    if (!entry.uploaded) void reply.header('upload-expires', this.uploads.expiry(entry).toUTCString());
  }
}
