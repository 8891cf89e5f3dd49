import { describe, expect, it } from '@jest/globals';
import { messagesToJSON, type TranslationJSON } from '@nanostores/i18n';
import { german } from './de.js';
import { MESSAGES } from './en.js';
import { datasetsText, imagesText, trainingsText } from './datasets.en.js';
import { galleriesText } from './galleries.en.js';
import { diskText, healthText, problemText } from './health.en.js';
import { keysText } from './keys.en.js';
import { membersText } from './members.en.js';
import { modelsText, trialText } from './models.en.js';
import { erasedText, peopleText } from './people.en.js';
import { auditText } from './audit.en.js';
import { savedText } from './saved.en.js';
import { searchText } from './search.en.js';
import { storageText } from './storage.en.js';
import { streamsText } from './streams.en.js';
import { kindsText, retentionText, usageText } from './usage.en.js';
import { useModelText } from './use-model.en.js';
import { eventText, webhooksText } from './webhooks.en.js';

const english = messagesToJSON(
  ...[...MESSAGES, datasetsText, imagesText, trainingsText, galleriesText],
  ...[keysText, membersText, modelsText, trialText, useModelText, peopleText, erasedText, savedText, searchText],
  ...[streamsText, webhooksText, eventText, healthText, problemText, diskText],
  ...[storageText, usageText, retentionText, kindsText, auditText],
);

/** Names of what is filled in, over all forms of a message. */
function placeholders(message: TranslationJSON | undefined): string[] {
  const text = JSON.stringify(message) ?? '';
  return [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name))].sort();
}

describe('the German messages', () => {
  it('there is one for each English message, and no other', () => {
    const names = (all: typeof english) =>
      Object.entries(all).flatMap(([component, messages]) =>
        Object.keys(messages).map((name) => `${component}.${name}`),
      );
    expect(names(german).sort()).toEqual(names(english).sort());
  });

  it('each has the same places to fill in and the same kind of forms', () => {
    for (const [component, messages] of Object.entries(english)) {
      for (const [name, message] of Object.entries(messages)) {
        const other = german[component]?.[name];
        expect([component, name, typeof other, placeholders(other)]).toEqual([
          ...[component, name, typeof message, placeholders(message)],
        ]);
        expect(other).not.toBe('');
      }
    }
  });
});
