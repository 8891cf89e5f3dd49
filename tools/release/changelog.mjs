// CHANGELOG.md at a release.
import { SetupError } from '../setup/step.mjs';

const UNRELEASED = '\n## Unreleased\n';

/**
 * Puts what stands under "Unreleased" under a version, and an empty "Unreleased" on top. Throws a SetupError where there
 * is nothing to release.
 *
 * @param {string} text
 * @param {string} version
 * @param {string} date As 2026-11-30.
 */
export function releasedChangelog(text, version, date) {
  const at = text.indexOf(UNRELEASED);
  if (at < 0) throw new SetupError('CHANGELOG.md has no section "## Unreleased".');
  const behind = text.slice(at + UNRELEASED.length);
  const [section = ''] = behind.split(/^## /m);
  if (!/^- /m.test(section)) throw new SetupError('CHANGELOG.md says nothing under "## Unreleased".');
  return `${text.slice(0, at)}${UNRELEASED}\n## ${version} - ${date}\n${behind}`;
}
