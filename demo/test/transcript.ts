/**
 * Pages with transcripts of a terminal, run as they stand: what a page shows is what happens.
 *
 * In a block of the language `console`, a line after `$ ` is a command for sh, up to the next one is what it prints. In
 * that, `…` stands for anything in a line, and a line of its own for any number of lines. Spaces count once, and
 * empty lines not at all. A command that only reads is asked again until it prints that: what it reads of is the work of
 * others, and each of them follows in its own time.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { deadline, sleep } from '@keelson/core';
import { systemClock } from '@keelson/core/system';

interface Step {
  readonly line: number;
  readonly command: string;
  readonly expected: string;
}

/** The steps of a page, in their order. */
export function stepsOf(page: string): readonly Step[] {
  const steps: { line: number; command: string; expected: string[] }[] = [];
  let isInside = false;
  for (const [index, text] of page.split('\n').entries()) {
    if (text.startsWith('```')) isInside = text === '```console';
    else if (isInside && text.startsWith('$ ')) steps.push({ line: index + 1, command: text.slice(2), expected: [] });
    else if (isInside) steps.at(-1)?.expected.push(text);
  }
  return steps.map((step) => ({ ...step, expected: step.expected.join('\n') }));
}

/** Whether what was printed is what the page shows. */
export function isAsShown(printed: string, shown: string): boolean {
  const lines = (text: string) =>
    text
      .split('\n')
      .map((line) => line.trim().replaceAll(/\s+/g, ' '))
      .filter((line) => line !== '');
  const escaped = (line: string) =>
    line
      .split('…')
      .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
      .join('.*');
  const pattern = lines(shown)
    .map((line) => (line === '…' ? '(?:.*\n)*?' : `${escaped(line)}\n`))
    .join('');
  const text = lines(printed).map((line) => `${line}\n`);
  return new RegExp(`^${pattern}$`).test(text.join(''));
}

/** What is printed when it is as shown, or, of a command that changes something, in any case. */
export async function printedAsShown(
  { command, expected }: Pick<Step, 'command' | 'expected'>,
  run: () => Promise<string>,
  clock = systemClock,
): Promise<string> {
  using limit = deadline(clock, 180_000, command);
  for (;;) {
    const printed = await run();
    if (!onlyReads.test(command) || isAsShown(printed, expected) || limit.signal.aborted) return printed;
    await sleep(clock, 200);
  }
}

const onlyReads = /^kubectl (get|describe|logs)\b[^|;&]*$/;

/** A test for each step of the page, in order; `env` is where kubectl finds the cluster. */
export async function transcriptTests(
  page: URL,
  env: () => Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const steps = stepsOf(await readFile(page, 'utf8'));
  assert.ok(steps.length > 0, `${page.pathname} has no transcript`);
  for (const step of steps) {
    const { line, command, expected } = step;
    test(`line ${line}: ${command}`, async () => {
      const printed = await printedAsShown(step, () => run(command, env()));
      assert.ok(isAsShown(printed, expected), `it printed\n${printed}\nand the page shows\n${expected}`);
    });
  }
}

async function run(command: string, env: Readonly<Record<string, string | undefined>>): Promise<string> {
  const child = spawn('sh', ['-c', `exec 2>&1; ${command}`], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 360_000,
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  await once(child, 'close');
  return printed;
}
