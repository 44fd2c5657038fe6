/** Strings: lengths, formats and patterns of a zod string as the API server enforces them. */
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import { z } from 'zod';
import type { CheckDef } from './checks.ts';
import type { DefinitionField } from './definition-field.ts';
import { re2Pattern } from './pattern.ts';

/** Options of the formats that have some, as zod keeps them. */
interface FormatDef {
  readonly format: string;
  readonly pattern?: RegExp | undefined;
  readonly version?: string | undefined;
  readonly precision?: number | null | undefined;
  readonly local?: boolean | undefined;
  readonly hostname?: RegExp | undefined;
  readonly protocol?: RegExp | undefined;
  readonly normalize?: boolean | undefined;
}

/** The schema of a text with these checks. */
export function stringSchema(checks: readonly CheckDef[], at: DefinitionField): JSONSchemaProps {
  let minLength: number | undefined;
  let maxLength: number | undefined;
  const formats: string[] = [];
  const patterns: string[] = [];
  for (const def of checks) {
    switch (def.check) {
      case 'min_length':
        minLength = Math.max(minLength ?? 0, def.minimum);
        break;
      case 'max_length':
        maxLength = Math.min(maxLength ?? Number.POSITIVE_INFINITY, def.maximum);
        break;
      case 'length_equals':
        minLength = Math.max(minLength ?? 0, def.length);
        maxLength = Math.min(maxLength ?? Number.POSITIVE_INFINITY, def.length);
        break;
      case 'string_format': {
        const { format, pattern } = formatSchema(def, at);
        if (format !== undefined) formats.push(format);
        if (pattern !== undefined) patterns.push(pattern);
        break;
      }
    }
  }
  const [format, ...otherFormats] = formats;
  const [pattern, ...otherPatterns] = patterns;
  const all = [...otherFormats.map((each) => ({ format: each })), ...otherPatterns.map((each) => ({ pattern: each }))];
  return {
    type: 'string',
    ...(format !== undefined && { format }),
    ...(minLength !== undefined && { minLength }),
    ...(maxLength !== undefined && { maxLength }),
    ...(pattern !== undefined && { pattern }),
    ...(all.length > 0 && { allOf: all }),
  };
}

/** A format that the API server has, or else the pattern by which zod checks it. */
function formatSchema(def: FormatDef, at: DefinitionField): { readonly format?: string; readonly pattern?: string } {
  switch (def.format) {
    case 'datetime':
      if (def.local || typeof def.precision === 'number') break;
      return { format: 'date-time' };
    case 'uuid':
    case 'guid':
      if (def.version === undefined) return { format: 'uuid' };
      if (/^v[345]$/.test(def.version)) return { format: `uuid${def.version.slice(1)}` };
      break;
    case 'email':
      if (def.pattern?.source !== z.regexes.email.source) break;
      return { format: 'email' };
    case 'url':
      if (def.protocol || def.hostname || def.normalize) {
        at.refuse('the API server knows no options of a URL: state them with z.string().regex()');
      }
      // The format also lets a path alone pass.
      return { format: 'uri', pattern: '^[A-Za-z][A-Za-z0-9+.-]*:' };
    case 'date':
    case 'ipv4':
    case 'ipv6':
    case 'hostname':
      return { format: def.format };
    case 'cidrv4':
      return { format: 'cidr', pattern: '^[0-9.]+/' };
    case 'cidrv6':
      return { format: 'cidr', pattern: ':' };
    case 'base64':
      return { format: 'byte' };
    case 'base64url':
      return { pattern: z.regexes.base64url.source };
    case 'duration':
      at.refuse(
        "the API server's durations are those of Go (1h30m), not of ISO 8601: use z.string().meta({ format: 'duration' }), or a .regex()",
      );
      return {};
    // Their patterns are only half of the check.
    case 'credit_card':
    case 'iban':
      at.refuse(`the API server cannot check the digits of the format "${def.format}": use z.string().regex()`);
      return {};
  }
  if (def.pattern === undefined) {
    at.refuse(`the API server knows no format "${def.format}": use z.string().regex()`);
    return {};
  }
  const translation = re2Pattern(def.pattern);
  if ('pattern' in translation) return translation;
  at.refuse(
    `the pattern ${def.pattern} has ${translation.lacking}, which the API server's regular expressions (RE2) lack: write it without, as several .regex(), or in CEL`,
  );
  return {};
}
