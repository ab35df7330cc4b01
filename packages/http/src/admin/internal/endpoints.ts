/**
 * Derives the endpoints of the admin API, and their handlers, from operations.
 */
import type * as Operation from "@countersign/core/api/Operation"
import type { EngineError } from "@countersign/core/domain/errors/EngineError"
import * as Effect from "effect/Effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Schema from "effect/Schema"
import { CurrentOrganization } from "../Principal.ts"
import { answering } from "./errorResponses.ts"
import { body, integerBetween, next, ofOrganization } from "./fields.ts"
import { operation } from "./operation.ts"

type Rows = Operation.Operations

/** The id of an endpoint; `""` of an operation without one. */
type IdOf<R> = R extends { readonly admin: { readonly id: infer I } } ? I : ""

type Routed<R> = R extends { readonly admin: infer A extends Operation.Endpoint } ? A : never

/** The names of the endpoints of a group. */
type Names<G extends string, R extends Rows> = {
  [K in keyof R]: IdOf<R[K]> extends `${G}.${infer N}` ? N : never
}[keyof R]

/** The operation of an endpoint. */
type Row<G extends string, R extends Rows, N extends string> = {
  [K in keyof R]: IdOf<R[K]> extends `${G}.${N}` ? R[K] : never
}[keyof R]

type Parameters<Path> = Path extends `${string}:${infer P}/${infer Rest}`
  ? P | Parameters<`/${Rest}`>
  : Path extends `${string}:${infer P}`
    ? P
    : never

/** The members of an input that the path does not name. */
type Rest<F, Path> = Omit<
  F,
  | Parameters<Path>
  | "organization"
  | (F extends { readonly organization: unknown }
      ? never
      : "organization" extends Parameters<Path>
        ? "id"
        : never)
>

type OrNever<F> = keyof F extends never
  ? never
  : F extends Schema.Struct.Fields
    ? Schema.Struct<F>
    : never

type Body<O extends Operation.Operation> = OrNever<
  Merged<Rest<O["input"]["fields"], Routed<O>["path"]>, Routed<O>["extra"]>
>

type Merged<A, B> = B extends Schema.Struct.Fields ? Omit<A, keyof B> & B : A

type Output<O extends Operation.Operation> = Routed<O>["page"] extends infer P extends string
  ? Schema.Struct<{ readonly [K in P]: O["output"] } & { readonly next: typeof next }>
  : O["output"]

type IfBody<M, A, B> = M extends "GET" | "DELETE" ? B : A

type Codec<S extends Schema.Constraint> = [S] extends [never] ? never : Schema.toCodecJson<S>

type Texts<S extends Schema.Constraint> = [S] extends [never] ? never : Schema.toCodecStringTree<S>

type EndpointOf<N extends string, O extends Operation.Operation> = HttpApiEndpoint.HttpApiEndpoint<
  N,
  Routed<O>["method"],
  Routed<O>["path"],
  Texts<OrNever<{ readonly [K in Parameters<Routed<O>["path"]>]: Schema.String }>>,
  IfBody<Routed<O>["method"], never, Texts<Body<O>>>,
  IfBody<Routed<O>["method"], Codec<Body<O>>, never>,
  never,
  O["output"] extends Schema.Void ? typeof HttpApiSchema.NoContent : Schema.toCodecJson<Output<O>>
>

type EndpointsOf<G extends string, R extends Rows> = {
  [N in Names<G, R>]: EndpointOf<N, Row<G, R, N>>
}[Names<G, R>]

const parametersOf = (path: string): ReadonlyArray<string> =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name)

/** The field of the input that `:organization` is. */
const ownerField = ({ input }: Operation.Operation): string =>
  "organization" in input.fields ? "organization" : "id"

const isBounds = (value: unknown): value is { readonly min: number; readonly max: number } =>
  typeof value === "object" && value !== null && "min" in value && "max" in value

/** The type of a member without `undefined`. */
const memberOf = ({ ast }: Schema.Constraint) =>
  ast._tag === "Union" && ast.types.at(-1)?._tag === "Undefined" ? (ast.types[0] ?? ast) : ast

/** The bounds of an integer; `undefined` if the member is something else. */
const integerIn = (field: Schema.Constraint) => {
  const member = memberOf(field)
  if (member._tag !== "Number" || member.encoding !== undefined) return undefined
  const bounds = member.checks?.at(-1)?.annotations?.["bounds"] ?? member.annotations?.["bounds"]
  return isBounds(bounds) ? bounds : { min: 0, max: Number.MAX_SAFE_INTEGER }
}

/** Integers of queries are texts. */
const queryOf = (fields: Schema.Struct.Fields): Schema.Struct.Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const bounds = integerIn(field)
      return [
        name,
        bounds === undefined ? field : Schema.optional(integerBetween(bounds.min, bounds.max)),
      ]
    }),
  )

const described: Readonly<Record<string, string>> = {
  id: "The `id` of the thing in its list.",
  requestId: "The id of the verification.",
}

/** A parameter of the path. The organization is read by the middleware. */
const parameterOf = (name: string, { input }: Operation.Operation): Schema.Top =>
  name === "organization"
    ? ofOrganization.organization
    : Schema.make<Schema.Top>(memberOf(input.fields[name] ?? Schema.String)).pipe(
        Schema.annotateEncoded({ description: described[name] }),
      )

