/** Who sent a request, as far as its API key says. */
export interface Caller {
  workspaceId: string;
  apiKeyId: string;
  role: 'admin' | 'member';
}
