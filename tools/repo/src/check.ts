/**
 * Everything that can be said about the code without running it: `check.ts [NAME…]`, all by default.
 *
 * Layers, import cycles between files and the clock rule are part of `lint` (biome.json, clock.grit, signals.grit); promises that
 * nothing awaits are a check of their own, because biome's rule does not see contextually typed parameters. Cycles
 * between folders, doc comments and portable texts are checks of ours.
 */
import { spawnSync } from 'node:child_process';
import { argv, exit } from 'node:process';
import { stripVTControlCharacters } from 'node:util';
import { systemClock } from '@keelson/core/system';
import { build, outputOf } from './build.ts';
import { exportMistakes } from './doc-comments.ts';
import { folderCycleReport } from './folder-cycles.ts';
import { portabilityMistakes } from './portable-texts.ts';
import { report } from './results.ts';
import { publishedPackages, root } from './workspace.ts';

interface Outcome {
  readonly ok: boolean;
  readonly output: string;
}

function command(name: string, ...args: readonly string[]): Outcome {
  const { status, stdout, stderr, error } = spawnSync(name, args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 });
  // Some tools take CI=true for a terminal and print colours into the pipe.
  const output = stripVTControlCharacters(`${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}`);
  return { ok: status === 0, output };
}

const judged = (mistakes: readonly string[]): Outcome => ({ ok: mistakes.length === 0, output: mistakes.join('\n') });

function packageExports(): Outcome {
  const packages = build();
  if (packages === undefined) return { ok: false, output: 'the build failed' };
  const outcomes = packages.map((pkg) => command('publint', 'run', '--strict', '--pack', 'npm', outputOf(pkg)));
  return {
    ok: outcomes.every(({ ok }) => ok),
    output: outcomes.map(({ output }) => output).join(''),
  };
}

const checks: Readonly<Record<string, { readonly what: string; run(): Outcome }>> = {
  types: { what: 'types', run: () => command('tsc', '--noEmit', '-p', 'tsconfig.json') },
  lint: {
    what: 'format, lint, import layers, import cycles, clock and randomness',
    run: () => command('biome', 'ci', '--colors=off', '--error-on-warnings', '--max-diagnostics=200', '.'),
  },
  folders: {
    what: 'import cycles between the folders of a package',
    run() {
      const output = folderCycleReport(root);
      return { ok: output === '', output };
    },
  },
  docs: {
    what: 'doc comments and names of what is exported',
    run: () => judged(exportMistakes(publishedPackages())),
  },
  portable: {
    what: 'no paths of one machine, no hosts of package registries',
    run: () => judged(portabilityMistakes()),
  },
  promises: { what: 'floating promises', run: () => command('oxlint', '--type-aware', '--deny-warnings') },
  unused: { what: 'unused files, exports and dependencies', run: () => command('knip', '--no-progress') },
  exports: { what: 'package exports', run: packageExports },
  links: { what: 'links in the documentation', run: () => command('remark', '--no-color', '--quiet', '--frail', '.') },
};

const chosen = argv.slice(2);
const unknown = chosen.filter((name) => checks[name] === undefined);
if (unknown.length > 0) {
  console.error(`Unknown check ${unknown.join(', ')}: choose from ${Object.keys(checks).join(', ')}.`);
  exit(2);
}

let failed = 0;
let passed = 0;
for (const [name, { what, run }] of Object.entries(checks)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  const begun = systemClock.monotonic();
  const { ok, output } = run();
  const seconds = ((systemClock.monotonic() - begun) / 1000).toFixed(1);
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${name.padEnd(9)} ${seconds.padStart(5)} s  ${what}`);
  if (ok) passed += 1;
  else {
    failed += 1;
    console.log(output);
  }
}
report({ command: 'check', passed, failed, skipped: 0 });
exit(failed === 0 ? 0 : 1);
