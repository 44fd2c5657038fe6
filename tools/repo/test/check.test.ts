/** Each rule that `npm run check` holds is broken once in a copy of the checkout, and the checker has to say so. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Checkout, type CheckRun, copyOfCheckout } from './checkout.ts';

interface Mistake {
  readonly what: string;
  readonly check: 'types' | 'docs' | 'portable' | 'lint' | 'folders' | 'promises' | 'unused' | 'links';
  readonly path: string;
  readonly text: string;
  /** What is printed for it. */
  readonly reported: RegExp;
}

const client = 'packages/client/src/planted';

/** Mistakes that biome finds, each in a file of its own and otherwise faultless. */
const lint: readonly Mistake[] = [
  {
    what: 'an import from a lower layer to a higher one',
    path: `${client}/upward.ts`,
    text: `import '@keelson/runtime';\n`,
    reported: /planted\/upward\.ts:1:\d+ lint\/style\/noRestrictedImports/,
  },
  {
    what: 'a dynamic import from a lower layer to a higher one',
    path: `${client}/upward-later.ts`,
    text: `await import('@keelson/runtime');\n`,
    reported: /planted\/upward-later\.ts:1:\d+ lint\/style\/noRestrictedImports/,
  },
  {
    what: 'an import by a path into the sources of another package',
    path: `${client}/sideways.ts`,
    text: `import '../../../runtime/src/index.ts';\n`,
    reported: /planted\/sideways\.ts:1:\d+ lint\/style\/noRestrictedImports/,
  },
  {
    what: 'an import cycle',
    path: `${client}/head.ts`,
    text: `import './tail.ts';\n`,
    reported: /planted\/head\.ts:1:\d+ lint\/suspicious\/noImportCycles/,
  },
  {
    what: 'the other half of an import cycle',
    path: `${client}/tail.ts`,
    text: `import './head.ts';\n`,
    reported: /planted\/tail\.ts:1:\d+ lint\/suspicious\/noImportCycles/,
  },
  ...Object.entries({
    'date-now': `console.log(Date.now());\n`,
    'new-date': `console.log(new Date());\n`,
    'destructured-date': `const { now } = Date;\n\nconsole.log(now());\n`,
    performance: `console.log(performance.now());\n`,
    'process-hrtime': `console.log(process.hrtime.bigint());\n`,
    'set-timeout': `setTimeout(console.log, 5);\n`,
    timers: `import 'node:timers/promises';\n`,
    'signal-timeout': `console.log(AbortSignal.timeout(5));\n`,
    'math-random': `console.log(Math.random());\n`,
    'random-uuid': `console.log(crypto.randomUUID());\n`,
    'renamed-random-bytes': `import { randomBytes as surprise } from 'node:crypto';\n\nconsole.log(surprise(5));\n`,
  }).map(([name, text]) => ({
    what: `${text.trim().split('\n')[0]} outside of core/system`,
    path: `${client}/${name}.ts`,
    text,
    reported: new RegExp(`planted/${name}\\.ts:1:\\d+ (plugin|lint/style/noRestrictedGlobals) `),
  })),
].map((mistake) => ({ ...mistake, check: 'lint' }));

