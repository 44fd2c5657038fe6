/** Where subjects are started: the compiled programs, and the cluster that they talk to. */
import type { Clock } from '@keelson/core';
import type { Figures } from '../subjects/subject.ts';
import { SubjectProcess } from './subject-process.ts';

export class Stage {
  readonly clock: Clock;
  readonly #subjects: string;

  /** @param subjects the folder with their programs */
  constructor(subjects: string, clock: Clock) {
    this.#subjects = subjects;
    this.clock = clock;
  }

  start(program: string, ...args: readonly string[]): SubjectProcess {
    return new SubjectProcess(this.#subjects, program, args, this.clock);
  }

  /** Has a fresh process do one task, and returns what it tells. */
  async run(program: string, ...args: readonly string[]): Promise<Figures> {
    await using subject = this.start(program, ...args);
    return await subject.figures();
  }
}

/** The figures that a benchmark's measures ask for, in their order. */
export function pick(figures: Figures, names: readonly string[]): number[] {
  return names.map((name) => figures[name] ?? Number.NaN);
}
