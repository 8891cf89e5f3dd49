// A German text, read by espeak-ng out of Debian: no package has recorded German whose words are known.
import { execFile } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SetupError } from '../setup/step.mjs';
import { unpackFromDebian } from '../setup/unpacked-debian.mjs';

const run = promisify(execFile);
/** espeak-ng and the libraries that come with it; the sound card's are only looked for. */
const PACKAGES = ['espeak-ng', 'espeak-ng-data', 'libespeak-ng1', 'libpcaudio0', 'libsonic0'];
const WORDS_A_MINUTE = 140;
const ADVICE =
  'The German text is read by espeak-ng, which comes from Debian: run it there, or leave the part speech out.';
/** The north wind and the sun, as phoneticians have it read in every language. */
export const GERMAN_TEXT = `Einst stritten sich Nordwind und Sonne, wer von ihnen beiden wohl der Stärkere wäre, als ein Wanderer, der in einen
warmen Mantel gehüllt war, des Weges daherkam. Sie wurden einig, dass derjenige für den Stärkeren gelten sollte, der den Wanderer
zwingen würde, seinen Mantel abzunehmen. Der Nordwind blies mit aller Macht, aber je mehr er blies, desto fester hüllte sich der
Wanderer in seinen Mantel ein. Endlich gab der Nordwind den Kampf auf. Nun erwärmte die Sonne die Luft mit ihren freundlichen
Strahlen, und schon nach wenigen Augenblicken zog der Wanderer seinen Mantel aus. Da musste der Nordwind zugeben, dass die Sonne
von ihnen beiden der Stärkere war.`;

/** {name, path, language, text, synthetic} as the other recordings. Throws a SetupError where it cannot be had. */
export async function germanReading(step, scratch) {
  const folder = join(scratch, 'espeak');
  await mkdir(folder);
  for (const name of PACKAGES) {
    await unpackFromDebian(step, { name, files: ['usr'], into: folder, advice: ADVICE });
  }
  const libraries = join(folder, 'usr/lib');
  const [machine] = (await readdir(libraries)).filter((name) => name.endsWith('-linux-gnu'));
  const text = join(scratch, 'german.txt');
  await writeFile(text, GERMAN_TEXT.replaceAll('\n', ' '));
  const path = join(scratch, 'german.wav');
  const options = ['-v', 'de', '-s', String(WORDS_A_MINUTE), '-w', path, '-f', text];
  const voices = join(libraries, machine);
  const env = { ...process.env, LD_LIBRARY_PATH: voices };
  await run(join(folder, 'usr/bin/espeak-ng'), [`--path=${voices}`, ...options], { env }).catch((error) => {
    throw new SetupError(`espeak-ng does not run here: ${error.message}. ${ADVICE}`);
  });
  return { name: 'a fable, synthetic (de)', path, language: 'de', text: GERMAN_TEXT, synthetic: true };
}