const others: readonly Mistake[] = [
  {
    what: 'an export that nobody imports',
    check: 'unused',
    path: 'packages/core/src/clock.ts',
    text: `\nexport const wantedByNobody = 5;\n`,
    reported: /^wantedByNobody +packages\/core\/src\/clock\.ts/m,
  },
  {
    what: 'a file that nobody imports',
    check: 'unused',
    path: `${client}/date-now.ts`,
    text: '',
    reported: /^packages\/client\/src\/planted\/date-now\.ts/m,
  },
  {
    // The parameter gets its type from the context; biome's own rule does not see this one.
    what: 'a promise that nobody awaits',
    check: 'promises',
    path: `${client}/floating.ts`,
    text: `const hooks: { run(apply: () => Promise<void>): void } = {\n  run(apply) {\n    apply();\n  },\n};\n\nconsole.log(hooks);\n`,
    reported: /no-floating-promises[\s\S]*planted\/floating\.ts:3/,
  },
  {
    what: 'a folder that imports one that imports it',
    check: 'folders',
    path: `${client}/there/one.ts`,
    text: `import type { Two } from '../back/two.ts';\n\nexport type One = Two | 1;\n`,
    reported: /planted\/there\/one\.ts imports .*planted\/back\/two\.ts/,
  },
  {
    what: 'the way back between two folders',
    check: 'folders',
    path: `${client}/back/three.ts`,
    text: `import type { One } from '../there/one.ts';\n\nexport type Three = One | 3;\n`,
    reported: /packages\/client\/src: planted\/\w+ → planted\/\w+ → planted/,
  },
  {
    what: 'a file that is in neither circle of files but in the circle of folders',
    check: 'folders',
    path: `${client}/back/two.ts`,
    text: `export type Two = 2;\n`,
    reported: /planted\/back\/three\.ts imports .*planted\/there\/one\.ts/,
  },
  {
    what: 'an exported declaration without a doc comment',
    check: 'docs',
    path: 'packages/cluster/src/index.ts',
    text: `\nexport type Undocumented = 5;\n`,
    reported: /^packages\/cluster\/src\/index\.ts:\d+ Undocumented is exported and has no doc comment$/m,
  },
  {
    what: 'a name that two packages export',
    check: 'docs',
    path: 'packages/testing/src/index.ts',
    text: `\n/** Another one. */\nexport type Cluster = 5;\n`,
    reported: /packages\/testing\/src\/index\.ts:\d+ export two things by the name Cluster$/m,
  },
  {
    what: "a path in somebody's home",
    check: 'portable',
    path: 'docs/planted-path.md',
    text: `It is in ${['', 'home', 'ada', 'keelson'].join('/')}.\n`,
    reported: /^docs\/planted-path\.md:1 names a path in somebody's home$/m,
  },
  {
    what: 'the host of a package registry',
    check: 'portable',
    path: 'docs/planted-host.md',
    text: `It is at ${['www', 'npmjs', 'com'].join('.')}.\n`,
    reported: /^docs\/planted-host\.md:1 names the host of a package registry$/m,
  },
  {
    what: 'a link to a file that is not there',
    check: 'links',
    path: 'docs/planted.md',
    text: `See [the plan](./no-such-plan.md).\n`,
    reported: /docs\/planted\.md[\s\S]*no-such-plan\.md/,
  },
  {
    what: 'a link to a heading that is not there',
    check: 'links',
    path: 'docs/planted-heading.md',
    text: `See [the plan](./ARCHITECTURE.md#no-such-heading).\n`,
    reported: /docs\/planted-heading\.md[\s\S]*no-such-heading/,
  },
  {
    what: 'a type error',
    check: 'types',
    path: `${client}/mistyped.ts`,
    text: `export const size: number = 'three';\n`,
    reported: /planted\/mistyped\.ts\(1,14\): error TS2322/,
  },
];

const mistakes = [...lint, ...others];
const names = [...new Set(mistakes.map(({ check }) => check))];

let checkout: Checkout;
let found: CheckRun;

// Each tool takes a second or more, so all mistakes are planted together: every one has its own file and diagnostic.
before(() => {
  checkout = copyOfCheckout();
  for (const { path, text } of mistakes) checkout.plant(path, text);
  found = checkout.check(...names);
});

after(() => checkout[Symbol.dispose]());

test('every check fails when a mistake is planted for it', () => {
  assert.equal(found.ok, false);
  assert.deepEqual(Object.keys(found.failures).sort(), [...names].sort());
});

for (const { what, check, path, reported } of mistakes) {
  test(`${what} makes \`npm run check -- ${check}\` fail and name ${path}`, () => {
    assert.match(found.failures[check] ?? '', reported);
  });
}

/** How many findings each check tells of, by a number or by lines, and how many the mistakes make. */
const counts: Readonly<Record<Mistake['check'], readonly [told: RegExp, planted: number]>> = {
  types: [/^\S/gm, 1],
  lint: [/^Found (\d+) errors?\./gm, lint.length],
  folders: [/^\S/gm, 1],
  docs: [/^\S/gm, 2],
  portable: [/^\S/gm, 2],
  promises: [/^Found 0 warnings and (\d+) errors?\./gm, 1],
  // Every planted file, and the export.
  unused: [/^[A-Z][\w ]+ \((\d+)\)$/gm, new Set(mistakes.map(({ path }) => path).filter(isPlantedSource)).size + 1],
  links: [/^⚠ (\d+) warnings?$/gm, 2],
};

// So the checkout without them passes, and need not be checked once more, which takes as long again.
for (const [check, [told, planted]] of Object.entries(counts)) {
  test(`\`npm run check -- ${check}\` finds each planted mistake by itself, and none in the checkout as it is`, () => {
    const output = found.failures[check] ?? '';
    const findings = [...output.matchAll(told)].reduce((sum, [, number = '1']) => sum + Number(number), 0);
    assert.equal(findings, planted, output);
  });
}

function isPlantedSource(path: string): boolean {
  return path.startsWith(`${client}/`);
}
