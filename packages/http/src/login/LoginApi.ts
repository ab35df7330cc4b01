/**
 * The login: its endpoints below one base URL. Contains schemas only; `Login` has the handlers.
 */
import { verifications } from "@countersign/core/api/verifications"
import type { AnyCode } from "@countersign/core/domain/errors/ErrorRows"
import { rowOf } from "@countersign/core/domain/errors/ErrorRows"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Bodies from "./LoginBodies.ts"

const { Start, Resend, Check, Cancel, Waiting, Idle, Answer } = Bodies

/** The statuses that endpoints refuse with. Errors that only an operator can mend are 503. */
const failures = (codes: ReadonlyArray<AnyCode>) => {
  const common: ReadonlyArray<AnyCode> = ["foreign_origin", "internal", "unavailable"]
  const statuses = [...codes, ...common]
    .map(rowOf)
    .map(({ isForOperators, status }) => (isForOperators === true ? 503 : status))
  return [...new Set(statuses)]
    .toSorted((one, other) => one - other)
    .map((status) => Bodies.Problem.pipe(HttpApiSchema.status(status)))
}

const ofBody = ["invalid_request", "body_too_large", "unsupported_media_type"] as const

const described = (summary: string, description: string) =>
  OpenApi.annotations({ summary, description })

const json = <S extends Schema.Top>(schema: S) => Schema.toCodecJson(schema)

const login = HttpApiGroup.make("login")
  .add(
    HttpApiEndpoint.post("start", "/start", {
      payload: json(Start),
      success: json(Waiting),
      error: failures([...ofBody, ...verifications.send.errors]),
    }).annotateMerge(
      described(
        "Send a code",
        "Sends a code, and sets the cookie that binds its request to this browser. With the number that the browser waits for, it sends nothing before `resendAt`, and then the same code again. With another number, it cancels the earlier request. The answer does not depend on whether the number has an account.",
      ),
    ),
    HttpApiEndpoint.post("resend", "/resend", {
      payload: json(Resend),
      success: json(Waiting),
      error: failures([...ofBody, ...verifications.resend.errors]),
    }).annotateMerge(
      described("Send the code again", "Sends the same code again. It expires as before."),
    ),
    HttpApiEndpoint.post("check", "/check", {
      payload: json(Check),
      success: Answer,
      error: failures([...ofBody, "number_changed", ...verifications.verify.errors]),
    }).annotateMerge(
      described(
        "Check a code",
        "Checks the code and uses the request up. Of all calls for a request, one gets the host's answer. It removes the cookie.",
      ),
    ),
    HttpApiEndpoint.post("cancel", "/cancel", {
      payload: json(Cancel),
      success: json(Idle),
      error: failures([...ofBody, ...verifications.cancel.errors]),
    }).annotateMerge(
      described("Cancel", "Ends the request of this browser, if it has one. Safe to repeat."),
    ),
    HttpApiEndpoint.get("state", "/state", {
      success: Schema.Union([json(Waiting), json(Idle)]),
      error: failures([]),
    }).annotateMerge(
      described("Read the state", "What the page shows after a reload. Changes nothing."),
    ),
  )
  .annotateMerge(
    OpenApi.annotations({ title: "Login", description: "Sign a phone number in with a code." }),
  )

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
    }),
  )
