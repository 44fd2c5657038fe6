import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type SettingsSchema, settingFrom, settingsOf, validSettings } from './settings.ts';

/** A schema as a library would make it. */
function schemaOf(
  properties: Readonly<Record<string, object>>,
  validate: (value: unknown) => unknown = (value) => ({ value }),
): SettingsSchema {
  const input = () => ({ type: 'object', properties, required: ['dnsServer'] });
  return { '~standard': { version: 1, vendor: 'test', validate, jsonSchema: { input } } };
}

test('names of flags and variables follow from the names of settings', () => {
  const settings = settingsOf(
    schemaOf({
      dnsServer: { type: 'string', description: 'Where records are made.' },
      retries: { type: 'integer', default: 3 },
      dry_run: { type: 'boolean' },
      zones: { type: 'array', items: { type: 'string' } },
      mode: { type: 'string', enum: ['a', 'b'] },
    }),
    'website-operator',
  );
  assert.deepEqual(
    settings.map(({ flag, variable, type, isRequired }) => [flag, variable, type, isRequired]),
    [
      ['dns-server', 'WEBSITE_OPERATOR_DNS_SERVER', 'string', true],
      ['retries', 'WEBSITE_OPERATOR_RETRIES', 'number', false],
      ['dry-run', 'WEBSITE_OPERATOR_DRY_RUN', 'boolean', false],
      ['zones', 'WEBSITE_OPERATOR_ZONES', 'list', false],
      ['mode', 'WEBSITE_OPERATOR_MODE', 'string', false],
    ],
  );
  assert.deepEqual(
    settings.map((setting) => setting.description ?? setting.default ?? setting.choices),
    ['Where records are made.', 3, undefined, undefined, ['a', 'b']],
  );
});

test('a setting that cannot be written as one text is refused with its name', () => {
  for (const field of [{ type: 'object' }, { type: 'array', items: { type: 'object' } }, {}]) {
    assert.throws(() => settingsOf(schemaOf({ nested: field }), 'x'), {
      name: 'RangeError',
      message: 'setting nested: it must be a string, a number, a boolean or a list of strings',
    });
  }
});

test('a text becomes the value that it means, or stays for the schema to refuse', () => {
  const [text, number, flag, list] = settingsOf(
    schemaOf({
      text: { type: 'string' },
      number: { type: 'number' },
      flag: { type: 'boolean' },
      list: { type: 'array', items: { type: 'string' } },
    }),
    'x',
  );
  assert.ok(text && number && flag && list);
  const cases = [
    [text, '5', '5'],
    [number, '5', 5],
    [number, '-0.5', -0.5],
    [number, 'five', 'five'],
    [number, '', ''],
    [flag, 'true', true],
    [flag, 'false', false],
    [flag, 'maybe', 'maybe'],
    [list, 'a, b,c', ['a', 'b', 'c']],
    [list, '', []],
  ] as const;
  for (const [setting, given, value] of cases) assert.deepEqual(settingFrom(setting, given), value);
});

test('settings that are not valid are named, all of them', () => {
  const refusing = schemaOf({}, () => ({
    issues: [
      { message: 'too small', path: ['retries'] },
      { message: 'missing', path: [{ key: 'dnsServer' }] },
    ],
  }));
  assert.throws(() => validSettings(refusing, {}), {
    name: 'RangeError',
    message: 'settings are not valid: retries: too small; dnsServer: missing',
  });
  assert.deepEqual(validSettings(schemaOf({}), { a: 1 }), { a: 1 });
  assert.throws(
    () =>
      validSettings(
        schemaOf({}, async () => ({ value: {} })),
        {},
      ),
    TypeError,
  );
});
