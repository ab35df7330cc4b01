import * as EventTable from "@countersign/core/domain/events/EventTable"
import * as Fields from "@countersign/core/domain/values/FieldReaders"
import { WebhookId } from "@countersign/core/domain/values/Ids"
import type { Webhooks } from "@countersign/core/services/Webhooks"
import * as Redacted from "effect/Redacted"
import type * as Services from "../types/services.ts"
import * as Codec from "@countersign/core/codec/Codec"
import * as Input from "@countersign/core/codec/InputReaders"
import type { Methods } from "./method.ts"

const orNull =
  <A>(read: Fields.Reader<A>): Fields.Reader<A | null> =>
  (value) =>
    value === null ? null : read(value)

const settings = {
  description: Fields.optional(orNull(Fields.text)),
  types: Fields.optional(orNull(Fields.listOf(Fields.oneOf(EventTable.types)))),
  isEnabled: Input.optionalBoolean,
}

const webhookId: Fields.Reader<WebhookId> = (value) => {
  const id = Fields.text(value)
  return typeof id === "string" ? WebhookId(id) : id
}

const ref = { id: webhookId, organization: Input.organization }

export const make = ({ method }: Methods, service: Webhooks["Service"]): Services.Webhooks => ({
  create: method(
    {
      ...settings,
      organization: Input.organization,
      url: Fields.text,
      after: Input.optionalInteger,
    },
    function* (input) {
      const created = yield* service.create(input)
      return { ...Codec.webhook(created), secret: Redacted.value(created.secret) }
    },
  ),
  list: method({ organization: Input.organization }, function* ({ organization }) {
    return (yield* service.list(organization)).map(Codec.webhook)
  }),
  update: method({ ...ref, ...settings, url: Input.optionalText }, function* (input) {
    return Codec.webhook(yield* service.update(input))
  }),
  rotateSecret: method({ ...ref, grace: Input.optionalDuration }, function* (input) {
    const { secret } = yield* service.rotateSecret(input)
    return { secret: Redacted.value(secret) }
  }),
  remove: method(ref, function* (input) {
    yield* service.remove(input)
  }),
  replay: method({ ...ref, after: Input.optionalInteger }, function* (input) {
    return yield* service.replay(input)
  }),
  sendTest: method(ref, function* (input) {
    return yield* service.sendTest(input)
  }),
})
