/** Tables in the documents that repeat what the repository knows: they have to say the same. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { publishedPackages, root } from '../src/workspace.ts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** The cells of every table row in a document. */
const rows = (path: string): readonly (readonly string[])[] =>
  read(path)
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map((cells) => cells.slice(1, -1));

interface Override {
  readonly includes: readonly string[];
  readonly linter: {
    readonly rules: {
      readonly style: {
        readonly noRestrictedImports?: {
          readonly options: { readonly patterns: readonly { readonly group: readonly string[] }[] };
        };
      };
    };
  };
}

/** What biome lets each package import, by the package's folder. */
function allowed(): Map<string, readonly string[]> {
  const { overrides } = JSON.parse(read('biome.json')) as { readonly overrides: readonly Override[] };
  return new Map(
    overrides.flatMap(({ includes, linter }) => {
      const [sources = ''] = includes;
      const patterns = linter.rules.style.noRestrictedImports?.options.patterns;
      const group = patterns?.flatMap((pattern) => pattern.group).filter((glob) => /^!@keelson\/[^*]+$/.test(glob));
      return group ? [[dirname(dirname(sources)), group.map((glob) => glob.replace('!@keelson/', ''))]] : [];
    }),
  );
}

const { workspaces } = JSON.parse(read('package.json')) as { readonly workspaces: readonly string[] };
const folders = workspaces.flatMap((glob) => globSync(`${glob}/package.json`, { cwd: root })).map(dirname);

test('the layers in ARCHITECTURE.md are those that biome.json holds', () => {
  const layers = rows('docs/ARCHITECTURE.md').filter((cells) => cells.length === 3);
  const documented = layers.map(([names = '', , imports]) => {
    const [name = ''] = names.replaceAll('`', '').split(', ');
    return [folders.includes(name) ? name : `packages/${name}`, imports] as const;
  });
  for (const [folder, imports] of allowed()) {
    const words = { '': 'nothing', 'core/system, core/x509': 'the system clock and certificates, nothing else' }[
      imports.join(', ')
    ];
    assert.equal(new Map(documented).get(folder), words ?? imports.join(', '), folder);
  }
  assert.ok(allowed().size >= 11, 'biome.json has the layers where this test looks for them');
});

test('the map in README.md has every workspace folder, with its name', () => {
  const existing = folders.map((folder) => {
    const manifest = JSON.parse(read(`${folder}/package.json`)) as {
      readonly name: string;
      readonly private?: boolean;
    };
    return `[${folder}](${folder}) ${manifest.private ? 'private' : `\`${manifest.name}\``}`;
  });
  const mapped = rows('README.md')
    .filter(([link]) => link?.startsWith('['))
    .map(([link, name]) => `${link} ${name}`);
  assert.deepEqual(mapped.toSorted(), existing.toSorted());
});

test('every workspace folder has a README', () => {
  const without = folders.filter((folder) => !existsSync(join(root, folder, 'README.md')));
  assert.deepEqual(without, []);
});

test('the list of decisions names every decision', () => {
  const listed = [...read('docs/adr/README.md').matchAll(/^(\d+)\. \[.*\]\((.*)\)$/gm)].map(([, , file]) => file);
  assert.deepEqual(listed, globSync('0*.md', { cwd: join(root, 'docs/adr') }).sort());
});

for (const { folder, manifest } of publishedPackages()) {
  const path = relative(root, folder);

  test(`the README of ${manifest.name} shows how to import it, or to call it`, () => {
    const shown =
      Object.keys(manifest.exports).length > 0 ? `from '${manifest.name}` : Object.keys(manifest.bin ?? {})[0];
    assert.ok(read(`${path}/README.md`).includes(shown ?? ''), `${path}/README.md does not contain ${shown}`);
  });

  test(`the package.json of ${manifest.name} says what it is, and where it is from`, () => {
    const { description, keywords, repository } = JSON.parse(read(`${path}/package.json`));
    assert.ok(description.length > 20, description);
    assert.ok(keywords.includes('kubernetes'));
    assert.equal(repository.directory, path);
  });
}

test('the workflow for CI calls .ci/run and nothing beside it', () => {
  const commands = [...read('.github/workflows/ci.yml').matchAll(/^ +-? *run: (.*)$/gm)].map(([, command]) => command);
  assert.deepEqual(commands, ['.ci/run']);
});
