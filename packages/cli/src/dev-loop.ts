/**
 * Runs an operator, and starts it again whenever its sources change.
 *
 * Promises: what cannot be loaded leaves the one from before at work; two never work at once; nothing is left running in
 * the end. A process stands by that has loaded everything but the author's sources, so that a restart is quick.
 */
import { relative } from 'node:path';
import type { Client } from '@keelson/client';
import { systemClock } from '@keelson/core/system';
import type { Loaded } from './dev-messages.ts';
import { OperatorProcess } from './dev-process.ts';
import { applySamples, sampleFiles } from './dev-samples.ts';
import { type Change, watchSources } from './dev-sources.ts';
import type { DevWebhooks } from './dev-webhooks.ts';
import { applyDefinitions, lineOf } from './install.ts';
import { findOperator, type ModulePlace } from './operator-module.ts';
import { painted } from './print.ts';
import { aborted, type Shell } from './shell.ts';

/** Ports may be taken on this machine, and a restart waits for nobody for long, least of all for a Lease. */
const engineFlags = ['--health-port', '0', '--metrics-port', '0', '--grace-period', '2', '--no-leader-elect'];

/** Where the operator works. */
export interface Workplace {
  readonly client: Client;
  /** By which the operator finds the cluster. */
  readonly env: NodeJS.ProcessEnv;
  /** Gives the operator the rights that it needs, and says as whom it then works. */
  readonly admit: (operator: Loaded) => Promise<string>;
  /** How the cluster asks its webhooks. @default it does not */
  readonly webhooks?: DevWebhooks | undefined;
}

export interface LoopOptions {
  readonly operator?: string | undefined;
  readonly samples?: boolean | undefined;
  /** For the operator itself. */
  readonly argv: readonly string[];
}

/** A process with the sources in it, and what they need. */
interface Ready {
  readonly process: OperatorProcess;
  readonly loaded: Loaded;
}

export class DevLoop implements AsyncDisposable {
  readonly #workplace: Workplace;
  readonly #options: LoopOptions;
  readonly #shell: Shell;
  #standby: OperatorProcess;
  #current: OperatorProcess | undefined;
  #hasRun = false;
  /** Samples that are not in the cluster yet. */
  #unapplied: readonly string[] = [];

  constructor(workplace: Workplace, options: LoopOptions, shell: Shell) {
    this.#workplace = workplace;
    this.#options = options;
    this.#shell = shell;
    this.#standby = OperatorProcess.waiting(workplace.env);
  }

  /** Until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const stopped = aborted(signal);
    let next = Promise.withResolvers<Change>();
    using sources = watchSources({
      onChange: (change) => next.resolve(change),
      onError: (error) => this.#shell.err(`The sources are no longer watched: ${error.message}\n`),
    });
    for (let change: Change | undefined; !signal.aborted; ) {
      next = Promise.withResolvers();
      try {
        const place = await findOperator(this.#choice);
        sources.follow(place);
        await this.#turn(place, change, Promise.race([next.promise, stopped]), signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#tellFailure(error);
      }
      change = (await Promise.race([next.promise, stopped])) ?? undefined;
      if (change !== undefined) this.#shell.out(`${change.path} has changed.\n`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#standby.stop(), this.#current?.stop()]);
  }

  get #choice() {
    return { cwd: this.#shell.cwd, operator: this.#options.operator };
  }

  /** Loads what is there now, and runs it in place of the one before. */
  async #turn(
    place: ModulePlace,
    change: Change | undefined,
    interrupted: Promise<unknown>,
    signal: AbortSignal,
  ): Promise<void> {
    const ready = await this.#load(interrupted);
    if (ready === undefined) return;
    const { loaded } = ready;
    let how: string;
    try {
      how = await this.#replace(ready, signal);
    } catch (error) {
      await ready.process.stop();
      throw error;
    }
    const runs = `${loaded.name} runs ${how}`;
    const after = change && ` again, after ${Math.round(systemClock.monotonic() - change.since)} ms`;
    if (this.#hasRun) this.#shell.out(`${runs}${after}.\n`);
    else {
      this.#hasRun = true;
      this.#shell.out(`${runs}. Its sources are watched; Ctrl-C ends everything.\n`);
      this.#unapplied = await sampleFiles(place.folder);
      if (!this.#options.samples && this.#unapplied.length > 0) {
        this.#shell.out('Make objects of its kinds by "kubectl apply -f config/samples", or begin with --samples.\n');
      }
    }
    if (this.#options.samples) await this.#applySamples();
  }

  /** What stands by loads the sources; nothing, when the next change comes before it has. */
  async #load(interrupted: Promise<unknown>): Promise<Ready | undefined> {
    const process = this.#standby;
    try {
      const loading = process.load(this.#choice, this.#workplace.webhooks?.place);
      // A module may wait for something for ever; the next change ends that.
      const loaded = await Promise.race([loading, interrupted.then(() => undefined)]);
      loading.catch(() => {});
      if (loaded !== undefined) return { process, loaded };
      await process.stop();
      return undefined;
    } catch (error) {
      await process.stop();
      throw error;
    } finally {
      // Now, not when this one runs: the very next change may come a moment after that.
      this.#standby = OperatorProcess.waiting(this.#workplace.env);
    }
  }

  /** Brings the cluster up to date, ends the one that runs, and says as whom the next one then works. */
  async #replace({ process, loaded }: Ready, signal: AbortSignal): Promise<string> {
    const { client, admit, env, webhooks } = this.#workplace;
    const installed = await applyDefinitions(client, loaded.definitions, signal);
    for (const each of installed) if (each.result !== 'unchanged') this.#shell.out(lineOf(each, this.#shell));
    const [how] = await Promise.all([admit(loaded), this.#current?.stop()]);
    const { name, program } = loaded;
    const started = program === undefined ? process : OperatorProcess.program(program, this.#options.argv, env);
    if (program === undefined) started.go([...engineFlags, ...(webhooks?.flags ?? []), ...this.#options.argv]);
    else await process.stop();
    this.#current = started;
    started.onEndedAlone((how) => {
      this.#shell.err(`${name} has ended (${how}); it is started again with the next change.\n`);
    });
    await webhooks?.answering(loaded, signal);
    return how;
  }

  /** Those that could not be applied are tried again with each change. */
  async #applySamples(): Promise<void> {
    const results = await applySamples(this.#workplace.client, this.#unapplied);
    this.#unapplied = results.filter(({ problem }) => problem !== undefined).map(({ file }) => file);
    for (const { file, applied, problem } of results) {
      this.#shell.out(applied.map((each) => `Applied ${each}\n`).join(''));
      if (problem === undefined) continue;
      const text = `${relative(this.#shell.cwd, file)}: ${problem}`;
      this.#shell.err(`${painted(this.#shell, 'red', text)}\nIt is tried again with the next change.\n`);
    }
  }

  #tellFailure(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    const rest = this.#current?.isOver === false ? ' The one from before goes on.' : '';
    this.#shell.err(`${painted(this.#shell, 'red', text)}\nWaiting for the next change.${rest}\n`);
  }
}
