/**
 * Rules for names, label keys and their like: what is wrong with a text, in the words of the API server.
 *
 * Every limit counts bytes. The rules for names call them characters, those for keys and values of labels bytes.
 */

/** What is wrong with a text; nothing when it is fine. */
export type NameRule = (text: string) => readonly string[];

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain = `${label}(\\.${label})*`;
const label1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const key = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const value = `(${key})?`;

const whole = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`);
const isSubdomain = whole(subdomain);

/** What is said of a text that does not match; the two spaces before "or" come from the real server. */
export function formatError(message: string, pattern: string, ...examples: readonly string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(' or ');
  return `${message} (${examples.length > 0 ? `e.g. ${shown}` : ''}regex used for validation is '${pattern}')`;
}

interface Format {
  readonly pattern: string;
  readonly maxBytes: number;
  readonly unit: 'bytes' | 'characters';
  readonly message: string;
  readonly examples: readonly string[];
}

function nameRule({ pattern, maxBytes, unit, message, examples }: Format): NameRule {
  const expression = whole(pattern);
  const problem = formatError(message, pattern, ...examples);
  return (text) => [
    ...(Buffer.byteLength(text) > maxBytes ? [`must be no more than ${maxBytes} ${unit}`] : []),
    ...(expression.test(text) ? [] : [problem]),
  ];
}

const subdomainFormat = {
  pattern: subdomain,
  maxBytes: 253,
  message:
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  examples: ['example.com'],
};

/** Names of most objects, and groups. */
export const subdomainProblems: NameRule = nameRule({ ...subdomainFormat, unit: 'characters' });

const prefixProblems: NameRule = nameRule({ ...subdomainFormat, unit: 'bytes' });

const plainLabelProblems: NameRule = nameRule({
  pattern: label,
  maxBytes: 63,
  unit: 'characters',
  message:
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  examples: ['my-name', '123-abc'],
});

/** Names of namespaces. A subdomain is told that it has dots, and not the whole format. */
export const labelProblems: NameRule = (text) =>
  plainLabelProblems(text).map((problem) =>
    !problem.startsWith('must be') && isSubdomain.test(text) ? 'must not contain dots' : problem,
  );

/** Names of services, and of kinds in lower case: they begin with a letter. */
export const label1035Problems: NameRule = nameRule({
  pattern: label1035,
  maxBytes: 63,
  unit: 'characters',
  message:
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  examples: ['my-name', 'abc-123'],
});

const keyFormat = {
  pattern: key,
  maxBytes: 63,
  unit: 'bytes',
  message:
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  examples: ['MyName', 'my.name', '123-abc'],
} as const;

const keyProblems: NameRule = nameRule(keyFormat);
const keyProblem = formatError(keyFormat.message, key, ...keyFormat.examples);

/** Keys of labels and annotations, and finalizers: a name, and a domain before it if there is a slash. */
export const qualifiedNameProblems: NameRule = (text) => {
  const parts = text.split('/', 3);
  if (parts.length > 2) {
    return [
      `a valid label key ${keyProblem} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const [prefix, name] = parts.length === 2 ? [parts[0] ?? '', parts[1] ?? ''] : [undefined, text];
  const empty = 'must be non-empty';
  const ofPrefix = prefix === undefined ? [] : prefix === '' ? [empty] : prefixProblems(prefix);
  return [
    ...ofPrefix.map((problem) => `prefix part ${problem}`),
    ...[...(name === '' ? [empty] : []), ...keyProblems(name)].map((problem) => `name part ${problem}`),
  ];
};

/** Values of labels. */
export const labelValueProblems: NameRule = nameRule({
  pattern: value,
  maxBytes: 63,
  unit: 'bytes',
  message:
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  examples: ['MyValue', 'my_value', '12345'],
});

const plainConfigKeyProblems: NameRule = nameRule({
  pattern: '[-._a-zA-Z0-9]+',
  maxBytes: 253,
  unit: 'characters',
  message: "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  examples: ['key.name', 'KEY_NAME', 'key-name'],
});

/** Keys of the data of ConfigMaps and Secrets. */
export const configKeyProblems: NameRule = (text) => [
  ...plainConfigKeyProblems(text),
  ...(text === '.' || text === '..' ? [`must not be '${text}'`] : []),
];

/** What must hold of every name, since it becomes part of a path; the end of a generated one is still to come. */
export function pathSegmentProblems(name: string, isPrefix: boolean): readonly string[] {
  if (!isPrefix && (name === '.' || name === '..')) return [`may not be '${name}'`];
  return ['/', '%'].filter((char) => name.includes(char)).map((char) => `may not contain '${char}'`);
}

/** The rule for a whole name as one for the beginning of a name too: a dash at its end is no mistake. */
export function orPrefix(rule: NameRule): (name: string, isPrefix: boolean) => readonly string[] {
  return (name, isPrefix) => rule(isPrefix && name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name);
}
