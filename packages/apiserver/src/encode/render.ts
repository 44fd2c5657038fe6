/** The last touch to an answer: YAML for those who prefer it, indented JSON for people who look at it. */
import { type ApiRequest, type ApiResponse, isStream } from '../request/exchange.ts';
import { prefersYaml } from './negotiate.ts';

/** The answer in the form of its reader; what is no plain JSON stays as it is. */
export function render(request: ApiRequest, response: ApiResponse): ApiResponse | Promise<ApiResponse> {
  const wantsYaml = prefersYaml(request.headers.accept);
  if (!wantsYaml && !wantsIndented(request)) return response;
  const { body } = response;
  if (isStream(body) || !isPlainJson(response)) return response;
  const text = Buffer.concat(body).toString();
  if (!wantsYaml)
    return { ...response, body: [Buffer.from(unlessTooDeep(text, (value) => JSON.stringify(value, null, 2)))] };
  return asYaml(response, text);
}

async function asYaml(response: ApiResponse, text: string): Promise<ApiResponse> {
  const { stringify } = await import('yaml');
  // As Go's library writes it: members in order, and what an older reader would take for something else in quotes.
  const style = { aliasDuplicateObjects: false, lineWidth: 0, sortMapEntries: true, indentSeq: false } as const;
  const yaml = unlessTooDeep(text, (value) => stringify(value, { ...style, compat: 'yaml-1.1' }));
  return {
    ...response,
    headers: { ...response.headers, 'content-type': 'application/yaml' },
    body: [Buffer.from(yaml)],
  };
}

/** What is too deep for the stack stays on its one line: that is JSON, and YAML as well. */
function unlessTooDeep(json: string, print: (value: unknown) => string): string {
  try {
    return print(JSON.parse(json));
  } catch (error) {
    if (error instanceof RangeError) return json;
    throw error;
  }
}

function isPlainJson({ headers, body }: ApiResponse): boolean {
  const type = headers['content-type'];
  return type === 'application/json' && headers['content-encoding'] === undefined && body.length > 0;
}

const people = /^(?:curl|Wget|Mozilla\/5\.0)/;

function wantsIndented({ query, headers }: ApiRequest): boolean {
  const asked = query.get('pretty');
  return asked === null ? people.test(headers['user-agent'] ?? '') : asked === 'true' || asked === '1';
}
