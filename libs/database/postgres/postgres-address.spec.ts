import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { postgresAddress } from './postgres-address.js';

const address = (url: string) => postgresAddress({ driver: 'postgres', url });

describe('DATABASE_URL', () => {
  it('is taken apart', () => {
    expect(address('postgresql://adit:s%40f%2Fe@db.example:6432/mining?application_name=x')).toEqual({
      host: 'db.example',
      port: 6432,
      user: 'adit',
      password: 's@f/e',
      database: 'mining',
      applicationName: 'x',
      ssl: false,
      place: 'db.example:6432',
      setting: 'DATABASE_URL',
    });
    expect(address('postgres://u@[::1]/d')).toMatchObject({ host: '::1', port: 5432, applicationName: 'adit' });
    expect(address('postgresql://u@localhost/d?host=/var/run/postgresql')).toMatchObject({
      place: '/var/run/postgresql',
    });
  });

  it('keeps any user, password and database that was escaped', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (...parts) => {
        fc.pre(parts.every((part) => !/^\.+$/.test(part)));
        const [user, password, database] = parts.map(encodeURIComponent);
        const [u, p, d] = parts;
        expect(address(`postgresql://${user}:${password}@h/${database}`)).toMatchObject({
          user: u,
          password: p,
          database: d,
        });
      }),
    );
  });

  it('means by sslmode what libpq means', () => {
    const ssl = (mode: string) => address(`postgresql://h/d?sslmode=${mode}`).ssl;
    expect(ssl('disable')).toBe(false);
    expect(ssl('require')).toEqual({ rejectUnauthorized: false });
    expect(ssl('verify-full')).toEqual({ ca: undefined });
    expect(ssl('verify-ca')).toMatchObject({ checkServerIdentity: expect.any(Function) });
    expect(() => ssl('prefer')).toThrow('use disable, require, verify-ca or verify-full');
  });

  it.each([
    ['not a url secret', 'is no URL'],
    ['mysql://u:secret@h/d', 'postgresql://'],
    ['postgresql://u:secret%zz@h/d', '%25'],
    ['postgresql://u:secret@h/d?channel=1', 'unknown parameter "channel"'],
  ])('is refused without being repeated: %s', (url, why) => {
    const refusal = () => address(url);
    expect(refusal).toThrow(why);
    expect(refusal).not.toThrow('secret');
  });

  it('needs a readable authority', () => {
    expect(() => postgresAddress({ driver: 'postgres', url: 'postgresql://h/d', caFile: '/none.pem' })).toThrow(
      '/none.pem cannot be read',
    );
  });
});
