/** The bodies of error responses of the tenant interface, and those of each endpoint. */
import { commonErrors, errorsOf } from "./endpointErrors.ts"
import { all, comment, type ErrorEntry, quoted } from "./rows.ts"

/** The endpoints of messages: their bodies differ. */
const ofMessages = ["send", "list", "get", "balance"]

const bodyOf = ({ body, name }: ErrorEntry): string => body ?? name

const codes: ReadonlySet<string> = new Set([...commonErrors, ...Object.values(errorsOf).flat()])

const used = [...codes].flatMap((code) => all.filter((entry) => entry.code === code))

/** Parameters that are in the response as they are in the error, or in a form of their own. */
const shown = ["details", "required", "available"]

const membersOf = (entry: ErrorEntry): ReadonlyArray<string> => {
  const params = Object.keys(entry.params)
  if (entry.code === "sending_failed") return ["status"]
  if (entry.isWaitInHeader !== true && params.includes("retryAfterSeconds"))
    return ["retryAfterSeconds"]
  return params.filter((name) => shown.includes(name))
}

const spread = (names: ReadonlyArray<string>): string =>
  names.map((name) => `...fields.${name}`).join(", ")

const declaration = (
  name: string,
  fields: string,
  base: string,
  meaning: string,
  status: number | undefined,
): string => {
  const description = `description: ${quoted(meaning)}`
  const annotations =
    status === undefined ? description : `httpApiStatus: ${status}, ${description}`
  return `${comment(meaning)}
export class ${name} extends ${base}.extend<${name}>("${name}")(${fields}, { ${annotations} }) {
  readonly _tag = "${name}"
}
`
}

/** The body of a code that could not be sent as well. */
const internalError = "The code could not be sent, or the service has failed."

const classOf = (name: string): string => {
  const entries = used.filter((entry) => bodyOf(entry) === name)
  const meanings = new Set(entries.map((entry) => entry.meaning))
  const meaning = name === "InternalError" ? internalError : [...meanings].join(" ")
  const [entry] = entries
  if (entry === undefined) throw new Error(name)
  const { params, state, status, statuses } = entry
  // Bodies with two statuses are given theirs at each endpoint.
  const own = statuses?.messages === undefined ? status : undefined
  if (state === undefined)
    return declaration(name, `{ ${spread(membersOf(entry))} }`, "Failure", meaning, own)
  const attempts = "attemptsRemaining" in params ? ", ...fields.attemptsRemaining" : ""
  const data = `Schema.Struct({ ...fields.requestId, status: Schema.Literal("${state}")${attempts} })`
  return declaration(name, `{ data: ${data} }`, "FailedCheck", meaning, own)
}

const bodyNames = [...new Set(used.map(bodyOf))].toSorted()

export const failures = (): string => `
/**
 * The bodies of all error responses, as errors that a client distinguishes by \`_tag\`. The tag is not part of
 * the wire format.
 */
import * as Schema from "effect/Schema"
import { FailedCheck, Failure, fields } from "./internal/failureFields.ts"

${bodyNames.map(classOf).join("\n")}
${declaration("KeysNotFound", "{}", "Failure", "The service signs no proofs.", 404)}`

const atEndpoint = (endpoint: string, entry: ErrorEntry): string => {
  if (entry.code === "sending_failed" && !ofMessages.includes(endpoint)) return "InternalError"
  if (entry.statuses?.messages === undefined) return bodyOf(entry)
  const status = ofMessages.includes(endpoint) ? entry.statuses.messages : entry.status
  return `${bodyOf(entry)}.pipe(HttpApiSchema.status(${status}))`
}

const entryOf = (code: string): ErrorEntry => {
  const entry = used.find((one) => one.code === code)
  if (entry === undefined) throw new Error(code)
  return entry
}

const listOf = (endpoint: string, list: ReadonlyArray<string>): string => {
  const own = [...list, "internal"].map((code) => atEndpoint(endpoint, entryOf(code)))
  return `[${[...new Set(own)].map((text) => `Failures.${text}`).join(", ")}]`
}

export const endpointFailures = (): string => {
  const common = commonErrors.filter((code) => code !== "internal").map((code) => entryOf(code))
  const codesOf = bodyNames.map((name) => {
    const own = used.filter((entry) => bodyOf(entry) === name).map(({ code }) => code)
    const more = name === "InternalError" ? ["sending_failed"] : []
    return `${name}: ${quoted([...own, ...more])},`
  })
  return `
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Failures from "../Failures.ts"

/** The error responses of every endpoint that requires a key. */
export const commonFailures = [${[...new Set(common.map(bodyOf))].map((name) => `Failures.${name}`).join(", ")}] as const

/** The error responses of each endpoint. */
export const failuresOf = {
${Object.entries(errorsOf)
  .map(([endpoint, list]) => `${endpoint}: ${listOf(endpoint, list)},`)
  .join("\n")}
} as const

/** The values of \`Countersign-Error\` with each body. */
export const codesOf: Readonly<Record<string, ReadonlyArray<string>>> = {
${codesOf.join("\n")}
KeysNotFound: ["not_found"],
}
`
}
