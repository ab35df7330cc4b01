/**
 * The checks of Schemathesis, by its names, on one request and its answer.
 */
import { isNormal } from "./hostDifferences.ts"
import { type Described, isObject, listOf, type Operation, operationsAt } from "./openApi.ts"
import type { Interface, RequestStep } from "./requestArbitraries.ts"
import { at } from "../support/Quickstart.ts"
import { headerOf, isReadable, type WireAnswer, type WireRequest } from "./wire.ts"

export const checkNames = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_headers_conformance",
  "response_schema_conformance",
  "negative_data_rejection",
  "positive_data_acceptance",
  "use_after_free",
  "ensure_resource_availability",
  "missing_required_header",
  "ignored_auth",
  "unsupported_method",
  "stateful_links",
] as const

export type CheckName = (typeof checkNames)[number]

/** What differs between the two interfaces. */
export interface Dialect {
  /** The error code of an answer. */
  readonly codeOf: (answer: WireAnswer) => string | undefined
  /** Server errors that the document explains. */
  readonly explained: ReadonlySet<string>
  /** Methods that every path has besides those of the document. */
  readonly commonMethods: (documented: ReadonlyArray<string>) => ReadonlyArray<string>
  /** Fields that have to fit others, which no schema says. */
  readonly dependent: ReadonlySet<string>
  /** Pools of resources that all histories share. */
  readonly shared: ReadonlySet<string>
  /** Whether the service ignores what is wrong with a body. */
  readonly isLenient: (operation: Operation, body: unknown) => boolean
  /** Operations that need no key. */
  readonly isPublic: (operation: Operation) => boolean
}

/** What a history knows about a request. */
export interface Known {
  /** Whether the key, or the principal, may call every operation, some, or none. */
  readonly access: "all" | "some" | "none"
  /** Whether the target is of the organization of the history. */
  readonly isOwn: boolean
  /** Ids that exist and are the caller's. */
  readonly exists: (pool: string, id: string) => boolean
  /** Whether an operation has nothing to work on any more. */
  readonly isGone: (operation: Operation, pool: string, id: string) => boolean
}

const decoder = new TextDecoder("utf-8", { fatal: true })

/** Bodies that are no JSON. */
export const noJson: unique symbol = Symbol("noJson")

export const jsonOf = (bytes: Uint8Array): unknown => {
  try {
    const value: unknown = JSON.parse(decoder.decode(bytes))
    return value
  } catch {
    return noJson
  }
}

const isBetween = (schema: Readonly<Record<string, unknown>>, value: number): boolean =>
  value >= Number(schema["minimum"] ?? -Infinity) && value <= Number(schema["maximum"] ?? Infinity)

/** Whether the query has an integer that no reader may take. */
const hasWrongInteger = ({ parameters }: Operation, target: string): boolean => {
  const query = new URLSearchParams(target.split("?").slice(1).join("?"))
  return parameters.some(({ in: place, name, schema }) => {
    const values = place === "query" && schema["type"] === "integer" ? query.getAll(name) : []
    return values.some((text) => !/^\d+$/.test(text) || !isBetween(schema, Number(text)))
  })
}

const jsonType = /^application\/json\s*(?:;|$)/i

export type Problem = readonly [check: CheckName | "same_on_every_mount", message: string]

export class Checks {
  readonly #api: Interface
  readonly #dialect: Dialect
  /** How often each check has judged an answer. */
  readonly counts = new Map<CheckName, number>(checkNames.map((name) => [name, 0]))

  constructor(api: Interface, dialect: Dialect) {
    this.#api = api
    this.#dialect = dialect
  }

  get described(): Described {
    return this.#api.described
  }

  /** The documented operations at the path of a request; `undefined`: it has none. */
  operationsOf(request: WireRequest): ReadonlyArray<Operation> | undefined {
    const { base } = this.#api
    return request.target.startsWith(base)
      ? operationsAt(this.described, request.target.slice(base.length))
      : undefined
  }

  operationOf(request: WireRequest): Operation | undefined {
    const method = request.method === "HEAD" ? "GET" : request.method
    return this.operationsOf(request)?.find((operation) => operation.method === method)
  }

