/** YAML whose anchor holds an alias of itself: a value without end, which Go's parser refuses. */
import type { Document, Node } from 'yaml';

type Yaml = typeof import('yaml');

/** The first anchor that is used inside its own value. An alias knows what stands before it only, so it need not be followed. */
export function ownAlias(yaml: Yaml, document: Document): string | undefined {
  let found: string | undefined;
  yaml.visit(document, {
    Alias(_, alias, around) {
      const isAround = around.some((each) => (each as Partial<Node & { anchor: string }>).anchor === alias.source);
      // One further inside may have taken the name over, which is dear to find out.
      if (!isAround || !around.includes(alias.resolve(document) as Node)) return undefined;
      found = alias.source;
      return yaml.visit.BREAK;
    },
  });
  return found;
}
