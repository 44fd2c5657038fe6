/** docs/first-operator.md shows the programs of its folder, whose test is run here, and they install what they need. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import '../first-operator/greeting.test.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

for (const file of ['greeting.ts', 'greeting.test.ts', 'install.ts']) {
  test(`docs/first-operator.md shows ${file} as it is`, () => {
    const page = read('../../docs/first-operator.md');
    assert.ok(page.includes(`\`\`\`ts\n${read(`../first-operator/${file}`)}\`\`\`\n`));
  });
}

test('docs/first-operator.md imports names that there are', async () => {
  // A row without a package goes on with the one above; names behind a semicolon come from the second package.
  const rows = read('../../docs/first-operator.md').matchAll(/^\| (`@[^|]+|) \| [^|]+ \| (.+) \|$/gm);
  let packages: readonly string[] = [];
  let seen = 0;
  for (const [, from = '', names = ''] of rows) {
    if (from !== '') packages = [...from.matchAll(/`(.+?)`/g)].map(([, name = '']) => name);
    const [own = '', rest = ''] = names.split('; ');
    const [first = '', second = /`(@.+?)`/.exec(rest)?.[1] ?? ''] = packages;
    for (const [module, text] of [
      [first, own],
      [second, rest.replace(/`@.+?`/, '')],
    ] as const) {
      const exported = module === '' ? {} : ((await import(module)) as object);
      for (const [, name = ''] of text.matchAll(/`(\w+)`/g)) {
        assert.ok(name in exported, `${name} from ${module}`);
        seen += 1;
      }
    }
  }
  assert.ok(seen > 30, `${seen}`);
});

test('what it prints for kubectl is the kind and a role with the rights of the operator', () => {
  const file = fileURLToPath(new URL('../first-operator/install.ts', import.meta.url));
  const printed = execFileSync(process.execPath, [file], { encoding: 'utf8' });
  const [crd, role] = printed
    .split(/(?<=^\})\n/m)
    .filter(Boolean)
    .map((text) => JSON.parse(text) as Printed);
  assert.deepEqual([crd?.kind, crd?.metadata.name], ['CustomResourceDefinition', 'greetings.example.com']);
  assert.deepEqual([role?.kind, role?.metadata.name], ['ClusterRole', 'greeting-operator']);
  assert.ok(role?.rules?.some(({ resources, verbs }) => resources.includes('configmaps') && verbs.includes('patch')));
});

interface Printed {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly rules?: readonly { readonly resources: readonly string[]; readonly verbs: readonly string[] }[];
}
