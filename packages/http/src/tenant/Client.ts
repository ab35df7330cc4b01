/**
 * A typed client of the HTTP interface.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import { Api } from "./Api.ts"

export interface Options {
  /** Ends with the version segment: `https://example.com/api/v2`. */
  readonly baseUrl: string
  readonly apiKey: Redacted.Redacted<string>
  /** Changes how requests are made, for example to add retries. */
  readonly transformClient?: ((client: HttpClient.HttpClient) => HttpClient.HttpClient) | undefined
}

const IdempotencyKey = Context.Reference<string | undefined>(
  "@countersign/http/tenant/Client/IdempotencyKey",
  { defaultValue: () => undefined },
)

/**
 * Gives a call an idempotency key: 1 to 255 printable ASCII characters, unique for each call of the organization
 * and the endpoint. A repeat with the key and the same input within 24 hours has no effect and gets the first
 * answer. The endpoints `send`, `resend` and `consume` read it.
 *
 * @example
 * ```ts
 * verifications
 *   .send({ payload: { phone_number: "+8801712345678" } })
 *   .pipe(Client.withIdempotencyKey(crypto.randomUUID()), Effect.retry({ times: 2 }))
 * ```
 */
export const withIdempotencyKey = (key: string) => Effect.provideService(IdempotencyKey, key)

const addIdempotencyKey = (request: HttpClientRequest.HttpClientRequest) =>
  Effect.map(IdempotencyKey, (key) =>
    key === undefined ? request : HttpClientRequest.setHeader(request, "idempotency-key", key),
  )

/** The client. Its methods fail with the errors of `Failures`, which differ by `_tag`. */
export class Client extends Context.Service<Client, HttpApiClient.ForApi<typeof Api>>()(
  "@countersign/http/tenant/Client",
) {}

export const make = ({
  apiKey,
  baseUrl,
  transformClient = (client) => client,
}: Options): Effect.Effect<Client["Service"], never, HttpClient.HttpClient> =>
  HttpApiClient.make(Api, {
    baseUrl,
    transformClient: (client) =>
      transformClient(
        client.pipe(
          HttpClient.mapRequest(HttpClientRequest.bearerToken(apiKey)),
          HttpClient.mapRequestEffect(addIdempotencyKey),
        ),
      ),
  })

export const layer = (options: Options): Layer.Layer<Client, never, HttpClient.HttpClient> =>
  Layer.effect(Client, make(options))
