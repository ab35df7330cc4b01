/**
 * Actions that follow each other, because independent actions seldom meet. For example, an owner returns while
 * strangers hold all places of its number, or a code is sent again, verified, used up, and retried.
 */
import * as fc from "fast-check"
import { fewTimes } from "./actions.ts"
import { type Action, action, type Among, type Purpose, type RetriedTag } from "./scenario.ts"

const node = fc.nat({ max: 1 })

const verify = action("verify", {
  node,
  org: fc.constant(0),
  // People without a delay.
  person: fc.nat({ max: 1 }),
  // Messages over WhatsApp are free, and leave the balance to other actions.
  channel: fc.constantFrom("whatsapp" as const, "sms" as const),
  codeLength: fc.constant(undefined),
  expirySeconds: fc.constantFrom(300, 3_600),
  brand: fc.constant(undefined),
  purpose: fc.constantFrom(undefined, "login" as const),
  key: fc.constant(undefined),
  client: fc.constant(undefined),
  known: fc.constant(undefined),
  count: fc.constant(1),
})

const newest = {
  node,
  org: fc.constant(undefined),
  request: fc.constant(0),
  among: fc.constant<Among>("newest"),
  key: fc.constant(undefined),
}

const check = (code: "right" | "wrong", client: number | undefined) =>
  action("check", {
    ...newest,
    by: fc.constant("request" as const),
    purpose: fc.constant(undefined),
    code: fc.constant(code),
    client: fc.constant(client),
    isKnown: fc.constant(false),
    count: fewTimes,
  })

const resend = (client: number | undefined) =>
  action("resend", {
    ...newest,
    channel: fc.constantFrom(undefined, "sms", "whatsapp"),
    count: fewTimes,
    client: fc.constant(client),
    isKnown: fc.constant(false),
  })

const consume = action("consume", {
  ...newest,
  purpose: fc.constantFrom(undefined, "login"),
  count: fewTimes,
})

const retry = (tag: RetriedTag) =>
  action("retry", {
    node,
    of: fc.constant(tag),
    call: fc.nat({ max: 1 }),
    isOther: fc.constantFrom(false, false, true),
  })

/** Each action may be missing, so that a failing history becomes as short as possible. */
const inOrder = (
  ...steps: ReadonlyArray<fc.Arbitrary<Action>>
): fc.Arbitrary<ReadonlyArray<Action>> =>
  fc
    .tuple(...steps.map((step) => fc.option(step, { nil: undefined, freq: 12 })))
    .map((taken) => taken.filter((action) => action !== undefined))

const owner = 0
const cooldown = fc.constant({ tag: "advance", millis: 30_000 } as const)

const returningOwner = fc
  .tuple(verify, fc.integer({ min: 4, max: 7 }), fc.constantFrom(undefined, 1))
  .chain(([sent, count, stranger]) => {
    const byOwner = fc.constant({ ...sent, client: owner })
    return inOrder(
      byOwner,
      check("right", owner),
      fc.constant({ ...sent, count }),
      check("wrong", stranger),
      check("wrong", stranger),
      byOwner,
      check("wrong", owner),
      cooldown,
      resend(owner),
      check("right", owner),
    )
  })

const wholeLife = inOrder(
  verify,
  retry("verify"),
  cooldown,
  resend(undefined),
  retry("resend"),
  check("right", undefined),
  consume,
  retry("consume"),
  retry("resend"),
)

const verifyCode = (code: "right" | "wrong", purpose: Purpose) =>
  action("verifyCode", {
    ...newest,
    purpose: fc.constant(purpose),
    code: fc.constant(code),
    client: fc.constant(undefined),
    isKnown: fc.constant(false),
    count: fewTimes,
  })

/** A code that is checked and used up at once, perhaps after a check. */
const oneStep = verify.chain((sent) =>
  inOrder(
    fc.constant(sent),
    verifyCode("wrong", sent.purpose),
    check("right", undefined),
    verifyCode("wrong", sent.purpose),
    verifyCode("right", sent.purpose),
    retry("verifyCode"),
    verifyCode("right", sent.purpose),
    retry("verifyCode"),
  ),
)

export const episodes: ReadonlyArray<fc.Arbitrary<ReadonlyArray<Action>>> = [
  returningOwner,
  wholeLife,
  oneStep,
]
