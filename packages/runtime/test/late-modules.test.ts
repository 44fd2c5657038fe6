import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { execPath } from 'node:process';
import { test } from 'node:test';

test('importing the engine loads neither the metrics library nor the logging library', () => {
  const engine = new URL('../src/index.ts', import.meta.url).href;
  const program = `
    import { createRequire } from 'node:module';
    const require = createRequire(${JSON.stringify(engine)});
    const isLoaded = (name) => require.resolve(name) in require.cache;
    const { jsonLogger } = await import(${JSON.stringify(engine)});
    const atImport = ['prom-client', 'pino'].filter(isLoaded);
    jsonLogger({ name: 'x', clock: { now: () => 0 } });
    process.stdout.write(JSON.stringify({ atImport, afterFirstLogger: ['pino'].filter(isLoaded) }));
  `;
  const output = execFileSync(execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
  // The second half shows that the look at the cache can find something.
  assert.deepEqual(JSON.parse(output), { atImport: [], afterFirstLogger: ['pino'] });
});
