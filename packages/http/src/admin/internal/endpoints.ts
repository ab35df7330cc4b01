/** Derives the endpoints of the admin API, and their handlers, from operations. */
import { next, refuse } from "@countersign/core/api/Fields"
import type * as Operation from "@countersign/core/api/Operation"
import { type Access, rolesFor } from "@countersign/core/domain/access/Roles"
import type { EngineError } from "@countersign/core/domain/errors/EngineError"
import * as FieldProblem from "@countersign/core/domain/values/FieldProblem"
import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import * as Masking from "@countersign/core/domain/values/Masking"
import type { Audit } from "@countersign/core/services/Audit"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { CurrentOrganization, EndpointAccess } from "../Principal.ts"
import { answering, recordFirst, withReason } from "./calls.ts"

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

/** The members of the input that the body does not have. */
type Omitted<O> = Routed<O> extends { readonly omits: ReadonlyArray<infer Name> } ? Name : never

type Body<O extends Operation.Operation> = OrNever<
  Merged<
    Omit<Rest<O["input"]["fields"], Routed<O>["path"]>, Extract<Omitted<O>, PropertyKey>>,
    Routed<O> extends { readonly extra: infer E } ? E : unknown
  >
>

/** The output as the admin API shows it. */
type Shown<O extends Operation.Operation> =
  Routed<O> extends { readonly output: infer A extends Operation.Operation["output"] }
    ? A
    : O["output"]

type Merged<A, B> = B extends Schema.Struct.Fields ? Omit<A, keyof B> & B : A

type Output<O extends Operation.Operation> =
  Routed<O> extends { readonly page: infer P extends string }
    ? Schema.Struct<{ readonly [K in P]: Shown<O> } & { readonly next: typeof next }>
    : Shown<O>

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

/** A body with a name in the description. */
const body = <const Members extends Schema.Struct.Fields>(
  identifier: string,
  members: Members,
): Schema.Struct<Members> => Schema.Struct(members).annotate({ identifier })

/** An integer in a query. */
export const integerBetween = (min: number, max: number) =>
  Schema.String.annotate({ description: `An integer from ${min} to ${max}.` }).pipe(
    Schema.decodeTo(
      Schema.Int,
      SchemaTransformation.transformEffect({
        decode: (text: string) => {
          if (!/^\d{1,16}$/.test(text)) return refuse(FieldProblem.make("not_integer", {}))
          const value = Number(text)
          return value < min || value > max
            ? refuse(FieldProblem.make("out_of_range", { min, max }))
            : Effect.succeed(value)
        },
        encode: (value: number) => Effect.succeed(String(value)),
      }),
    ),
  )

/** The parameter of a path. */
export const ofOrganization = {
  organization: Schema.String.annotate({ description: "The id of the organization." }),
}

/** The summary and description of an endpoint, with the rights that it needs. */
export const described = (access: Access, summary: string, description = "") => {
  const names = rolesFor(access).map((role) => `\`${role}\``)
  const who = access.isOperatorOnly === true ? " without `organizations`" : ""
  return Context.add(
    OpenApi.annotations({
      summary,
      description: `${description} Roles${who}: ${names.join(", ")}.`.trim(),
    }),
    EndpointAccess,
    access,
  )
}

const parametersOf = (path: string) => [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name)

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

const parameterTexts: Readonly<Record<string, string>> = {
  id: "The `id` of the thing in its list.",
  requestId: "The id of the verification.",
}

/** A parameter of the path. The organization is read by the middleware. */
const parameterOf = (name: string, { input }: Operation.Operation): Schema.Top =>
  name === "organization"
    ? ofOrganization.organization
    : Schema.make<Schema.Top>(memberOf(input.fields[name] ?? Schema.String)).pipe(
        Schema.annotateEncoded({ description: parameterTexts[name] }),
      )

/** The members of the body or the query. */
const membersOf = (row: Operation.Operation, { extra, omits = [], path }: Operation.Endpoint) => {
  const inPath = parametersOf(path).map((name) =>
    name === "organization" ? ownerField(row) : name,
  )
  return {
    ...Object.fromEntries(
      Object.entries(row.input.fields).filter(
        ([name]) => name !== "organization" && !inPath.includes(name) && !omits.includes(name),
      ),
    ),
    ...extra,
  }
}

/** The description of a schema, or of what it is written as. */
const descriptionOf = ({ annotations, encoding }: SchemaAST.AST): string | undefined => {
  const own = annotations?.["description"]
  const last = encoding?.at(-1)
  if (typeof own === "string") return own
  return last === undefined ? undefined : descriptionOf(last.to)
}

