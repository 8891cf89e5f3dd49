import { PageQuery, SavedSearch, SavedSearchPage, SavedSearchRequest, SearchMatchesPage } from '@adit/contracts';
import { z } from 'zod';
import { examplePage } from '../http/example-page.js';
import { defineRoute } from '../http/route.js';
import { Message, UuidInPath } from '../http/shapes.js';

const tag = 'Search';
const params = z.object({ searchId: UuidInPath.describe('Id of the saved search') });

const body = { name: 'Budget, as Anna says it', said: 'budget OR cost', who: 'anna', together: 10 };
const example = {
  id: '2d7b9c1e-4f6a-4b83-9e05-7a1c3d5f8b26',
  ...body,
  alert: true,
  link: 'https://adit.example.com/api/v1/search/?said=budget+OR+cost&who=anna&together=10&fuzzy=false',
  time_created: '2026-11-21T07:00:00.000000Z',
  time_updated: '2026-11-21T07:00:00.000000Z',
};

export const listSearches = defineRoute({
  method: 'GET',
  path: '/v1/searches/',
  summary: 'Saved searches, the oldest first',
  description: 'A page of the saved searches of the workspace.',
  tag,
  query: PageQuery,
  reply: SavedSearchPage,
  example: { reply: examplePage(example) },
});

export const createSearch = defineRoute({
  method: 'POST',
  path: '/v1/searches/',
  summary: 'Save a search, to be told of new results',
  description:
    'Takes what `GET /v1/search/` takes; at least one field or filter. New segments that it finds raise ' +
    '`svc.search.on_match`, for webhooks and in `GET /v1/events/`, once each and soon after they can be found; what was found ' +
    'before and what is indexed again raises nothing. 409: the workspace has 100 already.',
  tag,
  body: SavedSearchRequest,
  reply: SavedSearch,
  errors: ['CONFLICT'],
  example: { body, reply: example },
});

export const getSearch = defineRoute({
  method: 'GET',
  path: '/v1/searches/:searchId/',
  summary: 'Read a saved search',
  description: 'With the `link` to what it finds now.',
  tag,
  params,
  reply: SavedSearch,
  errors: ['NOT_FOUND'],
  example: { reply: example },
});

export const replaceSearch = defineRoute({
  method: 'PUT',
  path: '/v1/searches/:searchId/',
  summary: 'Replace a saved search',
  description: 'Segments that are found from now on are asked the new question. Fields that are left out are gone.',
  tag,
  params,
  body: SavedSearchRequest,
  reply: SavedSearch,
  errors: ['NOT_FOUND'],
});

export const deleteSearch = defineRoute({
  method: 'DELETE',
  path: '/v1/searches/:searchId/',
  summary: 'Delete a saved search',
  description: 'It raises no more events.',
  tag,
  params,
  reply: Message,
  errors: ['NOT_FOUND'],
  example: { reply: { message: `The search ${example.name} was deleted.` } },
});

export const listMatches = defineRoute({
  method: 'GET',
  path: '/v1/searches/:searchId/matches/',
  summary: 'New results that a saved search has found, the newest first',
  description:
    'What it raised `svc.search.on_match` for, while events are kept and the job is there; nothing while `alert` is false. ' +
    '`GET /v1/search/` with the question finds everything.',
  tag,
  params,
  query: PageQuery,
  reply: SearchMatchesPage,
  errors: ['NOT_FOUND'],
  example: {
    reply: examplePage({
      job_id: '0d4f7a52-6a0c-4c1d-8a41-0f7b4b1e9c33',
      matches: [
        {
          ...{ number: 17, module: 'speech_recognition', type: 'speech', source_index: 0 },
          ...{ time_start: 63.2, time_end: 66, exact: true },
        },
      ],
      time_created: '2026-11-21T07:00:00.000000Z',
    }),
  },
});
