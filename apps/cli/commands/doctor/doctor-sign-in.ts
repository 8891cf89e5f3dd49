import { AditError } from '@adit/contracts';
import { checkSignIn, SignInCheckSettings } from '@adit/gateway/sign-in';
import { loadConfig } from '@adit/runtime';
import type { Finding } from './finding.js';

/** The provider that people sign in by, if one is set. */
export async function signInFindings(env: NodeJS.ProcessEnv = process.env): Promise<Finding[]> {
  try {
    const checked = await checkSignIn(loadConfig(SignInCheckSettings, env));
    if (checked === null) return [];
    const what = `people sign in by ${checked.issuer}, which has to know the address ${checked.callback}`;
    return [{ state: 'good', what }];
  } catch (error) {
    return [{ state: 'bad', what: 'people cannot sign in by the provider', advice: AditError.from(error).message }];
  }
}
