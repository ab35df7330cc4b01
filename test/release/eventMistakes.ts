import type { Mistake } from "./planting.ts"

const core = "packages/core/src"
const coreTest = "packages/core/test"

/** The event log. */
export const eventMistakes: ReadonlyArray<Mistake> = [
  {
    name: "two events of a decision have one sequence",
    file: `${core}/decide/shared/Recorder.ts`,
    find: "lastEvent: account.lastEvent + raised.length",
    replace: "lastEvent: account.lastEvent + 1",
    test: {
      path: `${coreTest}/decide/EventLog.test.ts`,
      title: "take the next places in the event log, and the account counts them",
    },
  },
  {
    name: "the event log has whole phone numbers",
    file: `${core}/domain/events/Event.ts`,
    find: "phoneNumber: PhoneNumber.mask(self.phoneNumber)",
    replace: "phoneNumber: self.phoneNumber",
    test: {
      path: `${coreTest}/decide/EventLog.test.ts`,
      title: "take the next places in the event log, and the account counts them",
    },
  },
  {
    name: "a follower waits for its own process as long as for others",
    file: `${core}/services/EventLog.ts`,
    find: "yield* Effect.timeoutOption(Fiber.await(committed), pollInterval)",
    replace: "yield* Effect.sleep(pollInterval)",
    test: {
      path: `${coreTest}/services/EventLog.test.ts`,
      title: "gives a follower what it has missed, and then each commit of this process at once",
    },
  },
]
