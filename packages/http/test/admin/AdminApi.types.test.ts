import type * as Data from "@countersign/core/codec/Data"
import type * as EventData from "@countersign/core/codec/EventData"
import type * as History from "@countersign/core/codec/HistoryData"
import type * as HostData from "@countersign/core/codec/HostData"
import type * as PrivacyData from "@countersign/core/codec/PrivacyData"
import type * as Codes from "@countersign/core/codec/VerificationData"
import { describe, expectTypeOf, it } from "vitest"
import type * as Events from "../../src/admin/AdminEvents.ts"
import type * as Host from "../../src/admin/AdminHost.ts"
import type * as Messages from "../../src/admin/AdminMessages.ts"

/** Whether values of each type are values of the other. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : "lacks a member") : "has another"

/** An input of a service without what the path names. */
type Input<A> = Omit<A, "organization" | "id" | "requestId">

describe("the bodies of the admin API", () => {
  it("are the plain data of the services", () => {
    expectTypeOf<Same<typeof Messages.LogEntry.Type, Data.Message>>().toEqualTypeOf<true>()
    expectTypeOf<
      Same<typeof Messages.FoundMessages.Type, Data.FoundMessages>
    >().toEqualTypeOf<true>()
    expectTypeOf<
      Same<typeof Messages.MessageReport.Type, Data.MessageReport>
    >().toEqualTypeOf<true>()
    expectTypeOf<
      Same<typeof Messages.MessageHistory.Type, History.MessageHistory>
    >().toEqualTypeOf<true>()
    expectTypeOf<
      Same<typeof Messages.VerificationHistory.Type, History.FoundHistory>
    >().toEqualTypeOf<true>()
    expectTypeOf<
      Same<
        typeof Messages.SentMessage.Type,
        Omit<Data.SentMessage, "id" | "price" | "sequence" | "status">
      >
    >().toEqualTypeOf<true>()
    expectTypeOf<
      Same<typeof Messages.FoundVerifications.Type, Codes.FoundVerifications>
    >().toEqualTypeOf<true>()
    expectTypeOf<
      Same<
        typeof Messages.SentVerification.Type,
        Omit<Codes.SentVerification, "resendAt" | "resendsRemaining">
      >
    >().toEqualTypeOf<true>()
    expectTypeOf<
      Same<typeof Messages.CheckedVerification.Type, Codes.CheckedVerification>
    >().toEqualTypeOf<true>()
    expectTypeOf<
      Same<typeof Messages.ResentVerification.Type, Omit<Codes.SentVerification, "resendAt">>
    >().toEqualTypeOf<true>()
    expectTypeOf<
      Same<
        typeof Messages.CancelledVerification.Type,
        Pick<Codes.FailedVerification, "phoneNumber" | "requestId" | "status">
      >
    >().toEqualTypeOf<true>()
    expectTypeOf<
      Same<typeof Messages.ErasedNumber.Type, PrivacyData.ErasedNumber>
    >().toEqualTypeOf<true>()
    expectTypeOf<Same<typeof Host.GatewayState.Type, HostData.GatewayState>>().toEqualTypeOf<true>()
    expectTypeOf<
      Same<typeof Host.UnmatchedReports.Type, HostData.UnmatchedReports>
    >().toEqualTypeOf<true>()
    expectTypeOf<
      Same<(typeof Events.EventPage.Type)["events"], EventData.EventPage["items"]>
    >().toEqualTypeOf<true>()
  })

  it("are the inputs of the services", () => {
    expectTypeOf<
      Same<typeof Messages.SendMessage.Type, Input<Data.SendMessage>>
    >().toEqualTypeOf<true>()
    expectTypeOf<
      Same<typeof Messages.SendVerification.Type, Input<Codes.SendVerification>>
    >().toEqualTypeOf<true>()
  })

  it("have times as text", () => {
    expectTypeOf<(typeof Messages.LogEntry.Encoded)["createdAt"]>().toEqualTypeOf<string>()
  })
})
