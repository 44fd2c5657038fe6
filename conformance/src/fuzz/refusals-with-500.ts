/**
 * Refusals for which real Kubernetes says 500, although it was the client that was wrong: the expected answers of both
 * servers. Any other 500 is a failure.
 */
const known: readonly RegExp[] = [
  // Apply: the body does not fit the schema, or fits it and not the type; what was stored may not fit either.
  /failed to create typed (?:patch|live) object \(/,
  /failed to convert new object \(/,
  /failed to decode managed fields: /,
  // Strategic merge patch: the parts do not go together.
  /list element types are not identical: /,
  /does not contain declared merge key: /,
  /unknown patch type: /,
  /expected a .+?, but received a /,
  /merging an object in json but data type is not struct/,
  /unable to find api field in struct /,
  /cannot merge lists without merge key for struct/,
  /merging lists cannot yet be specified in the patch/,
  /doesn't match \$setElementOrder list/,
  // A version that is none, or where none may be.
  /resourceVersion should not be set on objects to be created/,
  /strconv\.ParseUint: parsing /,
];

/** Whether an answer with 500 is one that real Kubernetes gives, too. */
export const isRefusalWith500 = (text: string): boolean => known.some((words) => words.test(text));
