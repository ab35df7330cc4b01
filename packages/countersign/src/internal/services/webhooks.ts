import * as EventType from "@countersign/core/domain/EventType"
import * as Fields from "@countersign/core/domain/Fields"
import { WebhookId } from "@countersign/core/domain/Ids"
import type { Webhooks } from "@countersign/core/services/Webhooks"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Method } from "../errors/translate.ts"
import type * as Services from "../types/services.ts"
import type * as Types from "@countersign/core/codec/WebhookData"
import * as Codec from "@countersign/core/codec/Codec"
import * as Input from "@countersign/core/codec/InputReaders"

const orNull =
  <A>(read: Fields.Reader<A>): Fields.Reader<A | null> =>
  (value) =>
    value === null ? null : read(value)

const description = Fields.optional(orNull(Fields.text))

const types = Fields.optional(orNull(Fields.listOf(Fields.oneOf(EventType.all))))

const settings = Effect.fnUntraced(function* (input: Omit<Types.UpdateWebhook, "id">) {
  return {
    description: yield* Input.field("description", description(input.description)),
    types: yield* Input.field("types", types(input.types)),
    isEnabled: yield* Input.field("isEnabled", Input.optionalBoolean(input.isEnabled)),
  }
})

const refOf = Effect.fnUntraced(function* (input: Types.OfWebhook) {
  return {
    id: WebhookId(yield* Input.text("id", input.id)),
    organization: yield* Input.organizationOf(input),
  }
})

export const make = (method: Method, service: Webhooks["Service"]): Services.Webhooks => ({
  create: method(function* (input) {
    const created = yield* service.create({
      organization: yield* Input.organizationOf(input),
      url: yield* Input.text("url", input.url),
      after: yield* Input.field("after", Input.optionalInteger(input.after)),
      ...(yield* settings(input)),
    })
    return { ...Codec.webhook(created), secret: Redacted.value(created.secret) }
  }),
  list: method(function* (input = {}) {
    return (yield* service.list(yield* Input.organizationOf(input))).map(Codec.webhook)
  }),
  update: method(function* (input) {
    return Codec.webhook(
      yield* service.update({
        ...(yield* refOf(input)),
        url: yield* Input.field("url", Input.optionalText(input.url)),
        ...(yield* settings(input)),
      }),
    )
  }),
  rotateSecret: method(function* (input) {
    const grace = yield* Input.field("graceSeconds", Input.graceSeconds(input.graceSeconds))
    const graceMillis = grace === undefined ? undefined : grace * 1_000
    const { secret } = yield* service.rotateSecret({ ...(yield* refOf(input)), graceMillis })
    return { secret: Redacted.value(secret) }
  }),
  remove: method(function* (input) {
    yield* service.remove(yield* refOf(input))
  }),
  replay: method(function* (input) {
    const after = yield* Input.field("after", Input.optionalInteger(input.after))
    return yield* service.replay({ ...(yield* refOf(input)), after })
  }),
  sendTest: method(function* (input) {
    return yield* service.sendTest(yield* refOf(input))
  }),
})
