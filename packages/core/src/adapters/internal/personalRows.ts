/** The rows of a phone number, for the memory store. */
import * as Erasure from "../../decide/maintenance/Erasure.ts"
import type { PhoneNumber } from "../../domain/values/PhoneNumber.ts"
import type { PersonalRows, PersonalStep } from "../../ports/Upkeep.ts"
import type { OrganizationState } from "./organizationState.ts"

/** Every kind is one step, because a read of memory takes no lock. */
export const personalRowsOf = (state: OrganizationState, step: PersonalStep): PersonalRows => ({
  rows: { ...Erasure.noRows, ...read[step.kind](state, step) },
  next: undefined,
})

type Read = (state: OrganizationState, step: PersonalStep) => Partial<Erasure.Rows>

const read: Readonly<Record<Erasure.Kind, Read>> = {
  outbox: (state, { phoneNumber }) => ({
    queued: [...state.outbox.values()].filter((send) => send.phoneNumber === phoneNumber),
  }),
  recipients: (state, { digests, phoneNumber }) => ({
    recipient: state.recipient(phoneNumber),
    erasedRecipients: digests.flatMap((digest) => state.erasedRecipient(digest) ?? []),
  }),
  messages: (state, { phoneNumber }) => {
    const messages = state.log.filter((message) => message.phoneNumber === phoneNumber).toReversed()
    return {
      messages,
      reports: messages.flatMap(({ sequence }) => state.reports.get(sequence) ?? []),
      verifications: messages.flatMap(({ requestId, sequence }) => {
        const request = requestId === null ? undefined : state.verification(requestId)
        return request?.messageSequence === sequence ? [request] : []
      }),
    }
  },
  verifications: (state, { phoneNumber }) => ({
    verifications: [...state.verifications.values()].filter(
      (one) => one.phoneNumber === phoneNumber && one.messageSequence < state.account.firstMessage,
    ),
  }),
  events: (state, { phoneNumber }) => ({
    events: state.events.flatMap((event) =>
      "requestId" in event && Erasure.mayConcern(event, phoneNumber)
        ? [{ event, verification: state.verification(event.requestId) }]
        : [],
    ),
  }),
  answers: (state) => ({
    keys: [...state.idempotencyKeys.values()].map((key) => ({
      key,
      message: key.messageSequence === null ? undefined : state.message(key.messageSequence),
    })),
  }),
  refusals: (state, { digests }) => ({
    refusals: [...state.refusals.values()].filter(
      ({ digest }) => digest !== null && digests.includes(digest),
    ),
  }),
}

export const applyErasure = (
  state: OrganizationState,
  phoneNumber: PhoneNumber,
  erased: Erasure.Erased,
): void => {
  const { account } = state
  if (erased.isRecipientOver) state.recipients.delete(phoneNumber)
  const { erasedRecipient } = erased
  if (erasedRecipient !== undefined) {
    state.erasedRecipients.set(erasedRecipient.digest, erasedRecipient)
  }
  for (const message of erased.messages)
    state.log[message.sequence - account.firstMessage] = message
  for (const one of erased.verifications) state.verifications.set(one.requestId, one)
  for (const event of erased.events) state.events[event.sequence - account.firstEvent] = event
  for (const key of erased.keys) state.saveKey(key)
  for (const send of erased.queued) state.outbox.set(send.id, send)
  for (const refusal of erased.refusals) state.saveRefusal(refusal)
  for (const report of erased.reports) {
    const kept = state.reports.get(report.messageSequence)
    if (kept !== undefined) kept[report.position - 1] = report
  }
}
