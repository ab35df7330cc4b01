/**
 * The HTTP interface: its endpoints below one base URL, which ends in `/api/v2`. Contains schemas only; `Http`
 * has the handlers.
 */
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Bodies from "./Bodies.ts"
import { KeysNotFound } from "./Failures.ts"
import { id } from "../mount/internal/keywords.ts"
import { finish } from "../mount/internal/endpointDocs.ts"
import { codesOf, commonFailures, failuresOf } from "./internal/endpointFailures.ts"
import { scopeOf } from "./internal/scopes.ts"

/** Requires an API key for every endpoint of an organization. `Client` adds the key to each request. */
export class Authorization extends HttpApiMiddleware.Service<Authorization>()(
  "@countersign/http/tenant/Api/Authorization",
  {
    security: {
      apiKey: HttpApiSecurity.http({ scheme: "bearer" }).pipe(
        HttpApiSecurity.annotate(OpenApi.Description, "An API key of the organization."),
      ),
    },
    error: commonFailures,
  },
) {}

const messageId = id("The `id` of a log entry.")

const request_id = id("`request_id` of the answer to `POST /verify`.")

/** The summary and the description of each endpoint. */
const texts = {
  send: [
    "Send a message",
    "Sends a text over SMS or WhatsApp. The service charges the price before it sends, and refunds it if the gateway rejects the message.",
  ],
  list: [
    "List messages",
    "Lists the messages of the organization, newest first, verification messages included.",
  ],
  get: ["Read a message", "Returns one message of the organization's log."],
  balance: [
    "Read the balance",
    "Returns the balance of the organization, without the prices of open messages.",
  ],
  verify: [
    "Send a verification code",
    "Sends a one-time code to a phone number. A number can get at most 10 codes a minute and have at most 5 pending requests.",
  ],
  check: [
    "Check a verification code",
    "Compares the code that a user typed. Each wrong code uses one attempt. A verified request stays verified: later checks of it succeed with any code and have no header `Countersign-First`. Only a service with the profile `nist` refuses them with 409 once the verification was consumed.",
  ],
  status: [
    "Read a verification request",
    "Returns the state of a request and its messages, and changes nothing. The answer never contains the code.",
  ],
  resend: [
    "Send the code again",
    "Sends the code of a pending request again, over the same channel or another one. The code expires as before. The service charges each message. A code can be sent again 30 seconds after its last message, and at most 3 times.",
  ],
  cancel: [
    "Cancel a verification request",
    "Ends a pending request, so that it no longer counts as pending. A request that has failed stays so, and the answer is the same.",
  ],
  consume: [
    "Consume a verification",
    "Uses a verified request up. Of all calls, exactly one succeeds. Begin a session or book a payment only after it.",
  ],
} as const satisfies Readonly<Record<keyof typeof scopeOf, unknown>>

const operation = (endpoint: keyof typeof scopeOf) => {
  const [summary, description] = texts[endpoint]
  const needs = `A key with scopes needs \`${scopeOf[endpoint]}\`.`
  return OpenApi.annotations({ summary, description: `${description} ${needs}` })
}

const group = (title: string, description: string) => OpenApi.annotations({ title, description })

const messages = HttpApiGroup.make("messages")
  .add(
    HttpApiEndpoint.post("send", "/messages", {
      payload: Bodies.SendMessage,
      success: Bodies.SentMessage,
      error: failuresOf.send,
    }).annotateMerge(operation("send")),
    HttpApiEndpoint.get("list", "/messages", {
      query: Bodies.ListMessages,
      success: Bodies.MessageLog,
      error: failuresOf.list,
    }).annotateMerge(operation("list")),
    HttpApiEndpoint.get("get", "/messages/:id", {
      params: { id: messageId },
      success: Bodies.LoggedMessage,
      error: failuresOf.get,
    }).annotateMerge(operation("get")),
  )
  .annotateMerge(
    group("Messages", "Send SMS and WhatsApp messages, and read the log of sent messages."),
  )

const account = HttpApiGroup.make("account")
  .add(
    HttpApiEndpoint.get("balance", "/balance", {
      success: Bodies.Balance,
      error: failuresOf.balance,
    }).annotateMerge(operation("balance")),
  )
  .annotateMerge(group("Account", "Read the prepaid balance."))

const verifications = HttpApiGroup.make("verifications")
  .add(
    HttpApiEndpoint.post("send", "/verify", {
      payload: Bodies.SendVerification,
      success: Bodies.SentVerification,
      error: failuresOf.verify,
    }).annotateMerge(operation("verify")),
    HttpApiEndpoint.post("check", "/verify/check", {
      payload: Bodies.CheckVerification,
      success: Bodies.CheckedVerification,
      error: failuresOf.check,
    }).annotateMerge(operation("check")),
  )
  .add(
    HttpApiEndpoint.get("status", "/verify/:request_id", {
      params: { request_id },
      success: Bodies.VerificationStatus,
      error: failuresOf.status,
    }).annotateMerge(operation("status")),
    HttpApiEndpoint.post("resend", "/verify/:request_id/resend", {
      params: { request_id },
      payload: Bodies.ResendVerification,
      success: Bodies.ResentVerification,
      error: failuresOf.resend,
    }).annotateMerge(operation("resend")),
    HttpApiEndpoint.post("cancel", "/verify/:request_id/cancel", {
      params: { request_id },
      success: Bodies.CancelledVerification,
      error: failuresOf.cancel,
    }).annotateMerge(operation("cancel")),
    HttpApiEndpoint.post("consume", "/verify/:request_id/consume", {
      params: { request_id },
      payload: Bodies.ConsumeVerification,
      success: Bodies.ConsumedVerification,
      error: failuresOf.consume,
    }).annotateMerge(operation("consume")),
  )
  .annotateMerge(group("Verifications", "Verify phone numbers with one-time codes."))

const proofs = HttpApiGroup.make("proofs")
  .add(
    HttpApiEndpoint.get("keys", "/jwks.json", {
      success: Bodies.PublicKeys,
      error: [KeysNotFound],
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Read the public keys of proofs",
        description:
          "Returns a JSON Web Key Set, with which other services verify the proofs of `consume`. Requires no API key.",
      }),
    ),
  )
  .annotateMerge(group("Proofs", "Verify that a phone number was verified."))

/** Version 2 of the interface. Paths are relative to the base URL. */
export const Api = HttpApi.make("countersign")
  .add(messages)
  .add(account)
  .add(verifications)
  .middleware(Authorization)
  // Added after the middleware, which it does not get.
  .add(proofs)
  .annotateMerge(
    OpenApi.annotations({
      title: "Countersign",
      version: "2",
      description:
        "Phone verification by one-time codes, and prepaid SMS and WhatsApp messages. The limits, defaults and locales in this document are the standard ones; the operator of the service can set others.",
      license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
      transform: finish(codesOf),
    }),
  )
