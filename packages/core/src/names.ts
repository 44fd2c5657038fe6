/** Names with a form: keys and values of labels, finalizers. What is wrong with a text, or `undefined`. */

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const word = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const wordText = "must begin and end with a letter or digit, with letters, digits, '-', '_' and '.' in between";

/** A key of a label or an annotation: a name of at most 63 characters, and a domain and `/` before it if wanted. */
export function qualifiedNameProblem(text: string): string | undefined {
  const [first = '', second, third] = text.split('/', 3);
  if (third !== undefined) return "it has more than one '/'";
  const [name, prefix] = second === undefined ? [first, undefined] : [second, first];
  if (prefix !== undefined && (prefix.length > 253 || !subdomain.test(prefix))) {
    return "before the '/' there must be a domain in lower case of at most 253 characters, such as 'example.com'";
  }
  if (name === '') return prefix === undefined ? 'it is empty' : "there is nothing after the '/'";
  if (name.length > 63) return `the name has ${name.length} characters, and may have 63`;
  return word.test(name) ? undefined : `the name ${wordText}`;
}

export function labelValueProblem(text: string): string | undefined {
  if (text.length > 63) return `it has ${text.length} characters, and may have 63`;
  return text === '' || word.test(text) ? undefined : `it ${wordText}`;
}

/** Enough of a foreign text to recognise it in a message. */
const maxShown = 1000;

export function cut(text: string): string {
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}

export function quoted(text: string): string {
  return JSON.stringify(cut(text));
}
