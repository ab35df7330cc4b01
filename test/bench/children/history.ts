/**
 * The history of one organization as commands: every request is sent, settled, checked with a wrong code and
 * then with the correct one. Each number gets two requests in a row, and seven seconds pass between requests,
 * so that the windows and the pending requests are in use and no default limit is reached.
 */
import * as Account from "@countersign/core/domain/money/Account"
import type { Command } from "@countersign/core/decide/Command"
import type * as Decision from "@countersign/core/decide/Decision"
import { MessageId, OrganizationId, RequestId } from "@countersign/core/domain/values/Ids"
import type { Limits } from "@countersign/core/domain/limits/Limits"
import type { Message } from "@countersign/core/domain/messages/Message"
import * as Money from "@countersign/core/domain/values/Money"
import * as PhoneNumber from "@countersign/core/domain/values/PhoneNumber"
import type { Recipient } from "@countersign/core/domain/verifications/Recipient"
import type { Verification } from "@countersign/core/domain/verifications/Verification"
import { createHash } from "node:crypto"
import type { PlainRequest } from "../baselines/plainCore.ts"

export const organization = OrganizationId("bench")

export const charge = Money.make("0.5")

export const funds = Money.make("10000000")

/** Both sides start at the same time. */
export const startAt = 1_800_000_000_000

/** The rows of one organization in maps, written as the memory store writes them. */
export class LiveRows implements Decision.Rows {
  account: Account.Account = { ...Account.empty(organization, startAt), balance: funds }
  readonly recipients = new Map<PhoneNumber.PhoneNumber, Recipient>()
  readonly verifications = new Map<RequestId, Verification>()
  readonly log: Array<Message> = []
  readonly ledger: Array<Account.Entry> = []

  recipient = (number: PhoneNumber.PhoneNumber) => this.recipients.get(number)
  verification = (id: RequestId) => this.verifications.get(id)
  message = (number: number) => this.log[number - 1]
  /** No booking is repeated. */
  payment = () => undefined
  /** No call has an idempotency key. */
  idempotencyKey = () => undefined
  /** Fraud detection is off. */
  prefixStats = () => undefined
  /** No client is named. */
  client = () => undefined
  webhook = () => undefined
  /** No number was erased. */
  erasedRecipient = () => undefined
  queued = (): undefined => undefined
  optOut = (): undefined => undefined
  batch = (): undefined => undefined
  alerts = (): undefined => undefined

  apply({ account, entries, message, recipient, verification }: Decision.Writes): void {
    if (account !== undefined) this.account = account
    if (recipient !== undefined) this.recipients.set(recipient.phoneNumber, recipient)
    if (verification !== undefined) this.verifications.set(verification.requestId, verification)
    if (message !== undefined) this.log[message.sequence - 1] = message
    if (entries !== undefined) this.ledger.push(...entries)
  }
}

export const steps = ["RequestVerification", "RecordDispatch", "wrong code", "right code"] as const

export type Step = (typeof steps)[number]

export interface TimedCommand {
  readonly step: Step
  readonly command: Command<"RequestVerification" | "RecordDispatch" | "CheckCode">
  readonly at: number
}

const digestOf = (text: string): Uint8Array =>
  new Uint8Array(createHash("sha256").update(text).digest())

const idOf = (prefix: string, rank: number): string =>
  `${prefix}_${(startAt + rank).toString(16).padStart(12, "0")}${String(rank).padStart(32, "0")}`

export const numberOf = (rank: number): PhoneNumber.PhoneNumber =>
  PhoneNumber.fromE164(`+88017${String(10_000_000 + (rank >>> 1)).slice(-8)}`)

const text = "•••••• is your verification code. Do not share it with anyone."

const testNumbers: ReadonlySet<string> = new Set()

/** Returns the four commands of the request with this rank. */
export const commandsOf = (rank: number, limits: Limits): ReadonlyArray<TimedCommand> => {
  const id = RequestId(idOf("vrf", rank))
  const at = startAt + rank * 7_000
  const right = { pepper: "p1", digest: digestOf(id) }
  const wrong = { pepper: "p1", digest: digestOf(`${id} wrong`) }
  const check = {
    _tag: "CheckCode",
    organization,
    version: 1,
    requestId: id,
    purpose: undefined,
    limits,
    rules: undefined,
    testNumbers,
  } as const
  return [
    {
      step: "RequestVerification",
      at,
      command: {
        _tag: "RequestVerification",
        organization,
        version: 1,
        requestId: id,
        phoneNumber: numberOf(rank),
        code: right,
        sealed: new Uint8Array(58),
        purpose: null,
        metadata: null,
        expirySeconds: 300,
        limits,
        rules: undefined,
        isCounted: false,
        draft: {
          id: MessageId(idOf("msg", rank)),
          text,
          channel: "sms",
          logChannel: "non-mask",
          sender: "8809612000000",
          charge,
          gateway: "simulated",
          traceparent: null,
          leaseMillis: 70_000,
          settleMillis: 86_400_000,
          class: "transactional",
          batch: null,
        },
      },
    },
    {
      step: "RecordDispatch",
      at: at + 1,
      command: {
        _tag: "RecordDispatch",
        organization,
        messageSequence: rank + 1,
        dispatchNumber: 1,
        outcome: { _tag: "Delivered", gatewayId: idOf("sim", rank) },
        hasReports: true,
        requestId: id,
        rules: undefined,
      },
    },
    {
      step: "wrong code",
      at: at + 2,
      command: { ...check, candidates: [wrong] },
    },
    {
      step: "right code",
      at: at + 3,
      command: { ...check, candidates: [right] },
    },
  ]
}

/** The same request in the form of the plain rules. */
export const plainRequestOf = (command: Command<"RequestVerification">): PlainRequest => ({
  id: command.requestId,
  number: command.phoneNumber,
  digest: command.code.digest,
  expirySeconds: command.expirySeconds,
  messageId: command.draft.id,
  text: command.draft.text,
  channel: command.draft.channel,
  logChannel: command.draft.logChannel,
  sender: command.draft.sender,
  gateway: command.draft.gateway,
  charge: command.draft.charge,
})
