import { readFile } from 'node:fs/promises';
import * as http from 'node:http';
import * as https from 'node:https';
import { AditError, errorMessage } from '@adit/contracts';
import { createLogger } from '@adit/runtime';
import { CredentialProvider } from 'minio/dist/esm/CredentialProvider.mjs';
import { Credentials } from 'minio/dist/esm/Credentials.mjs';
import { z } from 'zod';
import type { Identity } from '../config.js';

const log = createLogger('objects');
/** Limit of the whole exchange: no request for an object waits longer for its keys. */
const MAX_EXCHANGE_MS = 10_000;
/** Limit of one attempt. */
const ATTEMPT_MS = 3_000;
/** Keys are renewed when so much is left of them, or half of their life where that is shorter. */
const RENEW_BEFORE_MS = 300_000;
/** After a renewal that failed, keys that still hold are used for so long before the next. */
const RENEW_PAUSE_MS = 10_000;
/** Pause after an attempt without an answer, in which all requests get the same error instead of an attempt each. */
const REFUSED_PAUSE_MS = 2_000;

/** Keys that end, as each of the three ways answers them. */
interface Keys {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
  expiration?: Date;
}

/** The identity was understood and refused, or is not there: asking again changes nothing. */
class IdentityRefused extends Error {
  readonly code = 'IdentityRefused';
}

/**
 * Keys for the object store that whoever runs the process hands out for its identity. They are kept until shortly before they end and renewed
 * once, however many requests wait for it. Throws UNAVAILABLE.
 */
export class IdentityCredentials extends CredentialProvider {
  private held: { keys: Credentials; renewAt: number; endsAt: number } | null = null;
  private failed: { error: unknown; until: number } | null = null;
  private renewing: Promise<Credentials> | null = null;

  constructor(
    private readonly identity: Identity,
    private readonly ca?: Buffer,
  ) {
    super({ accessKey: '', secretKey: '' });
  }

  override async getCredentials(): Promise<Credentials> {
    const { held, failed } = this;
    if (held !== null && Date.now() < held.renewAt) return held.keys;
    const holds = held !== null && Date.now() < held.endsAt;
    if (failed !== null && Date.now() < failed.until) {
      if (holds) return held.keys;
      throw failed.error;
    }
    try {
      this.renewing ??= this.renew().finally(() => (this.renewing = null));
      return await this.renewing;
    } catch (error) {
      const until = holds ? Math.min(Date.now() + RENEW_PAUSE_MS, held.endsAt) : Date.now() + REFUSED_PAUSE_MS;
      this.failed = { error, until };
      if (!holds) throw error;
      log.warn({ err: error }, 'the keys of the object store could not be renewed; those that end soon are used');
      return held.keys;
    }
  }

  private async renew(): Promise<Credentials> {
    const asked = Date.now();
    const found = await bounded(this.ask(), this.identity);
    const endsAt = found.expiration?.getTime() ?? Infinity;
    const keys = new Credentials({
      accessKey: found.accessKeyId,
      secretKey: found.secretAccessKey,
      sessionToken: found.sessionToken,
    });
    this.failed = null;
    this.held = { keys, endsAt, renewAt: endsAt - Math.min(RENEW_BEFORE_MS, (endsAt - asked) / 2) };
    return keys;
  }

  private async ask(): Promise<Keys> {
    const { identity } = this;
    // Each of them is loaded only where it is used.
    if (identity.kind === 'web-identity') return await exchanged(identity, this.ca);
    const bounds = { timeout: ATTEMPT_MS, maxRetries: 1 };
    if (identity.kind === 'instance') {
      const { fromInstanceMetadata } = await import('@smithy/credential-provider-imds');
      return await fromInstanceMetadata({ ...bounds, ec2MetadataV1Disabled: true })();
    }
    const { fromHttp } = await import('@aws-sdk/credential-provider-http');
    return await fromHttp({
      ...bounds,
      awsContainerCredentialsFullUri: identity.uri,
      awsContainerAuthorizationTokenFile: identity.tokenFile,
    })();
  }
}

/** STS's AssumeRoleWithWebIdentity. */
async function exchanged(identity: Extract<Identity, { kind: 'web-identity' }>, ca?: Buffer): Promise<Keys> {
  const { tokenFile, roleArn, region, stsEndpoint: endpoint } = identity;
  const webIdentityToken = await readFile(tokenFile, 'utf8').then(
    (text) => text.trim(),
    (error: Error) => {
      throw new IdentityRefused(`the token cannot be read: ${error.message}`, { cause: error });
    },
  );
  const { fromWebToken } = await import('@aws-sdk/credential-provider-web-identity');
  const requestHandler = {
    ...{ connectionTimeout: ATTEMPT_MS, requestTimeout: ATTEMPT_MS, throwOnRequestTimeout: true },
    // One question an hour: no connection is kept.
    httpAgent: new http.Agent(),
    httpsAgent: new https.Agent(endpoint === undefined ? {} : { ca }),
  };
  return await fromWebToken({
    ...{ webIdentityToken, roleArn, roleSessionName: `adit-${process.pid}` },
    clientConfig: { region, maxAttempts: 2, requestHandler, ...(endpoint !== undefined && { endpoint }) },
  })();
}

/** Answers what was asked for, or throws UNAVAILABLE with who did not give it and why. */
async function bounded(asked: Promise<Keys>, identity: Identity): Promise<Keys> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${MAX_EXCHANGE_MS / 1000} s`)), MAX_EXCHANGE_MS);
  });
  try {
    return await Promise.race([asked, late]);
  } catch (error) {
    const refused = error instanceof IdentityRefused || isRefusal(error);
    const why = reasonOf(error);
    throw new AditError('UNAVAILABLE', `${saidOf(identity)} (${why}).`, {
      cause: refused ? new IdentityRefused(why, { cause: error }) : error,
    });
  } finally {
    clearTimeout(timer);
  }
}

/** Fields of an AWS library error: the code that was answered, as a name, and the status. */
const Refusal = z.object({
  name: z.string().optional(),
  $metadata: z.object({ httpStatusCode: z.number().optional() }).optional(),
});

function answerOf(error: unknown): { name: string; status: number | undefined } {
  const { data } = Refusal.safeParse(error);
  return { name: data?.name ?? '', status: data?.$metadata?.httpStatusCode };
}

/** Returns name, status and message of the answer, as far as there are any. */
function reasonOf(error: unknown): string {
  const { name, status } = answerOf(error);
  const reasons = [name, status === undefined ? '' : `HTTP ${status}`, errorMessage(error)?.replace(/\.$/, '') ?? ''];
  return [...new Set(reasons)].filter((part) => !/^(Error|Unknown|UnknownError|)$/.test(part)).join(': ');
}

/** An answer of the 4xx kind from STS: the token, the role or its trust. Being throttled is none. */
function isRefusal(error: unknown): boolean {
  const { name, status = 0 } = answerOf(error);
  return status >= 400 && status < 500 && status !== 429 && !/Throttl|IDPCommunication|RequestTimeout/.test(name);
}

function saidOf(identity: Identity): string {
  switch (identity.kind) {
    case 'web-identity':
      return `STS (${identity.stsEndpoint ?? `of AWS in ${identity.region}`}) gives no keys for the object store: check AWS_ROLE_ARN, what that role trusts, and the token in ${identity.tokenFile}`;
    case 'container':
      return `The agent at ${identity.uri} gives no keys for the object store: check the association of the pod’s service account with a role`;
    case 'instance':
      return 'The metadata service of this machine gives no keys for the object store: it needs a role, IMDSv2, and from a container a hop limit of 2';
  }
}
