import { AditError, isoTime, type StorageCredentials, type StorageCredentialsRequest } from '@adit/contracts';
import type { StorageCredentialEntity } from '@adit/database';
import { bucketEndpointFault } from '@adit/media';
import { StoredCredentials } from '@adit/storage-credentials';
import { Controller, Inject } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { Links } from '../http/links.js';
import { Route, type Exchange, type Input } from '../http/route.js';
import { askedPage } from '../http/shapes.js';
import {
  createStorageCredentials,
  deleteStorageCredentials,
  getStorageCredentials,
  listStorageCredentials,
  replaceStorageCredentials,
} from './storage-credential-routes.js';

@Controller()
export class StorageCredentialsController {
  private readonly credentials: StoredCredentials;

  constructor(
    @Inject(DataSource) db: DataSource,
    @Inject(Links) private readonly links: Links,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {
    this.credentials = new StoredCredentials(db, config.encryptionKey);
  }

  @Route(listStorageCredentials)
  async list({ query }: Input<typeof listStorageCredentials>, { caller, request }: Exchange) {
    const page = askedPage(query);
    const { rows, total, next } = await this.credentials.list(caller.workspaceId, page ?? query);
    const all = rows.map(shown);
    return page === null ? all : this.links.page(request, page, total, all, next);
  }

  @Route(createStorageCredentials)
  async create({ body }: Input<typeof createStorageCredentials>, { caller, newId, isDone, done }: Exchange) {
    const { workspaceId } = caller;
    if (!isDone) {
      this.check(body);
      await this.credentials.create(workspaceId, newId, body, done);
    }
    return shown(await this.credentials.get(workspaceId, newId));
  }

  @Route(getStorageCredentials)
  async one({ params }: Input<typeof getStorageCredentials>, { caller }: Exchange) {
    return shown(await this.credentials.get(caller.workspaceId, params.credentialsId));
  }

  @Route(replaceStorageCredentials)
  async replace({ params, body }: Input<typeof replaceStorageCredentials>, { caller: { workspaceId } }: Exchange) {
    const { credentialsId: id } = params;
    await this.credentials.get(workspaceId, id);
    this.check(body);
    await this.credentials.replace(workspaceId, id, body);
    return shown(await this.credentials.get(workspaceId, id));
  }

  @Route(deleteStorageCredentials)
  async delete({ params }: Input<typeof deleteStorageCredentials>, { caller }: Exchange) {
    const { credentialsId: id } = params;
    await this.credentials.remove(caller.workspaceId, id);
    return { message: `The storage credentials ${id} were deleted.` };
  }

  /** Throws VALIDATION for an endpoint that could never be asked, as far as its address says so. */
  private check({ endpoint, path_style: pathStyle }: StorageCredentialsRequest): void {
    const fault = bucketEndpointFault(endpoint, pathStyle, this.config);
    if (fault === null) return;
    const message = `The endpoint is refused: ${fault}.`;
    throw new AditError('VALIDATION', message, {
      errors: [{ pointer: '/endpoint', code: 'endpoint_refused', message }],
    });
  }
}

function shown(row: StorageCredentialEntity): StorageCredentials {
  const { id, bucket, endpoint, region, accessKey, pathStyle, timeCreated } = row;
  return {
    ...{ id, bucket, endpoint, region },
    access_key: accessKey,
    path_style: pathStyle,
    time_created: isoTime(timeCreated),
  };
}