/** The members of the body or the query. */
const membersOf = (row: Operation.Operation, { extra, path }: Operation.Endpoint) => {
  const inPath = parametersOf(path).map((name) =>
    name === "organization" ? ownerField(row) : name,
  )
  return {
    ...Object.fromEntries(
      Object.entries(row.input.fields).filter(
        ([name]) => name !== "organization" && !inPath.includes(name),
      ),
    ),
    ...extra,
  }
}

const successOf = (
  { output }: Operation.Operation,
  { list, page, pageName }: Operation.Endpoint,
) => {
  if (page !== undefined) return body(pageName ?? page, { [page]: output, next })
  return list === undefined ? output : body(pageName ?? list, { [list]: output })
}

/** Bodies by their names: the description has one schema for each. */
const bodies = new Map<string, Schema.Struct<Schema.Struct.Fields>>()

const bodyOf = (name: string, members: Schema.Struct.Fields) => {
  const key = [name, ...Object.keys(members)].join()
  const made = bodies.get(key) ?? body(name, members)
  bodies.set(key, made)
  return made
}

const endpointOf = (name: string, row: Operation.Operation, admin: Operation.Endpoint) => {
  const members = membersOf(row, admin)
  const isEmpty = Object.keys(members).length === 0
  const isRead = admin.method === "GET" || admin.method === "DELETE"
  const parameters = parametersOf(admin.path)
  const identifier = row.input.ast.annotations?.["identifier"]
  return HttpApiEndpoint.make(admin.method)(name, admin.path, {
    params:
      parameters.length === 0
        ? undefined
        : Object.fromEntries(parameters.map((one) => [one, parameterOf(one, row)])),
    query: isEmpty || !isRead ? undefined : queryOf(members),
    payload: isEmpty || isRead ? undefined : bodyOf(String(identifier), members),
    success: row.output.ast._tag === "Void" ? HttpApiSchema.NoContent : successOf(row, admin),
  }).annotateMerge(operation(admin, row.summary, `${row.meaning} ${admin.note ?? ""}`.trim()))
}

/** The endpoints of the operations in a group. */
export function groupOf<const G extends string, R extends Rows>(
  group: G,
  rows: R,
): HttpApiGroup.HttpApiGroup<G, EndpointsOf<G, R>>
export function groupOf(group: string, rows: Rows): unknown {
  const [first, ...rest] = rowsOf(group, rows).map(([name, row]) =>
    endpointOf(name, row, row.admin),
  )
  if (first === undefined) throw new Error(`No operation is in the group ${group}`)
  return HttpApiGroup.make(group).add(first, ...rest)
}

const rowsOf = (group: string, rows: Rows) =>
  Object.entries(rows).flatMap(([method, row]) => {
    const { admin } = row
    return admin?.id.startsWith(`${group}.`) === true
      ? [[admin.id.slice(group.length + 1), { ...row, admin, method }] as const]
      : []
  })

interface Request {
  readonly params?: object
  readonly query?: object
  readonly payload?: object
}

/** The handlers of a group, which call the method of each operation. */
export type Handlers<G extends string, R extends Rows> = {
  readonly [N in Names<G, R>]: (
    request: Request,
  ) => Effect.Effect<
    Output<Row<G, R, N>>["Type"] | HttpServerResponse,
    never,
    "organization" extends Parameters<Routed<Row<G, R, N>>["path"]> ? CurrentOrganization : never
  >
}

/** Where the next page begins: after the last id of a full page. */
const nextOf = (items: unknown, limit: unknown): unknown =>
  Array.isArray(items) && items.length >= (typeof limit === "number" ? limit : 100)
    ? (Object(items.at(-1)).id ?? null)
    : null

const answerOf = ({ list, page }: Operation.Endpoint, output: unknown, limit: unknown): unknown => {
  if (page !== undefined) return { [page]: output, next: nextOf(output, limit) }
  return list === undefined ? output : { [list]: output }
}

type Method = (input: unknown) => Effect.Effect<unknown, EngineError>

/** The handlers of the endpoints in a group. */
export function handlersOf<const G extends string, R extends Rows>(
  group: G,
  rows: R,
  methods: Operation.Methods<R, EngineError>,
): Handlers<G, R>
export function handlersOf(
  group: string,
  rows: Rows,
  methods: Readonly<Record<string, Method>>,
): unknown {
  return Object.fromEntries(
    rowsOf(group, rows).map(([name, { admin, method, ...row }]) => {
      const owner = parametersOf(admin.path).includes("organization") ? ownerField(row) : undefined
      const call = methods[method]
      if (call === undefined) throw new Error(`${group}.${name} has no method`)
      const inputOf = ({ params, payload, query }: Request, organization?: string) => {
        const { organization: _, ...named } = { organization, ...params }
        return {
          ...query,
          ...payload,
          ...named,
          ...(owner !== undefined && { [owner]: organization }),
        }
      }
      const outputOf = (request: Request) => (output: unknown) =>
        answerOf(admin, output, Object(request.query).limit)
      return [
        name,
        (request: Request) =>
          answering(
            owner === undefined
              ? Effect.map(call(inputOf(request)), outputOf(request))
              : Effect.flatMap(CurrentOrganization, (organization) =>
                  Effect.map(call(inputOf(request, organization)), outputOf(request)),
                ),
          ),
      ]
    }),
  )
}
