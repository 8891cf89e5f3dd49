import type { AccessScope, ExportStrategy } from '@adit/contracts';

/** Limits of one key. Null: the gateway's configuration counts; 0: no limit. */
export interface Limits {
  requestsPerSecond: number | null;
  jobsPerDay: number | null;
}

/** Who sent a request, as far as its key says. */
export interface Caller {
  workspaceId: string;
  /** Id of the API key, or the identifier of the access key that the token was signed with. */
  keyId: string;
  /**
   * By what turns and limits are counted: the API key's id; of an access key, whose tokens many people have, the subject of the
   * token, or where it has none the address that it came from.
   */
  countedAs: string;
  /** Name of the key. */
  name: string;
  /** `access-key`: an end user with a token, who reaches what `scopes` say and nothing else. */
  role: 'owner' | 'admin' | 'member' | 'reader' | 'access-key';
  /** Empty for API keys, whose role says what they may do. */
  scopes: readonly AccessScope[];
  /** The exports that the token of an access key may reach; null for API keys: all of them. */
  exportStrategies: readonly ExportStrategy[] | null;
  /** The key's own; null: the gateway's. */
  limits: Limits;
}
