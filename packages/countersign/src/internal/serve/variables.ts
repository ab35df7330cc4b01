/** The settings of `countersign serve`: the place of each option, and the environment variable that sets it. */
import { serveOptions } from "../options/serveShape.ts"
import { isTuple, type Shape } from "../options/shape.ts"

/** An option that the environment can set. */
export interface Setting {
  /** Its place in the configuration: `http.maxRequests`. */
  readonly path: string
  /** The environment variable that sets it. */
  readonly variable: string
  /** The type of its value. */
  readonly shape: Shape
}

/** Variables whose names do not follow from the place, because platforms or the other commands use them. */
const named: Readonly<Record<string, string>> = {
  "database.url": "DATABASE_URL",
  "database.phoneNumberSecret": "COUNTERSIGN_PHONE_NUMBER_SECRET",
  "listen.port": "PORT",
  "prices.currency": "COUNTERSIGN_CURRENCY",
}

export const prefix = "COUNTERSIGN_"

/** The variable with the path of the file. */
export const configVariable = `${prefix}CONFIG`

/** The variable with the kinds of records that the host does not keep. The other commands read it too. */
export const recordsOffVariable = `${prefix}RECORDS_OFF`

/** Variables of the other commands, which may be set beside the variables of `serve`. */
export const otherVariables: ReadonlyArray<string> = [
  configVariable,
  recordsOffVariable,
  `${prefix}ORGANIZATION`,
  `${prefix}COUNTRY`,
]

/** The variable whose name follows from the place. */
export const regularVariableOf = (path: string): string =>
  prefix +
  path
    .replaceAll(/[a-z](?=[A-Z])/g, "$&_")
    .replaceAll(".", "_")
    .toUpperCase()

export const variableOf = (path: string): string => named[path] ?? regularVariableOf(path)

/** The members of an object; `undefined` for a value that one variable sets. A text may replace the object. */
export const membersOf = (shape: Shape): Readonly<Record<string, Shape>> | undefined => {
  if (typeof shape === "string") return undefined
  if (!isTuple(shape)) return shape
  return shape[1] === "or a text" ? membersOf(shape[0]) : undefined
}

/** Whether only a file in TypeScript or JavaScript can have the value. */
export const isCode = (shape: Shape, path: string): boolean =>
  shape === "a function" || path === "database.pool"

const settingsIn = (shape: Shape, path: string): ReadonlyArray<Setting> => {
  const members = membersOf(shape)
  if (members === undefined) {
    return isCode(shape, path) ? [] : [{ path, variable: variableOf(path), shape }]
  }
  const own = Object.entries(members).flatMap(([name, member]) =>
    settingsIn(member, path === "" ? name : `${path}.${name}`),
  )
  // Several members at once, as JSON.
  return path === "" ? own : [{ path, variable: variableOf(path), shape }, ...own]
}

/** All settings, an object before its members. */
export const settings: ReadonlyArray<Setting> = settingsIn(serveOptions, "")
