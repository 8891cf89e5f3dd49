import type { AccessScope, ExportStrategy } from '@adit/contracts';

/** Limits of one key. Null: the gateway's configuration counts; 0: no limit. */
export interface Limits {
  requestsPerSecond: number | null;
  jobsPerDay: number | null;
}

/** Who sent a request, as far as its key or its session says. */
export interface Caller {
  /** An API key, the token of an access key, or a member who is signed in. */
  kind: 'api-key' | 'access-key' | 'member';
  workspaceId: string;
  /** Id of the API key or the member, or the identifier of the access key that the token was signed with. */
  keyId: string;
  /** Id of the key or session that links to media are signed with, and end with. */
  signer: string;
  /** Id of the member who asks, or whose key does, or one that a key of theirs made; null where no member is behind it. */
  maker: string | null;
  /**
   * By what turns and limits are counted: the id of the API key or the member; of an access key, whose tokens many people have, the subject of the
   * token, or where it has none the address that it came from.
   */
  countedAs: string;
  /** Name of the key or the member. */
  name: string;
  /** `access-key`: an end user with a token, who reaches what `scopes` say and nothing else. */
  role: 'owner' | 'admin' | 'member' | 'reader' | 'access-key';
  /** Empty for API keys and members, whose role says what they may do. */
  scopes: readonly AccessScope[];
  /** The exports that the token of an access key may reach; null for API keys and members: all of them. */
  exportStrategies: readonly ExportStrategy[] | null;
  /** The key's own; null: the gateway's, as for all members. */
  limits: Limits;
}
