/**
 * The vendor of a campaign. It outlives the nodes, counts what each message was given to it, and decides by the last
 * two digits of the phone number what it does with it.
 */
import type { DeliveryReport, Reported } from "@countersign/core/domain/messages/DeliveryReport"
import type { GatewayOutcome } from "@countersign/core/domain/messages/GatewayOutcome"
import { OrganizationId } from "@countersign/core/domain/values/Ids"
import { Gateway, type GatewayMessage } from "@countersign/core/ports/Gateway"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"

/** A message as it comes to the vendor. */
export interface Given {
  readonly token: string
  readonly organization: string
  readonly sequence: number
  readonly phoneNumber: string
  readonly code: string | undefined
}

/** `silent`: the vendor never answers. */
export type Answer = GatewayOutcome | "silent"

/** How a vendor recovers an outcome that was lost: it finds tokens, honours them, or neither. */
export const abilities = ["lookup", "token", "none"] as const

export type Ability = (typeof abilities)[number]

/** The vendor as nodes reach it, from its process or from others. */
export interface VendorPort {
  readonly ability: Ability
  readonly take: (message: Given) => Promise<Answer>
  readonly find: (token: string) => Promise<GatewayOutcome | Reported>
}

interface Taken extends Given {
  /** How often the message was given. */
  times: number
  readonly fate: Fate
}

type Fate = "delivered" | "undelivered" | "rejected"

interface Habit {
  readonly fate: Fate | "not taken"
  readonly isSilent?: true
  readonly isReported?: true
}

/** What happens to one message of fifty each. All others are delivered at once. */
const habits: ReadonlyArray<Habit> = [
  { fate: "delivered", isSilent: true },
  { fate: "not taken", isSilent: true },
  { fate: "rejected" },
  { fate: "delivered", isReported: true },
  { fate: "undelivered", isReported: true },
]

const habitOf = (phoneNumber: string): Habit =>
  habits[Math.floor(Number(phoneNumber.slice(-2)) / 2)] ?? { fate: "delivered" }

const words = (fate: Fate): Reported => ({
  _tag: "Reported",
  status: fate === "rejected" ? "rejected" : fate,
  detail: fate,
})

/**
 * `isHeld`: whether the price of a message is held now, by the database; `undefined` if it cannot tell. `isSilent`: whether
 * the vendor leaves messages without an answer.
 */
export class Vendor implements VendorPort {
  readonly ability: Ability
  readonly taken = new Map<string, Taken>()
  /** The reports that wait for a node. */
  readonly reports: Array<DeliveryReport> = []
  /** What must not happen. */
  readonly problems: Array<string> = []
  /** Number of messages whose hold was seen before they were taken. */
  held = 0
  readonly #isHeld: (message: Given) => Promise<boolean | undefined>
  readonly #mayLoseHolds: boolean
  readonly #codes = new Map<string, string>()

  /** `mayLoseHolds`: whether the database may have lost a hold again. */
  constructor(
    ability: Ability,
    isHeld: (message: Given) => Promise<boolean | undefined>,
    mayLoseHolds: boolean,
  ) {
    this.ability = ability
    this.#isHeld = isHeld
    this.#mayLoseHolds = mayLoseHolds
  }

  readonly take = async (message: Given): Promise<Answer> => {
    const { fate, isReported, isSilent } = habitOf(message.phoneNumber)
    if (fate === "not taken") return "silent"
    const isHeld = await this.#isHeld(message)
    if (isHeld === true) this.held += 1
    else if (isHeld === false && !this.#mayLoseHolds)
      this.problems.push(`I6: ${message.token} was given without a hold`)
    const { code, phoneNumber } = message
    if (fate === "delivered" && code !== undefined) this.#codes.set(phoneNumber, code)
    const known = this.taken.get(message.token)
    if (known === undefined) this.taken.set(message.token, { ...message, times: 1, fate })
    else {
      known.times += 1
      if (this.ability !== "token") this.problems.push(`I7: ${message.token} was given twice`)
      for (const field of ["organization", "sequence", "phoneNumber", "code"] as const) {
        if (known[field] !== message[field])
          this.problems.push(`I7: the ${field} of ${message.token} has changed`)
      }
    }
    if (isSilent === true) return "silent"
    const gatewayId = `v_${message.token}`
    if (isReported === true) {
      const { token, sequence } = message
      const organization = OrganizationId(message.organization)
      const { _tag, ...report } = words(fate)
      this.reports.push({ ...report, of: { _tag: "Message", organization, sequence, token } })
      return { _tag: "Accepted", gatewayId }
    }
    return fate === "rejected"
      ? { _tag: "Rejected", reason: "recipient", message: "not there" }
      : { _tag: "Delivered", gatewayId }
  }

  readonly find = async (token: string): Promise<GatewayOutcome | Reported> => {
    const found = this.taken.get(token)
    return found === undefined
      ? { _tag: "NotSent", message: "The vendor does not have it" }
      : words(found.fate)
  }

  /** The code that has arrived at a number. */
  readonly codeFor = (phoneNumber: string): string | undefined => this.#codes.get(phoneNumber)
}

const givenOf = ({ code, phoneNumber, ref, token }: GatewayMessage): Given => ({
  ...ref,
  token,
  phoneNumber,
  code: code === undefined ? undefined : Redacted.value(code),
})

const lost = { _tag: "Unknown", message: "The vendor cannot be reached" } as const

/** The adapter of a node. A vendor that cannot be reached may have taken the message. Reports come from the host. */
export const gatewayOf = ({ ability, find, take }: VendorPort): Gateway["Service"] =>
  Gateway.of({
    name: "vendor",
    capabilities: {
      tokenMillis: ability === "token" ? Infinity : 0,
      lookup: ability === "lookup",
      lookupByToken: ability === "lookup",
      recipientCheck: false,
      reports: "signed",
      references: true,
      segments: false,
      timeoutMillis: 500,
    },
    send: (message) =>
      Effect.tryPromise(() => take(givenOf(message))).pipe(
        Effect.orElseSucceed((): Answer => lost),
        Effect.flatMap((answer) => (answer === "silent" ? Effect.never : Effect.succeed(answer))),
      ),
    isReachable: () => Effect.succeed("yes"),
    lookup: ({ token }) =>
      Effect.orElseSucceed(
        Effect.tryPromise(() => find(token)),
        () => lost,
      ),
    reports: Stream.never,
  })
