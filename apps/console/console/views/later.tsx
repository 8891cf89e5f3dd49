import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { faultText, shellText } from '../messages/en.js';
import { useMessages } from '../messages/i18n.js';

/** A page that is fetched when it is opened first. */
export function later<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  return function Later(props: P) {
    const text = useMessages(faultText);
    const shell = useMessages(shellText);
    const [page, setPage] = useState<{ Page: ComponentType<P> } | 'loading' | 'failed'>('loading');
    useEffect(() => {
      if (page !== 'loading') return;
      load().then(
        (Page) => setPage({ Page }),
        () => setPage('failed'),
      );
    }, [page]);
    if (page === 'loading') return <div class="page" aria-busy="true" />;
    if (page !== 'failed') return <page.Page {...props} />;
    return (
      <div class="page">
        <p class="fault" role="alert">
          {text.unreachable}{' '}
          <button type="button" onClick={() => setPage('loading')}>
            {shell.tryAgain}
          </button>
        </p>
      </div>
    );
  };
}
