/** Finds an input of a caller that cannot be read, after the call has failed with an unexpected error. */
import { InvalidRequest } from "@countersign/core/domain/errors/Errors"
import * as FieldProblem from "@countersign/core/domain/values/FieldProblem"

/** How deep the engine reads the fields of an input. */
const maxDepth = 2

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** The names of its members, and of those that its classes define. */
const namesOf = (value: object): ReadonlySet<string> => {
  const names = new Set<string>()
  let owner: unknown = value
  while (isObject(owner) && owner !== Object.prototype) {
    for (const name of Object.getOwnPropertyNames(owner)) names.add(name)
    owner = Object.getPrototypeOf(owner)
  }
  return names
}

/** Whether a member, or one of its own members, throws the error when it is read. */
const throws = (value: object, name: string, error: unknown, depth: number): boolean => {
  let member: unknown
  try {
    member = Reflect.get(value, name)
  } catch (thrown) {
    return String(thrown) === String(error)
  }
  if (depth === maxDepth || !isObject(member)) return false
  const owner = member
  return [...namesOf(owner)].some((inner) => throws(owner, inner, error, depth + 1))
}

/**
 * The problem of the arguments for which a call has thrown `error`; `undefined` if they can be read. This is looked for
 * after the error, so that other calls do not pay for it.
 */
export const unreadable = (
  args: ReadonlyArray<unknown>,
  error: unknown,
): InvalidRequest | undefined => {
  for (const arg of args) {
    if (!isObject(arg)) continue
    for (const name of namesOf(arg)) {
      if (throws(arg, name, error, 1)) {
        return new InvalidRequest({ details: { [name]: [FieldProblem.make("unreadable", {})] } })
      }
    }
  }
  return undefined
}
