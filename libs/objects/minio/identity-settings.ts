import { AditError } from '@adit/contracts';
import { setting } from '@adit/runtime';
import { z } from 'zod';
import type { Identity } from '../config.js';

/** Address of AWS's own container agent. */
const CONTAINER_AGENT = 'http://169.254.170.2';

/** Who the process is to the object store where it has no keys. The cloud sets those that begin with AWS. */
export const IdentitySettings = z.object({
  s3StsEndpoint: setting(
    'S3_STS_ENDPOINT',
    z.url({ protocol: /^https?$/ }).optional(),
    'Address that exchanges a web identity for keys that end: MinIO’s own, or another STS. Default: that of AWS in S3_REGION.',
  ),
  s3InstanceCredentials: setting(
    'S3_INSTANCE_CREDENTIALS',
    z.boolean().default(false),
    'Without keys and without any other identity, ask the metadata service of the machine (169.254.169.254, IMDSv2) for them.',
  ),
  awsWebIdentityTokenFile: setting(
    'AWS_WEB_IDENTITY_TOKEN_FILE',
    z.string().min(1).optional(),
    'Without keys: file with the token that STS exchanges for them, with AWS_ROLE_ARN. It is read again each time.',
  ),
  awsRoleArn: setting(
    'AWS_ROLE_ARN',
    z.string().min(20).max(2048).optional(),
    'Role that the web identity takes, such as arn:aws:iam::123456789012:role/adit.',
  ),
  awsContainerUri: setting(
    'AWS_CONTAINER_CREDENTIALS_FULL_URI',
    z.url({ protocol: /^https?$/ }).optional(),
    'Without keys: address of the agent that hands them out, as EKS Pod Identity sets it. HTTP is for loopback and the cloud’s own addresses alone.',
  ),
  awsContainerPath: setting(
    'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
    z.string().startsWith('/').optional(),
    `The same as a path at ${CONTAINER_AGENT}, as ECS sets it.`,
  ),
  awsContainerTokenFile: setting(
    'AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE',
    z.string().min(1).optional(),
    'File with the token that the agent of AWS_CONTAINER_CREDENTIALS_FULL_URI asks for.',
  ),
});
type IdentitySettings = z.infer<typeof IdentitySettings>;

/** The identity that takes the place of keys; null where none is set. Throws VALIDATION where a part of one is missing. */
export function identityOf(config: Partial<IdentitySettings>, region: string): Identity | null {
  const { awsWebIdentityTokenFile: tokenFile, awsRoleArn: roleArn, awsContainerPath, awsContainerUri } = config;
  if (tokenFile !== undefined) {
    if (roleArn === undefined) {
      throw new AditError('VALIDATION', 'AWS_WEB_IDENTITY_TOKEN_FILE is set: set AWS_ROLE_ARN to the role to take.');
    }
    return { kind: 'web-identity', tokenFile, roleArn, region, stsEndpoint: config.s3StsEndpoint };
  }
  const uri = awsContainerPath === undefined ? awsContainerUri : `${CONTAINER_AGENT}${awsContainerPath}`;
  if (uri !== undefined) return { kind: 'container', uri, tokenFile: config.awsContainerTokenFile };
  return config.s3InstanceCredentials === true ? { kind: 'instance' } : null;
}
