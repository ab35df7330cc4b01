/**
 * The interface of the service: its endpoints below one base URL, which ends
 * in `/api/v2`. Schemas only; what answers them is in `Http`.
 */
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import * as Bodies from "./Bodies.ts"
import * as Failures from "./Failures.ts"
import { finish } from "./internal/openApi.ts"

/** Says that every endpoint wants a key. Clients add it by themselves; see `Client`. */
export class Authorization extends HttpApiMiddleware.Service<Authorization>()(
  "@countersign/http/Api/Authorization",
  {
    security: {
      apiKey: HttpApiSecurity.http({ scheme: "bearer" }).pipe(
        HttpApiSecurity.annotate(OpenApi.Description, "An API key of the organization."),
      ),
    },
    // A host may let the allow list guard every endpoint.
    error: [Failures.Unauthorized, Failures.AddressNotAllowed, Failures.Unavailable],
  },
) {}

const unreadable = [Failures.BodyTooLarge, Failures.UnsupportedMediaType] as const

const invalidAs = (status: 400 | 422) => Failures.InvalidRequest.pipe(HttpApiSchema.status(status))

const messages = HttpApiGroup.make("messages")
  .add(
    HttpApiEndpoint.post("send", "/messages", {
      payload: Bodies.SendMessage,
      success: Bodies.SentMessage,
      error: [
        Failures.NotSendable,
        Failures.InsufficientBalance,
        ...unreadable,
        invalidAs(422),
        Failures.RateLimited,
        Failures.SendingFailed,
        Failures.InternalError,
      ],
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Send a message",
        description:
          "Sends a text over SMS or WhatsApp. The price is taken before the gateway is asked, and given back when it refuses.",
      }),
    ),
    HttpApiEndpoint.get("list", "/messages", {
      query: Bodies.ListMessages,
      success: Bodies.MessageLog,
      error: [invalidAs(422), Failures.InternalError],
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List messages",
        description: "The organization's log, newest first; verification messages included.",
      }),
    ),
    HttpApiEndpoint.get("get", "/messages/:id", {
      params: { id: Schema.String.annotate({ description: "The `id` of a log entry." }) },
      success: Bodies.LoggedMessage,
      error: [Failures.MessageNotFound, Failures.InternalError],
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Read a message",
        description: "One entry of the organization's log.",
      }),
    ),
  )
  .annotateMerge(OpenApi.annotations({ title: "Messages" }))

const account = HttpApiGroup.make("account")
  .add(
    HttpApiEndpoint.get("balance", "/balance", {
      success: Bodies.Balance,
      error: [Failures.InternalError],
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Read the balance",
        description: "What the organization can still spend.",
      }),
    ),
  )
  .annotateMerge(OpenApi.annotations({ title: "Account" }))

const verifications = HttpApiGroup.make("verifications")
  .add(
    HttpApiEndpoint.post("send", "/verify", {
      payload: Bodies.SendVerification,
      success: Bodies.SentVerification,
      error: [
        // More members first: a client takes the first that fits.
        invalidAs(400),
        Failures.NotSendable,
        Failures.InsufficientBalance,
        ...unreadable,
        Failures.RateLimited,
        Failures.TooManyPending,
        Failures.InternalError,
      ],
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Send a verification code",
        description:
          "Sends a one-time code to a phone number. At most 10 requests a minute, and 5 pending ones, for a number.",
      }),
    ),
    HttpApiEndpoint.post("check", "/verify/check", {
      payload: Bodies.CheckVerification,
      success: Bodies.CheckedVerification,
      error: [
        Failures.WrongCode,
        invalidAs(400),
        Failures.RequestNotFound,
        Failures.RequestExpired,
        ...unreadable,
        Failures.AttemptsExhausted,
        Failures.RateLimited,
        Failures.InternalError,
      ],
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Check a verification code",
        description:
          "Compares the code that a user has typed. Each wrong one costs an attempt; a request that is verified stays so.",
      }),
    ),
  )
  .annotateMerge(OpenApi.annotations({ title: "Verifications" }))

/** Version 2 of the interface. Paths are relative to the base URL. */
export const Api = HttpApi.make("countersign")
  .add(messages)
  .add(account)
  .add(verifications)
  .middleware(Authorization)
  .annotateMerge(
    OpenApi.annotations({
      title: "Countersign",
      version: "2",
      description: "Phone verification by one-time codes, and prepaid SMS and WhatsApp messages.",
      transform: finish,
    }),
  )
