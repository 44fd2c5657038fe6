/** Regular expressions of RE2, which the API server uses: linear in time, and without look-around. */
import { RE2JS, RE2JSSyntaxException } from 're2js';

/** A regular expression that compiled. */
export type RegularExpression = RE2JS;

/** The expression, or why it is none, in the words of Go's `regexp`. */
export function regularExpression(pattern: string): RegularExpression | { readonly problem: string } {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    // Go quotes what is left of the expression also when nothing is left.
    return { problem: error.message.includes('`') ? error.message : `${error.message}: \`\`` };
  }
}
