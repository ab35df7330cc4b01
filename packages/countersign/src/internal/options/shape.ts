/** Checks plain objects of callers in JavaScript by their shapes, which `pnpm codegen` reads from the public types. */
import * as Durations from "@countersign/core/domain/values/Duration"
import * as FieldNames from "@countersign/core/domain/values/FieldNames"
import type { AdminOptions, SignInOptions } from "@countersign/http/admin/AdminOptions"
import { settingsOf } from "@countersign/http/admin/SignInSettings"
import type { LoginOptions } from "@countersign/http/login/LoginOptions"
import * as LoginSettings from "@countersign/http/login/LoginSettings"
import * as Result from "effect/Result"
import { attempt, checkProxies, positive, refuse } from "./check.ts"
import { adminOptions, loginOptions, options } from "./optionShapes.ts"

/** The types of single values, as they stand in a message. */
type Kind = "a text" | "a number" | "a duration" | "true or false" | "a function" | "anything"

/** One of several texts: `"all" or "messages"`. */
type Choice = `"${string}"`

export type Shape = Kind | Choice | ListOf | Or | { readonly [name: string]: Shape }

type ListOf = readonly [item: Shape]

/** A value that may also be something else. With `"or a list"`, the list is one of such values. */
type Or = readonly [value: Shape, or: "or a list" | "or a text" | null]

/** Refuses an unknown name, and suggests its place in `root`, or the one of `names` that was probably meant. */
export const refuseName = (
  path: ReadonlyArray<string>,
  names: ReadonlyArray<string>,
  root: Shape = {},
): never => {
  const name = path.at(-1) ?? ""
  const meant = placeOf(root, name) ?? FieldNames.nearest(name, names)
  const said = `${path.join(".")} is not an option`
  return refuse(meant === undefined ? said : `${said}; did you mean ${meant}?`)
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isOfKind: { readonly [K in Kind]: (value: unknown) => boolean } = {
  "a text": (value) => typeof value === "string",
  "a number": (value) => typeof value === "number",
  "a duration": Durations.is,
  "true or false": (value) => typeof value === "boolean",
  "a function": (value) => typeof value === "function",
  anything: () => true,
}

const isChoice = (shape: Kind | Choice): shape is Choice => shape.startsWith('"')

const isOf = (shape: Kind | Choice, value: unknown): boolean =>
  isChoice(shape)
    ? typeof value === "string" && shape.split(" or ").includes(JSON.stringify(value))
    : isOfKind[shape](value)

/** Never quotes a value, which may be a secret. */
const refuseType = (path: ReadonlyArray<string>, expected: string): never =>
  refuse(`${path.length === 0 ? "the options" : path.join(".")} must be ${expected}`)

export const isTuple = (shape: Shape): shape is ListOf | Or => Array.isArray(shape)

/**
 * Refuses unknown names and values of the wrong type, at every level. `path` is the path of `value` in the shape
 * `root`, and `or` names the other types that the value may have.
 */
export const check = (
  shape: Shape,
  value: unknown,
  path: ReadonlyArray<string>,
  root = shape,
  or = "",
): void => {
  if (shape === "a duration") {
    const read = Durations.toMillis(value, path[0] === "retention" ? "day" : undefined)
    if (Result.isFailure(read)) refuse(`${path.join(".")} ${read.failure.message}`)
  } else if (typeof shape === "string") {
    if (!isOf(shape, value)) refuseType(path, `${shape}${or}`)
  } else if (!isTuple(shape)) {
    if (!isObject(value)) return refuseType(path, `an object${or}`)
    const fields = new Map(Object.entries(shape))
    const given = Object.entries(value).filter(([, member]) => member !== undefined)
    const unknown = given.find(([name]) => !fields.has(name))
    if (unknown !== undefined) refuseName([...path, unknown[0]], [...fields.keys()], root)
    for (const [name, member] of given) {
      check(fields.get(name) ?? "anything", member, [...path, name], root)
    }
  } else if (shape.length === 1) {
    if (!Array.isArray(value)) return refuseType(path, `a list${or}`)
    for (const [index, item] of value.entries()) {
      check(shape[0], item, [...path, String(index)], root)
    }
  } else if (shape[1] === "or a list") {
    const single = Array.isArray(value) ? ([shape[0]] as const) : shape[0]
    check(single, value, path, root, or === "" ? " or a list" : `, a list${or}`)
  } else if (shape[1] === null ? value !== null : typeof value !== "string") {
    check(shape[0], value, path, root, shape[1] === null ? " or null" : ` ${shape[1]}`)
  }
}

/** Where a name is a member, such as `database.schema`; `undefined` if no level has it. Does not look into lists. */
export const placeOf = (shape: Shape, name: string): string | undefined => {
  if (typeof shape === "string") return undefined
  if (isTuple(shape)) return shape.length === 2 ? placeOf(shape[0], name) : undefined
  if (Object.hasOwn(shape, name)) return name
  for (const [member, inner] of Object.entries(shape)) {
    const place = placeOf(inner, name)
    if (place !== undefined) return `${member}.${place}`
  }
  return undefined
}

/** Refuses unknown names and values of the wrong type, at every level. The code that uses a value checks its meaning. */
export const checkOptions = (value: unknown): void => check(options, value, [])

const checkSignIn = (value: SignInOptions, isDecided: boolean): void => {
  if (isDecided) refuse("admin.authorize: leave it out, because admin.signIn decides who signs in")
  try {
    settingsOf(value)
  } catch (error) {
    refuse(`admin.${error instanceof Error ? error.message : String(error)}`)
  }
}

/** The same for the admin API, which is never open. */
export const checkAdminOptions = (value: AdminOptions): void => {
  check(adminOptions, value, ["admin"])
  if (value.signIn === undefined && value.authorize === undefined) {
    refuse(
      "admin.authorize must be a function: it decides who may use the admin API; or set signIn",
    )
  }
  if (value.signIn !== undefined) checkSignIn(value.signIn, value.authorize !== undefined)
  checkProxies("admin.trustedProxies", value.trustedProxies)
  positive("admin.maxStreams", value.maxStreams)
}

/** The same for a login. */
export const checkLoginOptions = (value: LoginOptions): void => {
  check(loginOptions, value, ["login"])
  if (value.onVerified === undefined) {
    refuse("login.onVerified must be a function: it signs the verified number in")
  }
  checkProxies("login.trustedProxies", value.trustedProxies)
  attempt("login", () => LoginSettings.read(value))
}
