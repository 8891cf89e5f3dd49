import { useLayoutEffect } from 'preact/hooks';

/** Scrolls the page to where it was when the person left it; `kept` outlives the page. */
export function useKeptPlace(kept: { scrollTop: number }, page: { current: HTMLElement | null }): void {
  useLayoutEffect(() => {
    const scroller = page.current?.closest('main');
    if (scroller === null || scroller === undefined) return undefined;
    scroller.scrollTop = kept.scrollTop;
    const keep = (): void => void (kept.scrollTop = scroller.scrollTop);
    scroller.addEventListener('scroll', keep, { passive: true });
    return () => scroller.removeEventListener('scroll', keep);
  }, [kept]);
}
