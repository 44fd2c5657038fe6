import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { execPath } from 'node:process';
import { test } from 'node:test';

/** The factor by which V8 lets the heap grow after a collection, in a process that did this before. */
function growthAfter(what: string, ...more: readonly string[]): string | undefined {
  const url = (path: string) => JSON.stringify(import.meta.resolve(path));
  const program = `
    import { operator } from ${url('@keelson/core')};
    import { ConfigMap } from ${url('@keelson/core/v1')};
    import { controller, done, run } from ${url('../src/index.ts')};
    const idle = operator({ name: 'idle', controllers: [controller({ for: ConfigMap, reconcile: async () => done })] });
    ${what};
    gc();
  `;
  const flags = ['--expose-gc', '--trace-gc-verbose', ...more, '--input-type=module', '--eval'];
  const told = execFileSync(execPath, [...flags, program], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return [...told.matchAll(/\[HeapController\] factor (\S+)/g)].at(-1)?.[1];
}

// It ends at once, since that is no kubeconfig, but has done all that it does to its process.
const running = "await run(idle, ['--kubeconfig', '/dev/null']); process.exitCode = 0";
const plenty = '--max-old-space-size=4096';

test('the heap of an operator that runs grows by half where memory is plenty', () => {
  assert.equal(growthAfter(running, plenty), '1.5');
});

test('the heap of a small one, of a program that only embeds one, and one that was told how, grow in their own way', () => {
  assert.notEqual(growthAfter('', plenty), '1.5');
  assert.notEqual(growthAfter(running, '--max-old-space-size=200'), '1.5');
  assert.equal(growthAfter(running, plenty, '--heap-growing-percent=70'), '1.7');
});
