import type { ComponentsJSON } from '@nanostores/i18n';

export const germanHealth: ComponentsJSON = {
  health: {
    title: 'Zustand',
    loading: 'Wird geladen …',
    cannotSee: 'Wie es dem Dienst geht, sehen Schlüssel der Rolle admin oder owner.',
    fine: 'Es ist kein Fehler bekannt.',
    problems: 'Was zu tun ist',
    looked: 'Stand {time}',
    again: 'Erneut nachsehen',
    needs: 'Was er braucht',
    name: 'Name',
    state: 'Zustand',
    took: 'Antwort nach',
    answers: 'antwortet',
    away: 'nicht benutzbar',
    runs: 'Was läuft',
    service: 'Dienst',
    version: 'Release',
    processes: 'Prozesse',
    noService: 'Es meldet sich kein Prozess.',
    workspace: 'Dieser Arbeitsbereich',
    jobsWaiting: 'Wartende Aufträge',
    jobsProcessing: 'Laufende Aufträge',
    streamsReading: 'Gelesene Streams',
    streamsWaiting: 'Wartende Streams',
    webhooksDisabled: 'Von Adit abgeschaltete Webhooks',
    storage: 'Speicher',
    storageOf: '{used} von {limit}',
    ownersOnly:
      'Warteschlangen, Modelle und Platten gehören allen Arbeitsbereichen: Schlüssel der Rolle owner sehen sie.',
    slots: 'Analysen zugleich',
    queues: 'Warteschlangen',
    group: 'Gelesen von',
    topic: 'Thema',
    messages: 'Nachrichten',
    noQueues: 'Es wartet nichts.',
    unknownQueues: 'Der Nachrichtenbus antwortet nicht.',
    tasks: 'Aufgaben',
    task: 'Art',
    waiting: 'Warten',
    running: 'Laufen',
    noTasks: 'Keine ist offen.',
    models: 'Modelle im Speicher',
    model: 'Modell',
    versions: { one: '1 Version', other: '{count} Versionen' },
    provider: 'Läuft auf',
    memory: 'Gewichte',
    noModels:
      'Der antwortende Prozess hat keine im Speicher. Wo eigene Prozesse Modelle ausführen, sagen es deren Metriken.',
    disk: 'Platte',
    free: '{free} von {size} sind frei',
    takes: 'Was den Platz braucht',
    size: 'Größe',
    unmeasured: 'Noch nicht gemessen.',
  },
  healthProblems: {
    dependency_away:
      '„{about}“ ist nicht benutzbar. Was darauf angewiesen ist, wartet und geht weiter, sobald es wieder antwortet.',
    service_missing:
      'Der Dienst „{about}“ gibt kein Lebenszeichen: Seine Arbeit wartet, nichts geht verloren. Starten Sie ihn; sein Protokoll sagt, warum er endete.',
    builds_mixed:
      'Mehrere Releases laufen: {about}. Während eines Upgrades ist das richtig; sonst ersetzen Sie die älteren.',
    quota_fills:
      'Dieser Arbeitsbereich hat {about} seines Speichers belegt. Bei 100 % werden Uploads abgelehnt, Aufzeichnungen pausieren: Löschen Sie Dateien, oder verlangen Sie mehr.',
    disk_fills:
      'Nur {about} der Platte sind frei. Schaffen Sie Platz, oder lassen Sie mehr löschen: Ist sie voll, warten Aufträge.',
    queue_behind: '„{about}“ kommt nicht nach. Starten Sie mehr Prozesse davon, oder sehen Sie nach, was sie bremst.',
    streams_wait:
      'Streams, die auf einen Recorder warten: {about}. Starten Sie mehr Recorder, oder erhöhen Sie ADIT_STREAMS_PER_RECORDER.',
    webhooks_disabled:
      'Von Adit abgeschaltete Webhooks: {about}. Bringen Sie die Empfänger in Ordnung, dann schalten Sie die Webhooks wieder ein.',
    gpu_not_used:
      'Modelle ließen sich nicht auf der GPU laden ({about}) und laufen viel langsamer. Das Protokoll und „adit doctor“ nennen den Grund.',
  },
  healthDisk: {
    uploads: 'Hochgeladene Dateien',
    jobs: 'Dateien und Bilder von Aufträgen',
    cache: 'Was über Medien bekannt ist',
    models: 'Modelle',
    other: 'Alles andere',
    database: 'Datenbank',
    work: 'Quellen, die gerade analysiert werden',
  },
};
