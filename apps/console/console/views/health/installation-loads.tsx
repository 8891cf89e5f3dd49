import type { DiskUse, InstallationLoad } from '@adit/client';
import { diskText, healthText } from '../../messages/health.en.js';
import { language, useMessages } from '../../messages/i18n.js';
import { bytesText } from '../../model/bytes.js';
import { SimpleTable } from './simple-table.js';

/** The load of all workspaces together. */
export function InstallationLoads({ load, disk }: { load: InstallationLoad; disk: DiskUse | null }) {
  const text = useMessages(healthText);
  const { queues, tasks, models } = load;
  const size = (bytes: number): string => bytesText(bytes, language.get());
  return (
    <>
      <section class="part" aria-label={text.queues}>
        <h2>{text.queues}</h2>
        {queues === null && <p class="soft">{text.unknownQueues}</p>}
        {queues !== null && queues.length === 0 && <p class="soft">{text.noQueues}</p>}
        {queues !== null && queues.length > 0 && (
          <SimpleTable
            columns={[text.group, text.topic, text.messages]}
            rows={queues.map(({ group, topic, messages }) => [group, topic, messages])}
          />
        )}
        <dl class="facts">
          <div>
            <dt>{text.slots}</dt>
            <dd>{load.slots}</dd>
          </div>
          <div>
            <dt>{text.streamsReading}</dt>
            <dd>{load.streams.reading}</dd>
          </div>
          <div>
            <dt>{text.streamsWaiting}</dt>
            <dd>{load.streams.waiting}</dd>
          </div>
        </dl>
      </section>
      <section class="part" aria-label={text.tasks}>
        <h2>{text.tasks}</h2>
        {tasks.length === 0 ? (
          <p class="soft">{text.noTasks}</p>
        ) : (
          <SimpleTable
            columns={[text.task, text.waiting, text.running]}
            rows={tasks.map(({ task, waiting, running }) => [task.replaceAll('_', ' '), waiting, running])}
          />
        )}
      </section>
      <section class="part" aria-label={text.models}>
        <h2>{text.models}</h2>
        {models.length === 0 ? (
          <p class="soft">{text.noModels}</p>
        ) : (
          <SimpleTable
            columns={[text.model, text.provider, text.memory]}
            rows={models.map(({ model, versions, provider, bytes }) => [
              <>
                {model} <small>{text.versions(versions)}</small>
              </>,
              provider ?? '–',
              size(bytes),
            ])}
          />
        )}
      </section>
      <Disk load={load} disk={disk} />
    </>
  );
}

function Disk({ load, disk }: { load: InstallationLoad; disk: DiskUse | null }) {
  const text = useMessages(healthText);
  const kinds = useMessages(diskText);
  const size = (bytes: number): string => bytesText(bytes, language.get());
  return (
    <section class="part" aria-label={text.disk}>
      <h2>{text.disk}</h2>
      {load.disk !== null && <p>{text.free({ free: size(load.disk.free), size: size(load.disk.size) })}</p>}
      {disk === null || disk.kinds.length === 0 ? (
        <p class="soft">{text.unmeasured}</p>
      ) : (
        <SimpleTable
          columns={[text.takes, text.size]}
          rows={disk.kinds.map(({ kind, bytes }) => [kinds[kind], size(bytes)])}
        />
      )}
    </section>
  );
}
