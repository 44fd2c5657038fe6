/**
 * What a container's command would do, for the few commands that can be followed without a machine: `echo`, `sleep`,
 * `exit`, `true` and `false`, alone, after `exec`, or one after the other in `sh -c`. Of any other nothing is known.
 *
 * Does not: expand variables other than `$(NAME)` from the container's own `env`, or know pipes, loops and redirections.
 */
import type { Container } from '@keelson/core/v1';

/** Something that is written to the log, so long after the start. */
export interface Output {
  readonly afterMs: number;
  readonly text: string;
}

/** What a command writes, and how it ends. */
export interface Program {
  readonly output: readonly Output[];
  readonly runsForMs: number;
  readonly exitCode: number;
}

/** `undefined` when the command is not one of the few; what the image runs by itself is never known. */
export function programOf({ command = [], args = [], env = [] }: Container): Program | undefined {
  const values = new Map(env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const])));
  const words = [...command, ...args].map((word) =>
    // Two dollars are one that is meant.
    word.replaceAll(/\$(?:\$|\(([\w.-]+)\))/g, (found, name?: string) =>
      name === undefined ? '$' : (values.get(name) ?? found),
    ),
  );
  const [program = '', option = '', script = ''] = words;
  if (command.length === 0) return undefined;
  const isShell = /^(?:\/(?:usr\/)?bin\/)?(?:ba|a|da)?sh$/.test(program);
  if (!isShell) return follow([{ words: [program.replace(/^\/(?:usr\/)?bin\//, ''), ...words.slice(1)], on: 'any' }]);
  if (!/^-[eux]*c$/.test(option)) return undefined;
  const statements = statementsOf(script);
  return statements && follow(statements, option.includes('e'));
}

interface Statement {
  readonly words: readonly string[];
  /** Whether it runs whatever the one before said, or only if that went well, or badly. */
  readonly on: 'any' | 'success' | 'failure';
}

const separators: Readonly<Record<string, Statement['on']>> = {
  ';': 'any',
  '\n': 'any',
  '&&': 'success',
  '||': 'failure',
};

/** Words and separators of a small shell script; `undefined` when there is more in it than that. */
function statementsOf(script: string): readonly Statement[] | undefined {
  const statements: { words: string[]; on: Statement['on'] }[] = [{ words: [], on: 'any' }];
  const token = /[ \t]+|(&&|\|\||;|\n)|((?:'[^']*'|"[^"$`\\]*"|[^\s'"$`\\;&|<>(){}*?#]+)+)/y;
  while (token.lastIndex < script.length) {
    const [, separator, word] = token.exec(script) ?? [undefined];
    if (token.lastIndex === 0) return undefined;
    if (separator !== undefined) statements.push({ words: [], on: separators[separator] ?? 'any' });
    else if (word !== undefined) statements.at(-1)?.words.push(word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'));
  }
  return statements.filter(({ words }) => words.length > 0);
}

function follow(statements: readonly Statement[], endsOnFailure = false): Program | undefined {
  const output: Output[] = [];
  let runsForMs = 0;
  let exitCode = 0;
  for (const { words, on } of statements) {
    const isLast = words[0] === 'exec';
    const [name = '', ...rest] = isLast ? words.slice(1) : words;
    if (on !== 'any' && (on === 'success') !== (exitCode === 0)) continue;
    switch (name) {
      case 'echo':
        output.push({ afterMs: runsForMs, text: echoed(rest) });
        exitCode = 0;
        break;
      case 'sleep':
        runsForMs += sleptMs(rest[0] ?? '');
        if (Number.isNaN(runsForMs)) return undefined;
        exitCode = 0;
        break;
      case 'true':
      case 'false':
        exitCode = name === 'true' ? 0 : 1;
        break;
      case 'exit':
        if (!/^\d{1,3}$/.test(rest[0] ?? '0')) return undefined;
        return { output, runsForMs, exitCode: rest[0] === undefined ? exitCode : Number(rest[0]) & 255 };
      default:
        return undefined;
    }
    if (isLast || (endsOnFailure && exitCode !== 0)) break;
  }
  return { output, runsForMs, exitCode };
}

function echoed(words: readonly string[]): string {
  const isBare = words[0] === '-n';
  return words.slice(isBare ? 1 : 0).join(' ') + (isBare ? '' : '\n');
}

const units: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3600, d: 86_400 };

function sleptMs(text: string): number {
  if (/^inf(inity)?$/.test(text)) return Number.POSITIVE_INFINITY;
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(text) ?? [];
  return amount === undefined ? Number.NaN : Number(amount) * (units[unit] ?? 1) * 1000;
}