  /** Everything that is wrong with an answer. */
  judge(step: RequestStep, known: Known, answer: WireAnswer): ReadonlyArray<Problem> {
    const { request } = step
    const problems: Array<Problem> = []
    const check = (name: CheckName, holds: boolean, message: () => string): void => {
      this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
      if (!holds) problems.push([name, message()])
    }
    const operations = this.operationsOf(request)
    const operation = this.operationOf(request)
    const code = this.#dialect.codeOf(answer)
    const { status } = answer
    check(
      "not_a_server_error",
      status < 500 ||
        (this.#dialect.explained.has(`${status} ${code}`) &&
          operation?.answers.has(status) === true),
      () => `${status} ${code}`,
    )
    if (!isReadable(request)) {
      check("status_code_conformance", status === 400, () => `${status} for an unreadable target`)
      return problems
    }
    if (operations === undefined) {
      const isDocument = /\/(?:openapi\.json|docs)$/.test(request.target.split("?", 1)[0] ?? "")
      check(
        "status_code_conformance",
        [401, 403, 404, 405, ...(isDocument ? [200, 204] : [])].includes(status),
        () => `${status} at a path that is not documented`,
      )
      return problems
    }
    if (operation === undefined) {
      this.#judgeMethod(operations, request, answer, check)
      return problems
    }
    this.#judgeAnswer(operation, request, answer, check)
    this.#judgeInput(operation, step, known, answer, check)
    this.#judgeIds(operation, step, known, answer, check)
    return problems
  }

