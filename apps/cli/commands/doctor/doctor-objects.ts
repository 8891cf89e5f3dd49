import { AditError } from '@adit/contracts';
import { objectsConfig, ObjectsSettings, objectsWarning, type ObjectsConfig } from '@adit/objects';
import { BaseConfig, loadConfig } from '@adit/runtime';
import { z } from 'zod';
import type { Finding } from './finding.js';

const Config = z.object({ ...BaseConfig.shape, ...ObjectsSettings.shape });

/** The bucket that is configured, and whether it keeps what is erased. Files of this machine need nothing. */
export async function objectsFindings(): Promise<Finding[]> {
  const config = loadConfig(Config);
  if (config.objectsDriver === 'filesystem') return [];
  return bucketFindings(() => objectsConfig({ ...config, s3ConnectSeconds: 5 }, config.dataDir));
}

/** Nothing of the server is changed. */
export async function bucketFindings(config: () => ObjectsConfig): Promise<Finding[]> {
  try {
    const warning = await objectsWarning(config());
    const good: Finding = { state: 'good', what: 'the object store answers' };
    if (warning === null) return [good];
    return [good, { state: 'warning', what: 'its bucket may keep what is erased', advice: warning }];
  } catch (error) {
    return [{ state: 'bad', what: 'object store', advice: AditError.from(error).message }];
  }
}
