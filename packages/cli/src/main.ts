#!/usr/bin/env node
/** The `keelson` command: reads the arguments, prints, exits. Everything else is in the packages it calls. */
import { enableCompileCache } from 'node:module';
import { keelson } from './program.ts';
import { processShell } from './shell.ts';

// What commands load when they are called is compiled once on this machine: a tenth of a second of `cluster start`.
enableCompileCache();

// Whoever reads the output may stop reading: `keelson explain | head`.
process.stdout.on('error', () => process.exit(0));

const exitCode = await keelson(process.argv.slice(2), processShell());
if (exitCode !== 0) process.exitCode = exitCode;
