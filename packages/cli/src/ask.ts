/**
 * What no flag says: asked on a terminal, a default elsewhere.
 *
 * Promises: a script is never asked, and told which flag is missing. An answer and a flag are held to the same rule.
 */
import type { Readable, Writable } from 'node:stream';
import type { NameProblem } from '@keelson/generate/scaffold';
import { CommandError, UsageError } from './command-error.ts';
import type { Shell } from './shell.ts';

/** Puts a question to a person; `undefined` when that one does not want to go on. */
export interface Prompts {
  text(question: string, otherwise: string | undefined, problem: NameProblem): Promise<string | undefined>;
  yesNo(question: string, otherwise: boolean): Promise<boolean | undefined>;
}

/** A text that may be said by a flag. */
interface TextQuestion {
  readonly question: string;
  readonly problem: NameProblem;
  /** Without it, somebody has to say something. */
  readonly otherwise?: string | undefined;
}

/** Gives the values of flags, by their names. */
export class Asker<Flags extends object> {
  readonly flags: Flags;
  readonly #shell: Shell;
  readonly #prompts: Prompts;

  constructor(flags: Flags, shell: Shell, prompts: Prompts) {
    this.flags = flags;
    this.#shell = shell;
    this.#prompts = prompts;
  }

  /** A `UsageError` says what is wrong with the flag, or that it is missing. */
  async text(flag: keyof Flags & string, { question, problem, otherwise }: TextQuestion): Promise<string> {
    const given = this.flags[flag] as string | undefined;
    if (given === undefined && this.#shell.isInteractive) {
      return decided(await this.#prompts.text(question, otherwise, problem));
    }
    const value = given ?? otherwise;
    if (value === undefined) throw new UsageError(`--${flag} is missing`, 'there is no terminal to ask for it');
    const wrong = problem(value);
    if (wrong !== undefined) throw new UsageError(`--${flag}: ${wrong}.`);
    return value;
  }

  /** Yes, unless a flag or a person says no. */
  async yes(flag: keyof Flags & string, question: string): Promise<boolean> {
    const given = this.flags[flag] as boolean | undefined;
    if (given !== undefined || !this.#shell.isInteractive) return given ?? true;
    return decided(await this.#prompts.yesNo(question, true));
  }
}

function decided<T>(answer: T | undefined): T {
  if (answer === undefined) throw new CommandError('nothing was written.');
  return answer;
}

/** By clack, which is loaded with the first question; other streams are for tests. */
export function terminalPrompts(streams: { readonly input?: Readable; readonly output?: Writable } = {}): Prompts {
  return {
    async text(message, otherwise, problem) {
      const { isCancel, text } = await import('@clack/prompts');
      const answer = await text({
        message,
        ...(otherwise && { defaultValue: otherwise, placeholder: otherwise }),
        validate: (value) => problem(value || (otherwise ?? '')),
        ...streams,
      });
      return isCancel(answer) ? undefined : (answer ?? '');
    },
    async yesNo(message, initialValue) {
      const { confirm, isCancel } = await import('@clack/prompts');
      const answer = await confirm({ message, initialValue, ...streams });
      return isCancel(answer) ? undefined : answer;
    },
  };
}
