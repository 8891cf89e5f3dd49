import { useEffect } from 'preact/hooks';
import { useMessages } from '../../messages/i18n.js';
import { usageText } from '../../messages/usage.en.js';
import { RetentionPart } from './retention.js';
import { UsagePart, type UsagePartProps } from './usage-part.js';

/** What analyses took, and how long what they found is kept. */
export function UsagePage({ session, route, notices, filter }: UsagePartProps) {
  const text = useMessages(usageText);
  useEffect(() => void (document.title = `${text.title} · Adit`), [text]);
  return (
    <div class="page usage-page">
      <header class="heading">
        <h1>{text.title}</h1>
      </header>
      <UsagePart {...{ session, route, notices, filter }} />
      <RetentionPart {...{ session, notices }} />
    </div>
  );
}
