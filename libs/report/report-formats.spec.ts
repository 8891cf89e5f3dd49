import { expect, it } from '@jest/globals';
import { RESULT_FORMATS } from './report-formats.js';
import { REPORT_HTML } from './write-report.js';

it('each form of results is announced as what it is', () => {
  expect(
    Object.entries({ ...RESULT_FORMATS, html: REPORT_HTML }).map(([key, each]) => [key, ...Object.values(each)]),
  ).toEqual([
    ['json', 'json', 'application/json', 'json'],
    ['csv', 'csv', 'text/csv; charset=utf-8', 'csv'],
    ['xlsx', 'xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
    ['zip', 'zip', 'application/zip', 'zip'],
    ['html', 'html', 'text/html; charset=utf-8', 'html'],
  ]);
});
