/** The first name of an object that is not known and whose value is not `undefined`. */
export const unknownName = (value: object, known: ReadonlyArray<string>): string | undefined =>
  Object.entries(value).find(([name, member]) => member !== undefined && !known.includes(name))?.[0]

/** Throws a `TypeError` for an unknown option, which names the known ones. */
export const checkNames = (name: string, options: object, known: ReadonlyArray<string>): void => {
  const unknown = unknownName(options, known)
  if (unknown === undefined) return
  throw new TypeError(`${name}: ${unknown} is not an option; the options are ${known.join(", ")}`)
}
