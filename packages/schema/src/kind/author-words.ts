/** What the API server would say of a CRD, said to the author of the kind: `spec.size` rather than `properties[spec]…`. */
import type { DefinitionProblem } from '../from-zod/definition-field.ts';
import type { Problem } from '../wording/problem.ts';

const step = /^(?:\.properties\[(?<name>[^\]]*)\]|\.(?<items>items)(?![\w[])|\.(?<values>additionalProperties)(?!\w))/;

/** `root` is where the schema stands in `problem.field`. */
export function inAuthorWords({ field, message, detail }: Problem, root: string): DefinitionProblem {
  let rest = field.startsWith(root) ? field.slice(root.length) : field;
  let path = '';
  for (let found = step.exec(rest); found !== null; found = step.exec(rest)) {
    const { name, items } = found.groups ?? {};
    path += items ? '[]' : `${path === '' ? '' : '.'}${name ?? '*'}`;
    rest = rest.slice(found[0].length);
  }
  // The value is what the author wrote, or a struct of the server's: it says nothing new.
  const said = detail === '' ? message : detail;
  return { field: path, message: rest === '' ? said : `${rest.replace(/^\./, '')}: ${said}` };
}
