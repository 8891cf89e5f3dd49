import type { FilesystemOptions } from './filesystem.js';

/**
 * The object store of a process. Read from the configuration by the app (settings.ts), never from the environment here.
 */
export type ObjectsConfig = ({ driver: 'filesystem'; root: string } & FilesystemOptions) | MinioConfig;

/** MinIO, or another server that speaks S3. */
export interface MinioConfig {
  driver: 'minio';
  /** http(s)://host:port */
  endpoint: string;
  /** Both, or an identity in their place. */
  accessKey?: string;
  secretKey?: string;
  identity?: Identity;
  bucket: string;
  /** Default us-east-1. */
  region?: string;
  /** Prefix of all keys in the bucket; a "/" is added when it ends without. Default none. */
  prefix?: string;
  /** PEM file of a private authority. */
  caFile?: string;
  /** Bucket in the path rather than in the host name. Default true. */
  pathStyle?: boolean;
  /** Make the bucket and its lifecycle rules when opened. Default true. */
  manageBucket?: boolean;
  /** Seconds to keep trying when the server cannot be reached at the start. Default 60. */
  connectSeconds?: number;
  /** Seconds without a byte in either direction after which a request is UNAVAILABLE. Default 30. */
  idleSeconds?: number;
}

/** Identity of a process without keys, for a service that issues temporary keys. */
export type Identity =
  | {
      /** A token in a file, which STS exchanges: of AWS in the region, or at an address. */
      kind: 'web-identity';
      tokenFile: string;
      roleArn: string;
      region: string;
      stsEndpoint?: string;
    }
  /** An agent beside the process, such as that of EKS Pod Identity. */
  | { kind: 'container'; uri: string; tokenFile?: string }
  /** The machine's metadata service. */
  | { kind: 'instance' };
