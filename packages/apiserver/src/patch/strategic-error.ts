/** Why a strategic merge patch cannot be applied, with the status that the real server answers. */
import { goPrint, goType } from '../apply/typed/go-print.ts';

/** 400 is BadRequest; 422 is Invalid, whose message the server hides; 500 has neither reason nor details. */
export class StrategicPatchError extends Error {
  override readonly name = 'StrategicPatchError';
  readonly code = 'ERR_STRATEGIC_PATCH';
  readonly status: 400 | 422 | 500;

  constructor(status: 400 | 422 | 500, message: string) {
    super(message);
    this.status = status;
  }
}

export const badRetainKeys = () => new StrategicPatchError(400, 'invalid patch format of retainKeys');
export const badElementOrder = () => new StrategicPatchError(400, 'invalid patch format of setElementOrder list');
export const badPrimitiveList = () => new StrategicPatchError(400, 'invalid patch format of primitive list');
export const listOfLists = () => new StrategicPatchError(422, 'lists of lists are not supported');

export function noMergeKey(item: unknown, mergeKey: string): StrategicPatchError {
  return new StrategicPatchError(500, `map: ${goPrint(item)} does not contain declared merge key: ${mergeKey}`);
}

export function unknownDirective(directive: unknown, item: unknown): StrategicPatchError {
  return new StrategicPatchError(500, `unknown patch type: ${goPrint(directive)} in map: ${goPrint(item)}`);
}

export function wrongType(
  expected: 'map[string]interface {}' | '[]interface {}',
  actual: unknown,
): StrategicPatchError {
  return new StrategicPatchError(500, `expected a ${expected}, but received a ${goType(actual)}`);
}
