import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { withoutListed } from './equivalent.ts';

const mutant = { file: 'src/a.ts', source: 'return 1;', from: '1', to: '2' };

test('what is listed with a reason is not tried; an entry that fits no mutant, or has no reason, is a mistake', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-equivalent-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'list.json');
  assert.deepEqual(withoutListed([mutant], path, true), { kept: [mutant], listed: 0 });

  const list = (...entries: readonly object[]) => writeFileSync(path, JSON.stringify(entries));
  list({ ...mutant, reason: 'nobody reads it' });
  const other = { ...mutant, to: '0' };
  assert.deepEqual(withoutListed([mutant, other], path, true), { kept: [other], listed: 1 });
  assert.throws(() => withoutListed([other], path, true), /lists what is no mutant: .*"return 1;"/);
  assert.deepEqual(withoutListed([other], path, false), { kept: [other], listed: 0 });
  list(mutant);
  assert.throws(() => withoutListed([mutant], path, true), /lists what is no mutant/);
});
