import type { LiveStream } from '@adit/client';
import { useMessages } from '../../messages/i18n.js';
import { streamsText } from '../../messages/streams.en.js';
import { conditionOf } from '../../model/streams.js';

/** How a stream does, in words and a colour. */
export function StreamCondition({ stream }: { stream: LiveStream }) {
  const text = useMessages(streamsText);
  const condition = conditionOf(stream);
  return <span class={`condition ${condition}`}>{condition === 'ended' ? text.over : text[condition]}</span>;
}
