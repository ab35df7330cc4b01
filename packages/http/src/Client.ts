/**
 * A typed client of the HTTP interface.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
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

/** The client. Its methods fail with the errors of `Failures`, which differ by `_tag`. */
export class Client extends Context.Service<Client, HttpApiClient.ForApi<typeof Api>>()(
  "@countersign/http/Client",
) {}

export const make = ({
  apiKey,
  baseUrl,
  transformClient = (client) => client,
}: Options): Effect.Effect<Client["Service"], never, HttpClient.HttpClient> =>
  HttpApiClient.make(Api, {
    baseUrl,
    transformClient: (client) =>
      transformClient(HttpClient.mapRequest(client, HttpClientRequest.bearerToken(apiKey))),
  })

export const layer = (options: Options): Layer.Layer<Client, never, HttpClient.HttpClient> =>
  Layer.effect(Client, make(options))
