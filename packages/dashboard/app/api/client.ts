/** Calls of the admin API: one function, and the hooks that read and write through it. */
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { below } from "../base.ts"

/** A problem of a field: a code for programs, and a sentence of the service. */
export interface FieldProblem {
  readonly code: string
  readonly params: Readonly<Record<string, unknown>>
  readonly message: string
}

/** The problems of each field, by its name. */
export type Problems = Readonly<Record<string, ReadonlyArray<FieldProblem>>>

interface Refusal {
  readonly code?: string
  /** The sentence of the service. */
  readonly error?: string
  /** The values of the sentence. */
  readonly params?: Readonly<Record<string, unknown>>
  readonly problems?: Problems
}

/** An answer that is no success. `status` 0: the server did not answer. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly params: Readonly<Record<string, unknown>>
  readonly problems: Problems
  constructor(status: number, { code = "", error = "", params = {}, problems = {} }: Refusal) {
    super(error)
    this.name = "ApiError"
    this.status = status
    this.code = code
    this.params = params
    this.problems = problems
  }
}

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

const errorOf = async (response: Response): Promise<ApiError> => {
  const text = await response.text()
  try {
    return new ApiError(response.status, JSON.parse(text) ?? {})
  } catch {
    return new ApiError(response.status, {})
  }
}

interface CallOptions {
  readonly body?: object | undefined
  readonly signal?: AbortSignal | undefined
}

export const call = async (
  method: Method,
  path: string,
  { body, signal }: CallOptions = {},
): Promise<Response> => {
  const init: RequestInit = {
    method,
    headers: { accept: "application/json", ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }
  const response = await fetch(below(`api/${path}`), init).catch((error: unknown) => {
    if (signal?.aborted === true) throw error
    throw new ApiError(0, {})
  })
  if (!response.ok) throw await errorOf(response)
  return response
}

/** Trusts the shape: page and API are of one version, served by one mount. */
const json = async <A>(response: Response): Promise<A> =>
  response.status === 204 ? JSON.parse("null") : response.json()

type Parameter = string | number | boolean | null | undefined | ReadonlyArray<string>

/** A path with the parameters that have a value. A list is repeated. */
export const withQuery = (
  path: string,
  parameters: Readonly<Record<string, Parameter>>,
): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters))
    if (typeof value === "object" && value !== null)
      for (const one of value) query.append(name, one)
    else if (value !== undefined && value !== null && value !== "")
      query.append(name, String(value))
  const text = query.toString()
  return text === "" ? path : `${path}?${text}`
}

interface ReadOptions {
  /** Milliseconds after which the data is read again. */
  readonly every?: number | undefined
  /** Shows the data of the page before until the new one is there. */
  readonly keep?: boolean | undefined
  readonly enabled?: boolean | undefined
}

/** The query of a path of the API. */
export const readPath = <A>(path: string) => ({
  queryKey: [path],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<A> =>
    json<A>(await call("GET", path, { signal })),
})

/** Reads a path of the API. */
export const useRead = <A>(path: string, { enabled, every, keep }: ReadOptions = {}) =>
  useQuery<A, Error>({
    ...readPath<A>(path),
    enabled: enabled ?? true,
    ...(every === undefined ? {} : { refetchInterval: every }),
    ...(keep === true ? { placeholderData: keepPreviousData } : {}),
  })

export interface Write {
  readonly method: Exclude<Method, "GET">
  readonly path: string
  readonly body?: object | undefined
}

export const send = async <A>({ body, method, path }: Write): Promise<A> =>
  json<A>(await call(method, path, { body }))

/** Writes to the API, and reads again what lies below `stale`: a part of a path. */
export const useWrite = <A = unknown>(...stale: ReadonlyArray<string>) => {
  const client = useQueryClient()
  return useMutation<A, Error, Write>({
    mutationFn: (write) => send<A>(write),
    // Not awaited: a form may be gone when the data is there again, and its own callback with it.
    onSuccess: () =>
      void client.invalidateQueries({
        predicate: ({ queryKey: [path] }) =>
          typeof path === "string" && stale.some((part) => path.startsWith(part)),
      }),
  })
}