const answerSchemaOf = (
  row: Operation.Operation,
  { list, output = row.output, page, pageName }: Operation.Endpoint,
) => {
  if (page !== undefined) return body(pageName ?? page, { [page]: output, next })
  return list === undefined ? output : body(pageName ?? list, { [list]: output })
}

const successOf = (row: Operation.Operation, admin: Operation.Endpoint) => {
  if (row.output.ast._tag === "Void") return HttpApiSchema.NoContent
  const { output = row.output } = admin
  const answer: Schema.Top = answerSchemaOf(row, admin)
  // A copy of a body would be another schema of the document.
  return answer.ast.annotations?.["description"] === undefined
    ? answer.annotate({ description: descriptionOf(output.ast) })
    : answer
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
    success: successOf(row, admin),
  }).annotateMerge(described(admin, row.summary, `${row.meaning} ${admin.note ?? ""}`.trim()))
}

interface Group<R extends Rows> {
  readonly title: string
  readonly description: string
  readonly rows: R
}

/** The endpoints of the operations in a group. */
export function groupOf<const G extends string, R extends Rows>(
  name: G,
  group: Group<R>,
): HttpApiGroup.HttpApiGroup<G, EndpointsOf<G, R>>
export function groupOf(name: string, { rows, ...texts }: Group<Rows>): unknown {
  const [first, ...rest] = rowsOf(name, rows).map(([own, row]) => endpointOf(own, row, row.admin))
  if (first === undefined) throw new Error(`No operation is in the group ${name}`)
  return HttpApiGroup.make(name)
    .add(first, ...rest)
    .annotateMerge(OpenApi.annotations(texts))
}

const rowsOf = (group: string, rows: Rows) =>
  Object.entries(rows).flatMap(([method, row]) => {
    const { admin } = row
    return admin?.id.startsWith(`${group}.`) === true
      ? [[admin.id.slice(group.length + 1), { ...row, admin, method }] as const]
      : []
  })

interface Request {
  readonly request: unknown
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
    ? Object(items.at(-1)).id
    : undefined

const answerOf = ({ list, page }: Operation.Endpoint, output: unknown, limit: unknown): unknown => {
  if (page !== undefined) return { [page]: output, next: nextOf(output, limit) }
  return list === undefined ? output : { [list]: output }
}

type Method = (input: unknown) => Effect.Effect<unknown, EngineError>

/** The methods that the endpoints of a group call. */
type Methods<G extends string, R extends Rows> = {
  readonly [K in keyof R as IdOf<R[K]> extends `${G}.${string}` ? K : never]: (
    input: R[K]["input"]["Type"],
  ) => Effect.Effect<Shown<R[K]>["Type"], EngineError>
}

/** The target of a call, as the audit names it. */
const targetOf = (name: string, input: object): string => {
  const text = String(Reflect.get(input, name))
  return name === "phoneNumber" ? Masking.words(text) : text
}

/** The handlers of the endpoints in a group. */
export function handlersOf<const G extends string, R extends Rows>(
  group: G,
  { rows }: Group<R>,
  methods: Methods<G, R>,
): Effect.Effect<Handlers<G, R>, never, Audit>
export function handlersOf(
  group: string,
  { rows }: Group<Rows>,
  methods: Readonly<Record<string, Method>>,
): Effect.Effect<unknown, never, Audit> {
  return Effect.map(recordFirst, (recorded) => {
    const callOf =
      ({ audit, extra }: Operation.Endpoint, method: Method) =>
      (given: object, organization?: OrganizationId) => {
        if (extra?.["reason"] !== undefined) {
          const { reason, ...input } = { reason: undefined, ...given }
          return method(input).pipe(withReason(String(reason)))
        }
        return audit === undefined || organization === undefined
          ? method(given)
          : recorded(organization, audit.action, targetOf(audit.target, given), method(given))
      }
    return Object.fromEntries(
      rowsOf(group, rows).map(([name, { admin, method, ...row }]) => {
        const owner = parametersOf(admin.path).includes("organization")
          ? ownerField(row)
          : undefined
        const own = methods[method]
        if (own === undefined) throw new Error(`${group}.${name} has no method`)
        const call = callOf(admin, own)
        const answer = (request: Request, organization?: OrganizationId) => {
          const { params, payload, query } = request
          const input = { ...query, ...payload, ...params }
          const { organization: _, ...others } = { organization, ...input }
          const whole = owner === undefined ? others : { ...others, [owner]: organization }
          return Effect.map(call(whole, organization), (output) =>
            answerOf(admin, output, Object(query).limit),
          )
        }
        return [
          name,
          (request: Request) =>
            answering(
              owner === undefined
                ? answer(request)
                : Effect.flatMap(CurrentOrganization, (organization) =>
                    answer(request, organization),
                  ),
            ),
        ]
      }),
    )
  })
}
