/** The outbox in tests: sends to one number, and rounds of a node. */
import * as Samples from "@countersign/testing/Samples"
import * as Effect from "effect/Effect"
import { SimulatedGateway } from "../../src/adapters/SimulatedGateway.ts"
import { OutboxDelivery } from "../../src/jobs/OutboxDelivery.ts"
import { Outbox, type PrepareMessage } from "../../src/services/Outbox.ts"

export const organization = Samples.organizationId
export const phoneNumber = Samples.phoneNumber()

/** Takes what is due, and waits until it is sent. */
export const round = Effect.scoped(OutboxDelivery.use((_) => _.round))

export const prepareMessage = (more: Partial<PrepareMessage> = {}) =>
  Outbox.use((_) => _.prepareMessage({ organization, phoneNumber, text: "Hello", ...more }))

export const enqueued = <A extends Parameters<Outbox["Service"]["enqueue"]>[0][number], E, R>(
  prepare: Effect.Effect<A, E, R>,
) => Effect.tap(prepare, (send) => Outbox.use((_) => _.enqueue([send])))

export const texts = Effect.map(
  SimulatedGateway.use((_) => _.journal(phoneNumber)),
  (journal) => journal.map(({ text }) => text),
)
