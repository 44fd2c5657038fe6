/** Thrown by a step that needs an object in a version which has to be waited for; see `resource/conversions.ts`. */
export class Unconverted extends Error {
  override readonly name = 'Unconverted';
  readonly convert: () => Promise<void>;

  constructor(convert: () => Promise<void>) {
    super('an object must be converted first');
    this.convert = convert;
  }
}
