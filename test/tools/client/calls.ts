/** The endpoints and the methods. */
import { names as errorNames } from "../errors/clientErrors.ts"
import * as Doc from "./document.ts"

const endpointOf = (call: Doc.Call): string => {
  const { endpoint, errors, fields, isKeyed, method, output, path } = call
  const parameter = /\{(\w+)\}/.exec(path)?.[1]
  const names = Object.keys(fields.properties ?? {}).map(
    (wire) => `${Doc.nameOfInput(call, wire)}: "${wire}"`,
  )
  const durations = names.some((name) => name.startsWith("expiresIn"))
    ? 'durations: ["expiresIn"],'
    : ""
  const value = `{
  method: "${method.toUpperCase()}",
  path: ${parameter === undefined ? `"${path}"` : `\`${path.replace(/\{\w+\}/, `\${segment(${Doc.camel(parameter)})}`)}\``},
  wireNames: { ${names.join(", ")} },
  ${durations}${isKeyed ? "isKeyed: true," : ""}success: Successes.${Doc.lowerFirst(output)},
  errors: readersOf.${errors},
}`
  return parameter === undefined
    ? `export const ${endpoint} = ${value} as const\n`
    : `export const ${endpoint} = (${Doc.camel(parameter)}: string) => (${value}) as const\n`
}

export const endpoints = (): string => `import { readersOf } from "./errorReaders.ts"
import { segment } from "./call.ts"
import * as Successes from "./successes.ts"

${Doc.calls.map(endpointOf).join("\n")}`

/** When the client repeats a call. */
const retriesOf = ({ isKeyed, method }: Doc.Call): string => {
  if (isKeyed) return "Retries under one idempotency key, so that it has its effect once."
  return method === "get"
    ? "Retries if the service is unreachable or unavailable."
    : "Never retries."
}

const parameterOf = ({ fields, input, name }: Doc.Call): string => {
  if (name === "messages.get") return "id: string, options?: CallOptions"
  if (input === "CallOptions") return "options?: CallOptions"
  const { properties, required = [] } = fields
  const isOptional = properties !== undefined && required.length === 0 && input !== "OfRequest"
  const type = input === "OfRequest" ? input : `Types.${input}`
  return `input${isOptional && input.startsWith("List") ? "?" : ""}: ${type}`
}

const methodOf = (call: Doc.Call): string => {
  const { errors, name, operation, output } = call
  const text =
    Doc.ownMethods[name] ?? operation.description.replace(/ A key with scopes needs .*$/, "")
  const result = `Promise<Result<Types.${output}, Errors.${errorNames[errors]}>>`
  return `${Doc.comment(`${text} ${retriesOf(call)}`)}  readonly ${name.split(".").at(-1)}: (${parameterOf(call)}) => ${result}\n`
}

const calledOf = ({ endpoint, input, isOfRequest, name }: Doc.Call): string => {
  const verb = name.split(".").at(-1) ?? ""
  if (name === "messages.get") {
    return `${verb}: (id, options = {}) => call(settings, Endpoints.${endpoint}(id), options),`
  }
  if (isOfRequest) {
    return `${verb}: ({ requestId, ...input }) => call(settings, Endpoints.${endpoint}(requestId), input),`
  }
  const given = input === "CallOptions" ? "options" : "input"
  const isOptional = input === "CallOptions" || input.startsWith("List")
  return `${verb}: (${given}${isOptional ? " = {}" : ""}) => call(settings, Endpoints.${endpoint}, ${given}),`
}

/** The methods in the order of \`methods\`, those of a group in its object. */
const grouped = (
  show: (call: Doc.Call) => string,
  open: (group: string) => string,
  close: string,
) =>
  [...Map.groupBy(Doc.calls, ({ name }) => name.split(".").toSpliced(-1).join("."))]
    .map(([group, own]) => {
      const shown = own.map(show).join("\n")
      return group === "" ? shown : `${open(group)}\n${shown}\n${close}`
    })
    .join("\n")

export const createClient = (): string => `import { call } from "./call.ts"
import type { CallOptions, OfRequest, Result } from "./calls.ts"
import * as Endpoints from "./endpoints.ts"
import type * as Errors from "./errors.ts"
import { type ClientOptions, settingsOf } from "./options.ts"
import type * as Types from "./types.ts"

/**
 * A client of the service. Every method resolves, even if the service returns an error or the network fails.
 * The functions can be detached from their objects.
 */
export interface Client {
${grouped(methodOf, (group) => `readonly ${group}: {`, "}")}
}

/** Creates a client. Throws a \`TypeError\` if an option is invalid. */
export const createClient = (options: ClientOptions): Client => {
  // Only the functions hold the settings, so that printing or serializing the client does not show the key.
  const settings = settingsOf(options)
  return {
${grouped(calledOf, (group) => `${group}: {`, "},")}
  }
}`
