// The check `casts` of `npm run lint`: what is said by hand instead of by types does not grow.
import { MAX_COUNTS, placesIn } from './casts.mjs';

const WORDS = { casts: 'casts (`as`)', assertions: 'non-null assertions (`!`)' };

const places = placesIn();
for (const [kind, most] of Object.entries(MAX_COUNTS)) {
  const count = places[kind].length;
  if (count <= most) continue;
  process.exitCode = 1;
  console.error(
    `${count} ${WORDS[kind]} where ${most} are allowed. Say it by types, or check it where it is read (elementAt, zip, ` +
      `float32At, a schema).\n  ${places[kind].join('\n  ')}`,
  );
}
