/** Rules for names, labels and their like: what is wrong with a text, in the words of the API server. */

/** Nothing when the text is fine. */
export type NameRule = (text: string) => readonly string[];

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain = `${label}(\\.${label})*`;
const label1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const key = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const value = `(${key})?`;

export const dns1123Label: NameRule = (text) => [
  ...maxBytes(text, 63),
  ...(matches(label, text)
    ? []
    : matches(subdomain, text)
      ? ['must not contain dots']
      : [
          regexText(
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
            label,
            ['my-name', '123-abc'],
          ),
        ]),
];

export const dns1123Subdomain: NameRule = (text) => [
  ...maxBytes(text, 253),
  ...unless(
    matches(subdomain, text),
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
    subdomain,
    ['example.com'],
  ),
];

// The one rule that counts its bytes as characters.
export const dns1035Label: NameRule = (text) => [
  ...maxBytes(text, 63).map((message) => message.replace('bytes', 'characters')),
  ...unless(
    matches(label1035, text),
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
    label1035,
    ['my-name', 'abc-123'],
  ),
];

const keyText =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const keyExamples = ['MyName', 'my.name', '123-abc'];

/** Keys of labels and annotations, and finalizers: a name, and a domain before it if there is a slash. */
export const qualifiedName: NameRule = (text) => {
  const parts = text.split('/');
  const name = parts.at(-1) ?? '';
  if (parts.length > 2) {
    const form = regexText(keyText, key, keyExamples);
    return [`a valid label key ${form} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const prefix = parts.length === 2 ? (parts[0] ?? '') : undefined;
  return [
    ...(prefix === undefined ? [] : prefix === '' ? ['must be non-empty'] : dns1123Subdomain(prefix)).map(
      (message) => `prefix part ${message}`,
    ),
    ...[
      ...(name === '' ? ['must be non-empty'] : maxBytes(name, 63)),
      ...unless(matches(key, name), keyText, key, keyExamples),
    ].map((message) => `name part ${message}`),
  ];
};

export const labelValue: NameRule = (text) => [
  ...maxBytes(text, 63),
  ...unless(
    matches(value, text),
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    value,
    ['MyValue', 'my_value', '12345'],
  ),
];

/** Names that can stand in a URL. */
export const pathSegment: NameRule = (text) =>
  text === '.' || text === '..' ? [`may not be '${text}'`] : pathSegmentPrefix(text);

export const pathSegmentPrefix: NameRule = (text) =>
  ['/', '%'].filter((char) => text.includes(char)).map((char) => `may not contain '${char}'`);

function matches(pattern: string, text: string): boolean {
  return new RegExp(`^(?:${pattern})$`).test(text);
}

function maxBytes(text: string, max: number): readonly string[] {
  return Buffer.byteLength(text) > max ? [`must be no more than ${max} bytes`] : [];
}

function unless(isFine: boolean, text: string, pattern: string, examples: readonly string[]): readonly string[] {
  return isFine ? [] : [regexText(text, pattern, examples)];
}

// The two spaces before "or" come from the real server.
function regexText(text: string, pattern: string, examples: readonly string[]): string {
  return `${text} (e.g. ${examples.map((example) => `'${example}', `).join(' or ')}regex used for validation is '${pattern}')`;
}
