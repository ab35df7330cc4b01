/**
 * Gateways with scripted outcomes, and a router over them.
 */
import * as TestCrypto from "@countersign/testing/TestCrypto"
import { assert } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { TestClock } from "effect/testing"
import { type Capabilities, Gateway, type GatewayMessage } from "../../src/ports/Gateway.ts"
import type { GatewayOutcome } from "../../src/domain/messages/GatewayOutcome.ts"
import { MessageId, OrganizationId } from "../../src/domain/values/Ids.ts"
import * as PhoneNumber from "../../src/domain/values/PhoneNumber.ts"
import * as Router from "../../src/routing/Router.ts"
import type { Route } from "../../src/routing/Route.ts"
import { gatewayLayer } from "./engineOver.ts"
import { untyped } from "./untyped.ts"

const organization = OrganizationId("acme")

export const message = (overrides: Partial<GatewayMessage> = {}): GatewayMessage => ({
  token: MessageId("msg_1"),
  ref: { organization, sequence: 1 },
  purpose: "message",
  class: "transactional",
  channel: "sms",
  phoneNumber: PhoneNumber.fromE164("+8801712345678"),
  sender: "8809612000101",
  text: Redacted.make("hello"),
  ...overrides,
})

export const outcomes = {
  taken: { _tag: "Accepted", gatewayId: "g" },
  arrived: { _tag: "Delivered", gatewayId: "g" },
  unknown: { _tag: "Unknown", message: "?" },
  recipient: { _tag: "Rejected", reason: "recipient", message: "has opted out" },
  absent: { _tag: "Rejected", reason: "recipient", message: "131026", unreachable: true },
  content: { _tag: "Rejected", reason: "content", message: "spam" },
  sender: { _tag: "Rejected", reason: "sender", message: "not approved" },
  account: { _tag: "Rejected", reason: "account", message: "no money" },
  throttled: { _tag: "Throttled", message: "too fast" },
  soon: { _tag: "Throttled", message: "too fast", retryAfterMillis: 3_000 },
  unsent: { _tag: "NotSent", message: "no connection" },
} satisfies Record<string, GatewayOutcome>

export type Word = keyof typeof outcomes

/** What a gateway does that says nothing: it does not answer, dies, or answers what cannot be read. */
export type Trouble = "silence" | "bug" | "garbage"

/** Returns one outcome after another, and then the last one permanently. */
export const scripted = (
  name: string,
  words: ReadonlyArray<Word | Trouble>,
  log: Array<string>,
  capabilities: Partial<Capabilities> = {},
  more: Partial<Omit<Gateway["Service"], "capabilities">> = {},
): Effect.Effect<Gateway["Service"]> => {
  let sends = 0
  return Effect.map(
    Layer.build(
      gatewayLayer({
        name,
        capabilities: { timeoutMillis: 1_000, ...capabilities },
        send: () =>
          Effect.suspend(() => {
            const word = words[Math.min(sends++, words.length - 1)] ?? "unknown"
            log.push(`${name} ${word}`)
            if (word === "silence") return Effect.never
            if (word === "garbage") return Effect.succeed(untyped<GatewayOutcome>({ ok: true }))
            return word === "bug"
              ? Effect.die(new Error("secret"))
              : Effect.succeed<GatewayOutcome>(outcomes[word])
          }),
        ...more,
      }),
    ),
    (context) => Context.get(context, Gateway),
  ).pipe(Effect.scoped)
}

export const make = Effect.fnUntraced(function* (
  scripts: Readonly<Record<string, ReadonlyArray<Word | Trouble>>>,
  options: {
    readonly routes?: ReadonlyArray<Route>
    readonly retryFor?: Router.Options["retryFor"]
    readonly rates?: Omit<Router.Member, "gateway">
    /** The gateway with the rates; all gateways by default. */
    readonly rated?: string
    readonly capabilities?: Partial<Capabilities>
    readonly more?: Partial<Omit<Gateway["Service"], "capabilities">>
  } = {},
) {
  const log: Array<string> = []
  const { capabilities, more, rated, rates, ...rest } = options
  const [first, ...others] = yield* Effect.forEach(Object.entries(scripts), ([name, words]) =>
    Effect.map(scripted(name, words, log, capabilities, more), (gateway) => ({
      gateway,
      ...(rated === undefined || rated === name ? rates : {}),
    })),
  )
  const layer = Router.layer({ members: [first ?? assert.fail(), ...others], ...rest })
  const context = yield* Layer.build(Layer.provide(layer, TestCrypto.layer()))
  const gateway = Context.get(context, Gateway)
  const { health: changes = Stream.empty, states = Effect.succeed([]) } = gateway
  const router = {
    changes,
    health: Effect.map(states, (all) =>
      all.map(
        Struct.omit([
          ...(["capabilities", "channels", "pairMillis", "perSecond"] as const),
          ...(["moved", "retryAt"] as const),
        ]),
      ),
    ),
  }
  /** While time stands still. */
  const sendNow = (one: GatewayMessage = message()) => gateway.send(one)
  /** While time passes as fast as it can. */
  const send = () =>
    Effect.forkChild(sendNow()).pipe(
      Effect.tap(TestClock.adjust("2 minutes")),
      Effect.flatMap(Fiber.join),
    )
  return { gateway, log, router, send, sendNow }
})

export const summaryOf = (outcome: GatewayOutcome): string =>
  outcome._tag === "Accepted" || outcome._tag === "Delivered"
    ? `${outcome._tag} by ${outcome.gateway}`
    : `${outcome._tag}`