  #judgeMethod(
    operations: ReadonlyArray<Operation>,
    request: WireRequest,
    answer: WireAnswer,
    check: (name: CheckName, holds: boolean, message: () => string) => void,
  ): void {
    const { method } = request
    // Refused before its path was read, or not a path of the document.
    if ([401, 403].includes(answer.status)) return
    if (answer.status === 404 && (!isNormal(request) || request.target.includes(";"))) return
    const documented = operations.map((operation) => operation.method)
    const allowed = [...documented, ...this.#dialect.commonMethods(documented)]
    const allow = (headerOf(answer, "allow") ?? "").split(", ")
    const status = method === "OPTIONS" && allowed.includes("OPTIONS") ? 204 : 405
    check(
      "unsupported_method",
      answer.status === status &&
        allowed.every((one) => allow.includes(one)) &&
        (status === 204 || !allow.includes(method)),
      () => `${method}: ${answer.status}, allow: ${allow.join()}, not ${allowed.join()}`,
    )
  }

  #judgeAnswer(
    operation: Operation,
    { method }: WireRequest,
    answer: WireAnswer,
    check: (name: CheckName, holds: boolean, message: () => string) => void,
  ): void {
    const documented = operation.answers.get(answer.status)
    check(
      "status_code_conformance",
      documented !== undefined,
      () => `${operation.id} does not answer ${answer.status}`,
    )
    if (documented === undefined) return
    for (const { accepts, isRequired, name } of documented.headers) {
      const value = headerOf(answer, name)
      check(
        "response_headers_conformance",
        value === undefined ? !isRequired : accepts(value),
        () => `${name}: ${value}`,
      )
    }
    if (method === "HEAD") {
      check("response_schema_conformance", answer.body.length === 0, () => "HEAD has a body")
      return
    }
    const type = headerOf(answer, "content-type")?.split(";", 1)[0]
    const types = documented.types
    check(
      "content_type_conformance",
      type === undefined ? types.size === 0 : types.has(type),
      () => `${type}, not ${[...types.keys()].join()}`,
    )
    const validate = type === undefined ? undefined : types.get(type)
    if (validate === undefined) return
    const body = jsonOf(answer.body)
    check("response_schema_conformance", body !== noJson && validate(body), () =>
      JSON.stringify(validate.errors ?? "no JSON"),
    )
  }

  #judgeInput(
    operation: Operation,
    { isValid, request }: RequestStep,
    { access }: Known,
    answer: WireAnswer,
    check: (name: CheckName, holds: boolean, message: () => string) => void,
  ): void {
    const { status } = answer
    const headers = new Map(request.headers)
    if (access === "some") return
    if (access === "none" && !this.#dialect.isPublic(operation)) {
      check(
        "ignored_auth",
        [401, 403, 404].includes(status) && !/"data"/.test(answer.body.toString("latin1")),
        () => `${status} without a key that allows it`,
      )
      if (headers.has("authorization")) return
      check(
        "missing_required_header",
        status === 401 || status === 403,
        () => `${status} without Authorization`,
      )
      return
    }
    const isWrong = 400 <= status && status < 500
    const { body } = request
    const readsBody = operation.body !== undefined && body !== undefined
    if (readsBody && !jsonType.test(headers.get("content-type") ?? "")) {
      check("missing_required_header", isWrong, () => `${status} for a body of another type`)
      return
    }
    const code = this.#dialect.codeOf(answer)
    // An empty body is read as an object without members.
    const sent = readsBody && body.length > 0 ? jsonOf(body) : {}
    const isWrongBody =
      readsBody &&
      (sent === noJson || !operation.body.accepts(sent)) &&
      !this.#dialect.isLenient(operation, sent)
    if (isWrongBody || hasWrongInteger(operation, request.target)) {
      check("negative_data_rejection", isWrong, () => `${status} for invalid input`)
    }
    if (isValid && !this.#dialect.isPublic(operation)) {
      check("positive_data_acceptance", this.#isAccepted(code, answer), () =>
        answer.body.toString("utf8"),
      )
    }
  }

  #isAccepted(code: string | undefined, { body, status }: WireAnswer): boolean {
    if (code === "invalid_request") {
      const fields = Object.keys(Object(at(jsonOf(body), "details")))
      return fields.length > 0 && fields.every((name) => this.#dialect.dependent.has(name))
    }
    return ![401, 405, 413, 415].includes(status) && code !== "not_found"
  }

  #judgeIds(
    operation: Operation,
    { isValid, request: { target } }: RequestStep,
    { access, exists, isGone, isOwn }: Known,
    { status }: WireAnswer,
    check: (name: CheckName, holds: boolean, message: () => string) => void,
  ): void {
    const found = resourceOf(operation, target.slice(this.#api.base.length))
    if (access !== "all" || found === undefined || this.#dialect.shared.has(found.pool)) return
    const { id, isLast, pool } = found
    if (isGone(operation, pool, id)) {
      check("use_after_free", 400 <= status && status < 500, () => `${id} has ended: ${status}`)
    } else if (operation.method === "GET" && isLast) {
      if (!isOwn || !exists(pool, id)) {
        check("stateful_links", status >= 400, () => `${id} does not exist: ${status}`)
      } else if (isValid) {
        check("ensure_resource_availability", status === 200, () => `${id} exists: ${status}`)
      }
    }
  }
}

/** The resource that a target names: its id, and the segment before it. */
const resourceOf = (operation: Operation, target: string) => {
  const segments = (target.split("?", 1)[0] ?? "").split("/")
  const named = operation.path.split("/")
  const at = named.findLastIndex((segment) => segment.startsWith("{"))
  const id = segments[at]
  return at < 0 || id === undefined
    ? undefined
    : { pool: named[at - 1] ?? "", id, isLast: at === named.length - 1 }
}

/** The segment of a path that names the kind of its resources. */
export const poolOf = ({ path }: Operation): string =>
  path.split("/").findLast((segment) => segment !== "" && !segment.startsWith("{")) ?? ""

/** The ids in an answer, with their pools: the members `id`, `requestId` and `request_id`. */
export const idsIn = (
  value: unknown,
  pool: string,
): ReadonlyArray<readonly [pool: string, id: string]> => {
  if (Array.isArray(value)) return listOf(value).flatMap((one) => idsIn(one, pool))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, member]) => {
    if (typeof member !== "string") return idsIn(member, name === "messages" ? name : pool)
    if (name === "request_id") return [["verify", member] as const]
    if (name === "requestId") return [["verifications", member] as const]
    return name === "id" ? [[pool, member] as const] : []
  })
}
