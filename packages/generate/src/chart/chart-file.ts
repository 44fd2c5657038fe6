/** The files of a chart: documents, each there under its conditions. */
import { type GeneratedFile, templateFile } from '../generated-file.ts';
import { printTemplate } from '../yaml.ts';
import { chartObject } from './chart-installation.ts';

/** What stands around a document, such as `if $.Values.crds.install`; nested, the first one outside. */
export interface ChartDocument {
  readonly conditions?: readonly string[] | undefined;
  readonly object: object;
}

/** A template of Helm's with these documents; none where there are none. */
export function chartFile(name: string, documents: readonly ChartDocument[]): readonly GeneratedFile[] {
  if (documents.length === 0) return [];
  const texts = documents.map(({ conditions = [], object }) => {
    const text = `---\n${printTemplate(chartObject(object))}`;
    return conditions.reduceRight((inner, condition) => `{{- ${condition} }}\n${inner}{{- end }}\n`, text);
  });
  return [templateFile(`chart/templates/${name}`, texts.join(''))];
}
