/**
 * `npm run conformance -- --kubeconfig FILE [--only SUBSTRING] [--json FILE] [--concurrency N]`: the command.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { casesOf } from './case.ts';
import { areas } from './cases/index.ts';
import { readKubeconfig } from './kubeconfig.ts';
import { type Result, runCases } from './run.ts';
import { Session } from './session.ts';

const usage = 'usage: npm run conformance -- --kubeconfig FILE [--only SUBSTRING] [--json FILE] [--concurrency N]';

process.exitCode = await main();

async function main(): Promise<number> {
  const options = readOptions();
  if (!options) {
    console.error(usage);
    return 2;
  }
  const chosen = casesOf(areas).filter(({ name }) => name.includes(options.only));
  if (chosen.length === 0) {
    console.error(`no case has ${JSON.stringify(options.only)} in its name`);
    return 2;
  }
  const session = new Session(readKubeconfig(options.kubeconfig));
  let results: Result[];
  let leftBehind: string[];
  try {
    results = await runCases(session, chosen, { concurrency: options.concurrency, report: print });
  } finally {
    leftBehind = await session.close();
  }
  for (const line of leftBehind) console.log(`left behind: ${line}`);
  if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(results.map(plain), null, 2));
  return summarise(results);
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        kubeconfig: { type: 'string' },
        only: { type: 'string', default: '' },
        json: { type: 'string' },
        concurrency: { type: 'string', default: '4' },
      },
    });
    const concurrency = Number(values.concurrency);
    if (values.kubeconfig === undefined || !(concurrency >= 1)) return undefined;
    return { ...values, kubeconfig: values.kubeconfig, concurrency };
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return undefined;
  }
}

function print({ case: { name }, outcome }: Result): void {
  if (outcome.type === 'failed') console.log(`FAILED ${name}\n${outcome.report.replace(/^/gm, '    ')}`);
  else if (outcome.type === 'passed') console.log(`passed ${name} (${outcome.tookMs} ms)`);
  if (outcome.type !== 'skipped') for (const line of outcome.leftBehind) console.log(`    left behind: ${line}`);
}

function summarise(results: readonly Result[]): number {
  const reasons = new Map<string, number>();
  for (const { outcome } of results) {
    if (outcome.type === 'skipped') reasons.set(outcome.reason, (reasons.get(outcome.reason) ?? 0) + 1);
  }
  for (const [reason, count] of reasons) console.log(`${count} skipped: ${reason}`);
  const count = (type: string) => results.filter(({ outcome }) => outcome.type === type).length;
  const failed = count('failed');
  if (failed > 0) {
    console.log('failed:');
    for (const { case: each, outcome } of results) if (outcome.type === 'failed') console.log(`  ${each.name}`);
  }
  console.log(`${count('passed')} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

function plain({ case: { area, sentence, needs }, outcome }: Result) {
  return { area, sentence, needs, ...outcome };
}
