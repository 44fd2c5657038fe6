/**
 * Arguments of a server that a user may add, as far as the API server can judge them.
 *
 * Refused is what would break the pod, the probes or what clients rely on, each with its reason. What memcached itself
 * does not know makes it exit, which the condition Degraded shows.
 */
import { rule } from '@keelson/schema/rules';
import { z } from 'zod';

interface Flags {
  /** Short options, each one letter. */
  readonly letters: string;
  /** Long options without their dashes. */
  readonly names: readonly string[];
  /** Words in the value of `-o`. */
  readonly words?: readonly string[];
}

interface Refused extends Flags {
  readonly why: string;
}

const memory = { letters: 'm', names: ['memory-limit'] };

/** What no version takes. */
const breaking: readonly Refused[] = [
  {
    letters: 'plUsa',
    names: ['port', 'listen', 'udp-port', 'unix-socket', 'unix-mask'],
    why: 'clients, probes and the Service find a server on port 11211 of its pod',
  },
  {
    letters: 'duPrk',
    names: ['daemon', 'user', 'pidfile', 'enable-coredumps', 'lock-memory'],
    why: 'a server runs in the foreground, as the user and with the rights of its pod',
  },
  { letters: 'hVi', names: ['help', 'version', 'license'], why: 'a server that prints and exits would never be ready' },
  { letters: 'A', names: ['enable-shutdown'], why: 'any client could end the server' },
];

const files: Refused = {
  letters: 'SZYe',
  names: ['enable-sasl', 'enable-ssl', 'auth-file', 'memory-file'],
  words: ['ssl_chain_cert', 'ssl_key', 'ext_path', 'proxy_config'],
  why: 'it needs files that the pod does not have',
};

/** Short options without a value, which may stand before another in one argument: `-vd`. */
const switches = 'vLMCFXW';

/** Matches an argument that is one of these flags, in a rule. */
export function flagPattern({ letters, names, words = [] }: Flags): string {
  const values = `^(-[${switches}]*o=?|--e[a-z]*=)?(.*,)?(${words.join('|')})(=|$)`;
  const options = [`^-[${switches}]*[${letters}]`, ...names.map((name) => `^--${prefixesOf(name)}(=|$)`)];
  return [...options, ...(words.length > 0 ? [values] : [])].join('|');
}

/** A long option and its beginnings, which getopt takes for it: from `--p` to `--port`. */
function prefixesOf(name: string): string {
  const [first = '', ...rest] = name;
  return `${first}${rest.map((letter) => `(${letter}`).join('')}${')?'.repeat(rest.length)}`;
}

const listed = ({ letters, names, words = [] }: Flags): string =>
  [...[...letters].map((letter) => `-${letter}`), ...names.map((name) => `--${name}`), ...words].join(', ');

const without = (...refused: readonly Refused[]) =>
  z
    .array(z.string().min(1).max(256))
    .max(32)
    .meta({
      'x-kubernetes-validations': refused.map((each) =>
        rule(`self.all(arg, !arg.matches('${flagPattern(each)}'))`, {
          message: `may not have ${listed(each)}: ${each.why}`,
        }),
      ),
    });

/** The field `spec.args` of v1alpha1, whose pods have no files. */
export const args = without({ ...memory, why: 'spec.memoryLimit sets the memory of a server' }, ...breaking, files);

/** The field `spec.config.extraArgs` of v1: what needs files finds them in volumes of the pod. */
export const extraArgs = without({ ...memory, why: 'spec.memory sets the memory of a server' }, ...breaking);
