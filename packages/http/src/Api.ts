/**
 * The HTTP interface: its endpoints below one base URL, which ends in `/api/v2`. Contains schemas only; `Http`
 * has the handlers.
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
import { keywords } from "./internal/keywords.ts"
import { finish } from "./internal/openApi.ts"

/** Requires an API key for every endpoint. `Client` adds the key to each request. */
export class Authorization extends HttpApiMiddleware.Service<Authorization>()(
  "@countersign/http/Api/Authorization",
  {
    security: {
      apiKey: HttpApiSecurity.http({ scheme: "bearer" }).pipe(
        HttpApiSecurity.annotate(OpenApi.Description, "An API key of the organization."),
      ),
    },
    // `guardAllEndpoints` applies the allow list to every endpoint.
    error: [Failures.Unauthorized, Failures.AddressNotAllowed, Failures.Unavailable],
  },
) {}

const unreadable = [Failures.BodyTooLarge, Failures.UnsupportedMediaType] as const

const invalidAs = (status: 400 | 422) => Failures.InvalidRequest.pipe(HttpApiSchema.status(status))

const id = Schema.String.annotate({ description: "The `id` of a log entry." }).check(
  keywords({ minLength: 1 }),
)

const operation = (summary: string, description: string) =>
  OpenApi.annotations({ summary, description })

const group = (title: string, description: string) => OpenApi.annotations({ title, description })

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
      operation(
        "Send a message",
        "Sends a text over SMS or WhatsApp. The service charges the price before it sends, and refunds it if the gateway rejects the message.",
      ),
    ),
    HttpApiEndpoint.get("list", "/messages", {
      query: Bodies.ListMessages,
      success: Bodies.MessageLog,
      error: [invalidAs(422), Failures.InternalError],
    }).annotateMerge(
      operation(
        "List messages",
        "Lists the messages of the organization, newest first, verification messages included.",
      ),
    ),
    HttpApiEndpoint.get("get", "/messages/:id", {
      params: { id },
      success: Bodies.LoggedMessage,
      error: [Failures.MessageNotFound, Failures.InternalError],
    }).annotateMerge(operation("Read a message", "Returns one message of the organization's log.")),
  )
  .annotateMerge(
    group("Messages", "Send SMS and WhatsApp messages, and read the log of sent messages."),
  )

const account = HttpApiGroup.make("account")
  .add(
    HttpApiEndpoint.get("balance", "/balance", {
      success: Bodies.Balance,
      error: [Failures.InternalError],
    }).annotateMerge(
      operation(
        "Read the balance",
        "Returns the balance of the organization, without the prices of open messages.",
      ),
    ),
  )
  .annotateMerge(group("Account", "Read the prepaid balance."))

const verifications = HttpApiGroup.make("verifications")
  .add(
    HttpApiEndpoint.post("send", "/verify", {
      payload: Bodies.SendVerification,
      success: Bodies.SentVerification,
      error: [
        // The schema with more members comes first, because a client takes the first that matches.
        invalidAs(400),
        Failures.NotSendable,
        Failures.InsufficientBalance,
        ...unreadable,
        Failures.RateLimited,
        Failures.TooManyPending,
        Failures.InternalError,
      ],
    }).annotateMerge(
      operation(
        "Send a verification code",
        "Sends a one-time code to a phone number. A number can get at most 10 codes a minute and have at most 5 pending requests.",
      ),
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
      operation(
        "Check a verification code",
        "Compares the code that a user typed. Each wrong code uses one attempt. A verified request stays verified: later checks of it succeed with any code and have no header `Countersign-First`.",
      ),
    ),
  )
  .annotateMerge(group("Verifications", "Verify phone numbers with one-time codes."))

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
      description:
        "Phone verification by one-time codes, and prepaid SMS and WhatsApp messages. The limits, defaults and locales in this document are the standard ones; the operator of the service can set others.",
      license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
      transform: finish,
    }),
  )
