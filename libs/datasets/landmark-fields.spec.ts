import { describe, expect, it } from '@jest/globals';
import { landmarkOfFields } from './landmark-fields.js';

describe('the custom fields of a landmark', () => {
  it('are read from any of the objects, as texts, numbers or lists', () => {
    const fields = [{ note: { own: true } }, { type: ['bridge', 'sight'], latitude: 47.37 }, { longitude: ' 8.54 ' }];
    expect(landmarkOfFields('Bridge', [...fields, { location: 'Zürich, Switzerland' }])).toEqual({
      ...{ type: ['bridge', 'sight'], latitude: '47.37', longitude: '8.54', location: ['Zürich', 'Switzerland'] },
    });
    expect(landmarkOfFields('Bridge', [])).toEqual({ type: null, latitude: null, longitude: null, location: [] });
    expect(landmarkOfFields('Mill', [{ type: ['mill; water'] }]).type).toEqual(['mill; water']);
  });

  it.each([
    [{ latitude: 1 }, 'latitude and longitude belong together'],
    [{ latitude: '91', longitude: '0' }, 'no number of degrees from -90 to 90'],
    [{ type: { is: 'bridge' } }, 'type is no text'],
  ])('are refused with the name of the class: %j', (fields, message) => {
    expect(() => landmarkOfFields('Bridge', [fields])).toThrow(`custom_fields of the class Bridge`);
    expect(() => landmarkOfFields('Bridge', [fields])).toThrow(message);
  });
});
