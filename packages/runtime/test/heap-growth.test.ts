import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { execPath } from 'node:process';
import { test } from 'node:test';

/** The factor by which V8 lets the heap grow after a collection, in a process that did this before. */
function growthAfter(what: string): string | undefined {
  const url = (path: string) => JSON.stringify(import.meta.resolve(path));
  const program = `
    import { operator } from ${url('@keelson/core')};
    import { ConfigMap } from ${url('@keelson/core/v1')};
    import { controller, done, run } from ${url('../src/index.ts')};
    const idle = operator({ name: 'idle', controllers: [controller({ for: ConfigMap, reconcile: async () => done })] });
    ${what};
    gc();
  `;
  const flags = ['--expose-gc', '--trace-gc-verbose', '--input-type=module', '--eval'];
  const told = execFileSync(execPath, [...flags, program], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return [...told.matchAll(/\[HeapController\] factor (\S+)/g)].at(-1)?.[1];
}

test('the heap of an operator that runs grows by half, and that of a program that only embeds one as V8 likes', () => {
  // It ends at once, since that is no kubeconfig, but has done all that it does to its process.
  assert.equal(growthAfter("await run(idle, ['--kubeconfig', '/dev/null']); process.exitCode = 0"), '1.5');
  assert.notEqual(growthAfter(''), '1.5');
});
