import type { IndexedIdentity } from '@adit/client';

/** The picture of a person; a silhouette where none was kept. What they are called stands beside it. */
export function Face({ person: { thumbnail } }: { person: IndexedIdentity }) {
  if (thumbnail !== null) {
    return <img class="face" src={`data:image/jpeg;base64,${thumbnail.image}`} alt="" loading="lazy" />;
  }
  return (
    <svg class="face" viewBox="0 0 100 100" aria-hidden="true">
      <circle cx="50" cy="38" r="18" />
      <path d="M14 92c0-22 16-32 36-32s36 10 36 32z" />
    </svg>
  );
}
