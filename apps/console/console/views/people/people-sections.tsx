import { useMessages } from '../../messages/i18n.js';
import { galleriesText } from '../../messages/galleries.en.js';

/** From people of face indexes to those of galleries and back. */
export function PeopleSections({ page }: { page: 'people' | 'galleries' }) {
  const text = useMessages(galleriesText);
  return (
    <nav class="sections" aria-label={text.sections}>
      <a href="#/people" aria-current={page === 'people' ? 'page' : undefined}>
        {text.indexes}
      </a>
      <a href="#/galleries" aria-current={page === 'galleries' ? 'page' : undefined}>
        {text.title}
      </a>
    </nav>
  );
}
