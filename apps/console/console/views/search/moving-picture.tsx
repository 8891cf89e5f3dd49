import type { SearchResult } from '@adit/client';
import { useEffect, useState } from 'preact/hooks';
import type { Previews } from '../../state/previews.js';

/** Who only passes over a moment loads nothing. */
const REST_MS = 200;
/** Seconds of a moment that are played over and over. */
const LEAST_SECONDS = 2;
const MAX_SECONDS = 12;

/** The moment itself, silently; its first frame alone for people who want less motion. Nothing where it cannot be played. */
export function MovingPicture({ moment, previews }: { moment: SearchResult; previews: Previews }) {
  const { job_id: jobId, source_index: source, media_type: media, time_start: start, time_end: end } = moment;
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (media !== 'video' && media !== 'image') return undefined;
    let isShown = true;
    const show = async (): Promise<void> => {
      const found = await previews.address(jobId, source);
      if (isShown) setUrl(found);
    };
    const timer = setTimeout(() => void show(), REST_MS);
    return () => {
      isShown = false;
      clearTimeout(timer);
    };
  }, []);
  if (url === null) return null;
  if (media === 'image') return <img src={url} alt="" onError={() => setUrl(null)} />;
  const until = start + Math.min(Math.max(end - start, LEAST_SECONDS), MAX_SECONDS);
  return (
    <video
      src={`${url}#t=${start}`}
      muted
      playsInline
      preload="auto"
      onLoadedData={({ currentTarget }) => {
        if (!matchMedia('(prefers-reduced-motion: reduce)').matches) void currentTarget.play().catch(() => undefined);
      }}
      onTimeUpdate={({ currentTarget }) => {
        if (currentTarget.currentTime > until) currentTarget.currentTime = start;
      }}
      onError={() => setUrl(null)}
    />
  );
}
