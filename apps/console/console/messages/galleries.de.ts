import type { ComponentsJSON } from '@nanostores/i18n';

export const germanGalleries: ComponentsJSON = {
  galleries: {
    title: 'Galerien',
    sections: 'Gesichtsindizes und Galerien',
    indexes: 'Gesichtsindizes',
    dataset: 'Datensatz',
    count: { one: '1 Person', other: '{count} Personen' },
    search: 'Nach Namen suchen',
    none: 'Es gibt noch keinen Datensatz von Personen',
    noneHint:
      'Personen einer Galerie sind an ihren Fotos zu erkennen. Legen Sie zuerst einen Datensatz von Personen an.',
    toDatasets: 'Zu den Datensätzen',
    nobody: 'In dieser Galerie ist noch niemand.',
    noMatch: 'Niemand heißt so.',
    add: 'Neue Person …',
    addTitle: 'Neue Person',
    create: 'Anlegen',
    name: 'Name',
    back: 'Alle Personen der Galerie',
    notFound: 'Diese Person gibt es nicht. Vielleicht wurde sie vergessen.',
    hint: 'Fotos lehren, wie die Person aussieht; Aufträge kennen sie nach dem nächsten Training.',
    openDataset: 'Im Datensatz',
  },
};
