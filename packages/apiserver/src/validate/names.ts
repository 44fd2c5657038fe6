/** Formats of names, label keys and label values, with Kubernetes' description of what is wrong. */

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain = `${label}(\\.${label})*`;
const label1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const qualifiedName = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';

const whole = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`);
const longest = (bytes: number, unit = 'characters'): string => `must be no more than ${bytes} ${unit}`;

export function formatError(message: string, pattern: string, ...examples: readonly string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(' or ');
  return `${message} (${examples.length > 0 ? `e.g. ${shown}` : ''}regex used for validation is '${pattern}')`;
}

interface Format {
  readonly pattern: RegExp;
  readonly maxBytes: number;
  readonly problem: string;
  /** How the limit is called: older checks count bytes and say characters. */
  readonly unit?: string;
}

const checked =
  ({ pattern, maxBytes, problem, unit }: Format) =>
  (name: string): readonly string[] => [
    ...(Buffer.byteLength(name) > maxBytes ? [longest(maxBytes, unit)] : []),
    ...(pattern.test(name) ? [] : [problem]),
  ];

export const subdomainProblems = checked({
  pattern: whole(subdomain),
  maxBytes: 253,
  problem: formatError(
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
    subdomain,
    'example.com',
  ),
});

const labelFormatProblems = checked({
  pattern: whole(label),
  maxBytes: 63,
  problem: formatError(
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
    label,
    'my-name',
    '123-abc',
  ),
});

/** A subdomain with dots is told so instead of being shown the whole format. */
export const labelProblems = (name: string): readonly string[] =>
  labelFormatProblems(name).map((problem) =>
    !problem.startsWith('must be') && whole(subdomain).test(name) ? 'must not contain dots' : problem,
  );

export const label1035Problems = checked({
  pattern: whole(label1035),
  maxBytes: 63,
  problem: formatError(
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
    label1035,
    'my-name',
    'abc-123',
  ),
});

const qualifiedNameProblem = formatError(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  qualifiedName,
  'MyName',
  'my.name',
  '123-abc',
);

/** Keys of labels and annotations, names of finalizers: a name with an optional domain before it. */
export function qualifiedNameProblems(value: string): readonly string[] {
  const parts = value.split('/');
  if (parts.length > 2) {
    return [
      `a valid label key ${qualifiedNameProblem} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = parts.at(-1) ?? '';
  const prefix = parts.length === 2 ? parts[0] : undefined;
  return [
    ...(prefix === '' ? ['prefix part must be non-empty'] : []),
    ...(prefix ? subdomainProblems(prefix).map((problem) => `prefix part ${problem}`) : []),
    ...(name === '' ? ['name part must be non-empty'] : []),
    ...(Buffer.byteLength(name) > 63 ? [`name part ${longest(63, 'bytes')}`] : []),
    ...(whole(qualifiedName).test(name) ? [] : [`name part ${qualifiedNameProblem}`]),
  ];
}

export const labelValueProblems = checked({
  pattern: whole(`(${qualifiedName})?`),
  maxBytes: 63,
  unit: 'bytes',
  problem: formatError(
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    `(${qualifiedName})?`,
    'MyValue',
    'my_value',
    '12345',
  ),
});

export const configKeyProblems = (key: string): readonly string[] => [
  ...(Buffer.byteLength(key) > 253 ? [longest(253)] : []),
  ...(/^[-._a-zA-Z0-9]+$/.test(key)
    ? []
    : [
        formatError(
          "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
          '[-._a-zA-Z0-9]+',
          'key.name',
          'KEY_NAME',
          'key-name',
        ),
      ]),
  ...(key === '.' ? ["must not be '.'"] : key === '..' ? ["must not be '..'"] : []),
];

/** What must hold of every name, since it becomes part of a path; the end of a generated one is still to come. */
export function pathSegmentProblems(name: string, prefix: boolean): readonly string[] {
  if (!prefix && (name === '.' || name === '..')) return [`may not be '${name}'`];
  return ['/', '%']
    .filter((character) => name.includes(character))
    .map((character) => `may not contain '${character}'`);
}

/** The check of a whole name as one for the beginning of a name: a dash at its end is no mistake. */
export const nameRule =
  (problems: (name: string) => readonly string[]) =>
  (name: string, prefix: boolean): readonly string[] =>
    problems(prefix && name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name);
