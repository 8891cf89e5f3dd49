import { useMessages } from '../../messages/i18n.js';
import { datasetsText } from '../../messages/datasets.en.js';

/** From datasets to trainings and back. */
export function Sections({ page }: { page: 'datasets' | 'trainings' }) {
  const text = useMessages(datasetsText);
  return (
    <nav class="sections" aria-label={text.sections}>
      <a href="#/datasets" aria-current={page === 'datasets' ? 'page' : undefined}>
        {text.title}
      </a>
      <a href="#/trainings" aria-current={page === 'trainings' ? 'page' : undefined}>
        {text.trainings}
      </a>
    </nav>
  );
}
