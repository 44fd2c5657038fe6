#!/usr/bin/env node
/** The `keelson` command: reads the arguments, prints, exits. Everything else is in the packages it calls. */
import module from 'node:module';

const [major = 0] = process.versions.node.split('.').map(Number);
if (major < 22) {
  process.stderr.write(`keelson needs Node 22 or newer, and this is ${process.versions.node}: install a newer one.\n`);
  process.exit(1);
}
// What commands load when they are called is compiled once on this machine: a tenth of a second of `cluster start`.
module.enableCompileCache();

// An older Node could not even read these.
const [{ keelson }, { processShell }] = await Promise.all([import('./program.ts'), import('./shell.ts')]);

// Whoever reads the output may stop reading: `keelson explain | head`.
process.stdout.on('error', () => process.exit(0));

const exitCode = await keelson(process.argv.slice(2), processShell());
if (exitCode !== 0) process.exitCode = exitCode;
