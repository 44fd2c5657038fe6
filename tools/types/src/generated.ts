/** All that is generated from the documents: files by folder. */
import { buildModel } from './build.ts';
import { parse, type Snapshot } from './documents.ts';
import { facts } from './facts.ts';
import { fieldFacts } from './field-facts.ts';
import { fieldSchemasOf } from './field-schemas.ts';
import { schemasFolder, typesFolder } from './folders.ts';
import type { Files } from './output.ts';
import { headerOf, printModel } from './print.ts';
import { printFields } from './print-fields.ts';

export function generatedFrom(snapshot: Snapshot): ReadonlyMap<string, Files> {
  const documents = parse(snapshot);
  return new Map([
    [typesFolder, printModel(buildModel(documents, facts), snapshot.version)],
    [schemasFolder, printFields(fieldSchemasOf(documents, fieldFacts), headerOf(snapshot.version))],
  ]);
}
