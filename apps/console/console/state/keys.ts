import type { AccessKey, AccessKeyRequest, ApiKey, ApiKeyRequest, CreatedAccessKey, CreatedApiKey } from '@adit/client';
import { Observable } from '../../shared/observable.js';
import type { Session } from './session.js';

const PAGE = 200;

/** The keys of the workspace. None of them is kept here: a new one is handed on once. */
export class Keys extends Observable {
  apiKeys: ApiKey[] | null = null;
  accessKeys: AccessKey[] | null = null;
  fault: unknown = null;

  constructor(readonly session: Session) {
    super();
  }

  async read(): Promise<void> {
    const { client, mayManage } = this.session;
    try {
      const [apiKeys, accessKeys] = await Promise.all([
        mayManage ? this.readApiKeys() : Promise.resolve(null),
        client.request('GET /v1/access-keys/'),
      ]);
      Object.assign(this, { apiKeys, accessKeys, fault: null });
    } catch (error) {
      this.session.notice(error);
      this.fault = error;
    }
    this.changed();
  }

  async make(body: ApiKeyRequest): Promise<CreatedApiKey> {
    const made = await this.session.client.request('POST /v1/api-keys/', { body });
    void this.read();
    return made;
  }

  /** `overlap` in seconds: for so long the old one stays valid. */
  async rotate({ id: keyId }: ApiKey, overlap: number): Promise<CreatedApiKey> {
    const made = await this.session.client.request('POST /v1/api-keys/{keyId}/rotate/', {
      ...{ params: { keyId }, body: { overlap_seconds: overlap } },
    });
    void this.read();
    return made;
  }

  async revoke({ id: keyId }: ApiKey): Promise<void> {
    await this.session.client.request('DELETE /v1/api-keys/{keyId}/', { params: { keyId } });
    await this.read();
  }

  async makeAccess(body: AccessKeyRequest): Promise<CreatedAccessKey> {
    const made = await this.session.client.request('POST /v1/access-keys/', { body });
    void this.read();
    return made;
  }

  async revokeAccess({ key: accessKey }: AccessKey): Promise<void> {
    await this.session.client.request('DELETE /v1/access-keys/{accessKey}/', { params: { accessKey } });
    await this.read();
  }

  private async readApiKeys(): Promise<ApiKey[]> {
    const keys: ApiKey[] = [];
    for await (const page of this.session.client.pages('GET /v1/api-keys/', { query: { limit: PAGE } }))
      keys.push(...page);
    return keys;
  }
}
