import { analysesFolder } from '@adit/analyses';
import { AnalysisRegistry } from '@adit/inference';

const faces = (await AnalysisRegistry.scan(analysesFolder)).get('faces');
const poison = new Set(process.env.ADIT_TEST_POISON.split(','));

/**
 * `faces`, whose native code dies of the media whose digests ADIT_TEST_POISON names.
 *
 * @type {import('@adit/inference').AnalysisDefinition}
 */
export default {
  ...faces,
  analyse(input, context) {
    // As the kernel ends a process for what its native code did.
    if (poison.has(input.unit.mediaDigest)) process.kill(process.pid, 'SIGKILL');
    return faces.analyse(input, context);
  },
};
