/**
 * The login: its endpoints below one base URL. Contains schemas only; `Login` has the handlers.
 */
import { verifications } from "@countersign/core/api/verifications"
import { type AnyCode, rowOf } from "@countersign/core/domain/errors/ErrorRows"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { wait } from "../mount/internal/endpointDocs.ts"
import * as Bodies from "./LoginBodies.ts"

const ofBody = ["invalid_request", "body_too_large", "unsupported_media_type"] as const

const ofAll = ["foreign_origin", "internal", "unavailable"] as const

/** The error codes of each endpoint. Errors that only an operator can mend are `unavailable`. */
const codesOf: Readonly<Record<string, ReadonlyArray<AnyCode>>> = {
  // The request may have failed when it is read.
  start: [...ofBody, ...ofAll, ...verifications.send.errors, "attempts_exhausted"],
  resend: [...ofBody, ...ofAll, ...verifications.resend.errors],
  check: [...ofBody, ...ofAll, ...verifications.verify.errors, "number_changed"],
  // An end of the request is as good as its cancellation.
  cancel: [...ofBody, ...ofAll],
  state: ofAll,
}

/** No call of the login has an idempotency key. */
const isPossible = (code: AnyCode): boolean =>
  rowOf(code).isForOperators !== true && !code.startsWith("idempotency")

/** The codes of an endpoint by status. */
const byStatus = (name: string): ReadonlyMap<number, ReadonlyArray<AnyCode>> =>
  Map.groupBy(new Set((codesOf[name] ?? []).filter(isPossible)), (code) => rowOf(code).status)

const failuresOf = (name: string) =>
  [...byStatus(name).keys()]
    .toSorted((one, other) => one - other)
    .map((status) => Bodies.Problem.pipe(HttpApiSchema.status(status)))

const described = (summary: string, description: string) =>
  OpenApi.annotations({ summary, description })

const [start, resend, check, cancel, waiting, idle] = [
  Schema.toCodecJson(Bodies.Start),
  Schema.toCodecJson(Bodies.Resend),
  Schema.toCodecJson(Bodies.Check),
  Schema.toCodecJson(Bodies.Cancel),
  Schema.toCodecJson(Bodies.Waiting),
  Schema.toCodecJson(Bodies.Idle),
]

const login = HttpApiGroup.make("login")
  .add(
    HttpApiEndpoint.post("start", "/start", {
      payload: start,
      success: waiting,
      error: failuresOf("start"),
    }).annotateMerge(
      described(
        "Send a code",
        "Sends a code, and sets the cookie that binds its request to this browser. With the number that the browser waits for, it sends nothing before `resendAt`, and then the same code again. With another number, it cancels the earlier request. The answer does not depend on whether the number has an account.",
      ),
    ),
    HttpApiEndpoint.post("resend", "/resend", {
      payload: resend,
      success: waiting,
      error: failuresOf("resend"),
    }).annotateMerge(
      described("Send the code again", "Sends the same code again. It expires as before."),
    ),
    HttpApiEndpoint.post("check", "/check", {
      payload: check,
      success: Bodies.Answer,
      error: failuresOf("check"),
    }).annotateMerge(
      described(
        "Check a code",
        "Checks the code and uses the request up. Of all calls for a request, one gets the host's answer. It removes the cookie.",
      ),
    ),
    HttpApiEndpoint.post("cancel", "/cancel", {
      payload: cancel,
      success: idle,
      error: failuresOf("cancel"),
    }).annotateMerge(
      described("Cancel", "Ends the request of this browser, if it has one. Safe to repeat."),
    ),
    HttpApiEndpoint.get("state", "/state", {
      success: Schema.Union([waiting, idle]),
      error: failuresOf("state"),
    }).annotateMerge(
      described("Read the state", "What the page shows after a reload. Changes nothing."),
    ),
  )
  .annotateMerge(
    OpenApi.annotations({ title: "Login", description: "Sign a phone number in with a code." }),
  )

/** Names the codes of each refusal, and the headers. */
const finish = (spec: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const document: OpenApi.OpenAPISpec = JSON.parse(JSON.stringify(spec))
  for (const { get, post } of Object.values(document.paths)) {
    for (const operation of [get, post]) {
      const name = operation?.operationId.replace(/^login\./, "") ?? ""
      for (const [status, codes] of byStatus(name)) {
        const response = operation?.responses[status]
        if (response === undefined) continue
        response.description = codes.map((code) => `\`${code}\``).join(", ")
        if (status === 429 || status === 503) response.headers = { "Retry-After": wait }
      }
    }
  }
  return { ...document }
}

/** The login. Paths are relative to its base URL. */
export const LoginApi = HttpApi.make("countersign-login")
  .add(login)
  .annotateMerge(
    OpenApi.annotations({
      title: "Countersign login",
      version: "1",
      description:
        "The endpoints of a login by phone, for the pages of a host. A signed cookie that scripts cannot read binds a verification request to the browser that has begun it.",
      license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
      transform: finish,
    }),
  )
