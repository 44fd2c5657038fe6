/**
 * Writes docs/npm-start.svg: what `npm start` really prints, until the sample is available.
 *
 * What differs between two runs (times, ports, random names, the temporary folder) is the same in every picture, so
 * that it changes only when the output does. A test compares the picture with another run.
 */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { env, execPath } from 'node:process';
import { terminalSvg } from './terminal-svg.ts';
import { root } from './workspace.ts';

export const picture = join(root, 'docs/npm-start.svg');
export const columns = 110;

/** What `npm start` prints until the sample is available, in colour. */
export async function recordStart(): Promise<string> {
  const child = spawn(execPath, ['demo/src/main.ts'], { cwd: root, env: { ...env, FORCE_COLOR: '1' } });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      if (/Available=True[^\n]*\n/.test(printed)) child.kill('SIGINT');
    });
  }
  await new Promise((resolve) => child.once('close', resolve));
  const [until] = /^[\s\S]*Available=True[^\n]*\n/.exec(printed) ?? [];
  if (until === undefined) throw new Error(`npm start ended before the sample was available:\n${printed}`);
  return until;
}

/** The output with what differs between two runs made the same. */
export function withoutChance(text: string): string {
  const suffixes = new Map<string, string>();
  const suffix = (name: string) => {
    if (!suffixes.has(name)) suffixes.set(name, ['x7k2p', 'b9wdq', 'm4zfs'][suffixes.size] ?? name);
    return suffixes.get(name) ?? name;
  };
  return text
    .replace(/\d\d:\d\d:\d\d/g, '09:41:00')
    .replace(/https:\/\/127\.0\.0\.1:\d+/g, 'https://127.0.0.1:6443')
    .replace(/(health|metrics)(.*127\.0\.0\.1:)\d+/g, (_, name: string, between: string) => {
      return `${name}${between}${name === 'health' ? 8081 : 8080}`;
    })
    .replace(/KUBECONFIG=\S+/g, 'KUBECONFIG=/tmp/keelson/kubeconfig')
    .replace(/sample-[a-z0-9]+-([a-z0-9]{5})\b/g, (_, random: string) => `sample-7688c76f5c-${suffix(random)}`);
}

if (import.meta.main) {
  const text = `$ npm start\n${withoutChance(await recordStart())}`;
  writeFileSync(picture, terminalSvg(text, { columns, title: 'npm start: a cluster, an operator and its sample' }));
}
