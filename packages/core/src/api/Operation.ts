/**
 * The definition of an operation: its input, output and errors, its meaning, and its endpoint in the admin API. The
 * admin API, its description, the types of the promise API and the validation of inputs follow from it. It describes
 * the operation; a service performs it.
 *
 * `Type` of a schema is what the services take and return. `Encoded` is the plain data of the promise API: a decimal
 * for an amount, a `Date` for a time. The JSON of the admin API is its `Schema.toCodecJson`.
 */
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { EngineError } from "../domain/errors/EngineError.ts"
import type { HostEffect } from "./Caller.ts"
import type { ErrorCode } from "../domain/errors/ErrorCode.ts"
import type { Access, Right } from "../domain/access/Roles.ts"

/** An endpoint of the admin API. Fields of the input that the path does not name are its body, or its query. */
export interface Endpoint extends Access {
  /** Its group and its name, as in `apiKeys.list`. */
  readonly id: `${string}.${string}`
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** `:organization` is the input's `organization`, or its `id` if it has no `organization`. */
  readonly path: `/${string}`
  /** Information for callers of the admin API only. */
  readonly note?: string
  /** The name of the items in a page, if the output is a part of a list. */
  readonly page?: string
  /** The name of the items, if the output is a whole list. */
  readonly list?: string
  /** The name of the page or the list in the description. */
  readonly pageName?: string
  /** The answer of the admin API, if its members differ from the answer of the promise API. */
  readonly output?: Data
  /** Maximum size of its body in bytes. @defaultValue 65,536 */
  readonly maxBodyBytes?: number
  /** Members of the input that its body does not have. */
  readonly omits?: ReadonlyArray<string>
  /** The action that the audit records before the call, and the member of the input that names its target. */
  readonly audit?: { readonly action: string; readonly target: string }
  /** Members of the body that only the admin API has. `reason` is what the audit states. */
  readonly extra?: Schema.Struct.Fields
  /** A body for the description. */
  readonly example?: object
}

/** How an operation returns a part of a list. The promise API has pages with `items` and `next` instead. */
export interface Listing {
  /** The member of the output with the items. Without it, the output is the list. */
  readonly items?: string
  /** The member of the input with which a part begins. Without it, the operation returns all items. */
  readonly from?: string
  /** Whether hosts may store positions, so that the promise API has the member `from` beside `cursor`. */
  readonly isStored?: boolean
  /** The member of an item that is its position. */
  readonly by?: "id" | "sequence"
}

type Data = Schema.Codec<unknown, unknown>

export interface Operation {
  /** A few words. */
  readonly summary: string
  /** Information for callers besides the summary. */
  readonly meaning: string
  readonly input: Data & { readonly fields: Schema.Struct.Fields }
  readonly output: Data
  /** The errors besides those that every operation of an organization has. */
  readonly errors?: ReadonlyArray<ErrorCode>
  readonly admin?: Endpoint
  readonly listing?: Listing
}

/** The operations of a subject, by the names of their methods. */
export interface Operations {
  readonly [name: string]: Operation
}

/** Keeps the type of an operation. */
export const operation = <const O extends Operation>(self: O): O => self

type More = Omit<Endpoint, "id" | "right" | "method" | "path">

/** Makes the function that describes endpoints with a method. */
const endpointsBy = <const Method extends Endpoint["method"]>(method: Method) => {
  function describe<
    const Id extends Endpoint["id"],
    const Path extends Endpoint["path"],
    const M extends More = object,
  >(
    id: Id,
    right: Right,
    path: Path,
    more?: M,
  ): { readonly id: Id; readonly right: Right; readonly method: Method; readonly path: Path } & M
  function describe(
    id: Endpoint["id"],
    right: Right,
    path: Endpoint["path"],
    more?: More,
  ): Endpoint {
    return { id, right, method, path, ...more }
  }
  return describe
}

export const get = endpointsBy("GET")
export const post = endpointsBy("POST")
export const put = endpointsBy("PUT")
export const patch = endpointsBy("PATCH")
export const remove = endpointsBy("DELETE")

/** The errors of an operation. */
export type ErrorOf<O> = O extends { readonly errors: ReadonlyArray<infer Code> }
  ? Extract<EngineError, { readonly code: Code }>
  : never

/** The inputs of the operations of a subject. */
export type Inputs<O extends Operations> = { readonly [K in keyof O]: O[K]["input"]["Type"] }

/** The services that perform the operations of a subject. */
export type Methods<O extends Operations, E, R = never> = {
  readonly [K in keyof O]: (
    input: O[K]["input"]["Type"],
  ) => Effect.Effect<O[K]["output"]["Type"], E, R>
}

/** The methods of a service that performs the operations of a subject for the host. */
export type HostMethods<O extends Operations> = {
  readonly [K in keyof O]: (
    input: O[K]["input"]["Type"],
  ) => HostEffect<O[K]["output"]["Type"], ErrorOf<O[K]>>
}

/** Makes the function that gives a result its plain form. */
export const showing = <O extends Pick<Operation, "output">>({
  output,
}: O): ((result: O["output"]["Type"]) => O["output"]["Encoded"]) => Schema.encodeSync(output)
