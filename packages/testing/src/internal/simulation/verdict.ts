/** The conditions that must hold in the rows during a history, and at its end. */
import type { OrganizationId } from "@countersign/core/domain/values/Ids"
import type { Message } from "@countersign/core/domain/messages/Message"
import * as Invariants from "../../Invariants.ts"
import type { ClientCall, Ending, History } from "./history.ts"
import { limitsOf } from "./machine.ts"
import type { OutboxWitness } from "./outboxWitness.ts"
import { runJobs } from "./play.ts"

const boundsOf = ({ setup }: History): Invariants.Bounds => {
  const { attempts, pendingPerNumber, resends, sendsPerNumber } = limitsOf(setup)
  const { standardBounds } = Invariants
  return {
    ...standardBounds,
    attempts,
    resends,
    pendingPerNumber,
    sendsPerNumber:
      sendsPerNumber !== undefined && "max" in sendsPerNumber
        ? sendsPerNumber
        : standardBounds.sendsPerNumber,
  }
}

/** Reads all rows of all organizations, and checks them alone and against earlier ones. */
export const inspect = (
  history: History,
  earlier: ReadonlyArray<Invariants.Snapshot>,
): ReadonlyArray<Invariants.Snapshot> => {
  const bounds = boundsOf(history)
  const snapshots = history.organizations.flatMap(
    (id) => history.store.now((store) => Invariants.read(store, id)) ?? [],
  )
  for (const [index, snapshot] of snapshots.entries()) {
    const before = earlier[index]
    const problems = [
      ...Invariants.problems(snapshot, bounds),
      ...(before === undefined ? [] : Invariants.regressions(before, snapshot, bounds)),
    ]
    for (const problem of problems)
      history.stage.fail(`${snapshot.account.organization}: ${problem}`)
  }
  const counters = history.store.now((store) => Invariants.counterProblems(store, snapshots))
  for (const problem of counters) history.stage.fail(problem)
  history.witness.counters.check()
  return snapshots
}

/** Longest wait after the last fault: the settlement deadline, a look-up, and some rounds. */
const maxQuietRounds = 22

const isQuiet = (history: History): boolean => {
  const due = history.store.now((store) => store.due(1, []))
  const isHeld = history.organizations.some(
    (id) => (history.store.now((store) => store.account(id))?.held ?? 0) > 0,
  )
  const isQueued = history.store.now((store) => store.queues(undefined, 1)).length > 0
  return (
    due.length === 0 &&
    !isHeld &&
    !isQueued &&
    openMessages(history).length === 0 &&
    !isBehind(history)
  )
}

/** Whether a webhook has events to deliver, apart from retries. */
const isBehind = ({ organizations, store }: History): boolean =>
  organizations.some((id) => {
    const { lastEvent = 0 } = store.now((port) => port.account(id)) ?? {}
    const progress = store.now((port) => port.webhookProgress(id))
    return progress.some(({ position }) => position < lastEvent)
  })

const logOf = (history: History, id: OrganizationId): ReadonlyArray<Message> => {
  const query = { from: undefined, to: undefined, skip: 0, limit: 1_000 }
  return history.store.now((store) => store.messages(id, query))?.messages ?? []
}

const openMessages = (history: History): ReadonlyArray<Message> =>
  history.organizations.flatMap((id) =>
    logOf(history, id).filter(({ dueAt, followAt }) => dueAt !== null || followAt !== null),
  )

/** Ends all faults, and lets time pass until nothing is left to do. */
export const heal = (history: History): void => {
  const { machines, receiver, stage, store, vendors } = history
  stage.tell("all faults end")
  store.heal()
  store.jump(0)
  receiver.heal()
  for (const vendor of vendors) vendor.heal()
  for (const { node } of machines) node.resume()
  for (let round = 0; round < maxQuietRounds; round++) {
    stage.world.advance(round < 4 ? 15_000 : 50_000)
    for (const machine of machines) runJobs(history, machine)
    stage.world.advance(3_000)
    if (round < 4 || !isQuiet(history)) continue
    // A report can be on its way.
    stage.world.advance(10_000)
    return
  }
}

/** Errors after which a call may have had an effect. */
const uncertain: ReadonlySet<string> = new Set([
  "StoreUnavailable",
  "SendingFailed",
  "IdempotencyInFlight",
])

const mayHaveEffect = ({ ending }: ClientCall): boolean =>
  ending?._tag !== "Refused" || uncertain.has(ending.error)

/** Each mark is in at most one row, and in none if all its calls were refused (I8, I10). */
const effectProblems = (
  calls: ReadonlyArray<ClientCall>,
  marks: ReadonlyArray<string>,
  what: string,
  mayFail: (call: ClientCall) => boolean = mayHaveEffect,
): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (const [mark, { length }] of Map.groupBy(marks, (mark) => mark)) {
    const own = calls.filter((call) => call.mark === mark)
    if (length > 1) found.push(`I10: ${length} ${what} of "${mark}"`)
    if (!own.some(mayFail)) found.push(`I8: a ${what} of "${mark}", which was refused`)
  }
  for (const { ending, mark } of calls) {
    if (ending?._tag === "Answered" && !marks.includes(mark)) {
      found.push(`I8: "${mark}" was answered, and there is no ${what} of it`)
    }
  }
  return found
}

const isAnswered = (ending: Ending | undefined): boolean => ending?._tag === "Answered"

/** Calls with one key have one answer (I10), and one caller uses a request up (I31). */
const answerProblems = (calls: ReadonlyArray<ClientCall>): ReadonlyArray<string> => {
  const found: Array<string> = []
  const valuesOf = (some: ReadonlyArray<ClientCall>) =>
    new Set(some.flatMap(({ ending }) => (ending?._tag === "Answered" ? [ending.value] : [])))
  const keyed = calls.filter(({ key, tag }) => key !== undefined && repeated.has(tag))
  for (const [name, some] of Map.groupBy(
    keyed,
    ({ mark, organization }) => `${mark} of ${organization}`,
  )) {
    const values = valuesOf(some)
    if (values.size > 1) found.push(`I10: ${name} has the answers ${[...values].join(" and ")}`)
    const inputs = new Set(some.flatMap(({ ending, input }) => (isAnswered(ending) ? [input] : [])))
    if (inputs.size > 1) found.push(`I10: ${name} is answered for other calls as well`)
    const answered = some.find(({ ending }) => isAnswered(ending))
    const refused = some.find(
      ({ began, ending, input }) =>
        answered !== undefined &&
        began > answered.ended &&
        input === answered.input &&
        ending?._tag === "Refused" &&
        !isOpen.has(ending.error),
    )
    if (refused !== undefined)
      found.push(`I10: a repeat of ${name}, which was answered, is refused`)
  }
  const used = calls.filter(
    ({ ending, tag }) => (tag === "consume" || tag === "verifyCode") && ending?._tag === "Answered",
  )
  for (const [id, some] of Map.groupBy(used, ({ requestId }) => requestId)) {
    const callers = new Set(some.map(({ mark }) => mark))
    if (callers.size > 1) found.push(`I31: ${callers.size} callers have used up ${id}`)
  }
  for (const { ending, isForeign, mark, tag } of calls) {
    if (isForeign && ending?._tag === "Answered") {
      found.push(`I17: ${tag} (${mark}) of another organization was answered`)
    }
  }
  return found
}

/** An answered cancellation or dispatch of a queued send is how it has ended. */
const queuedProblems = (
  calls: ReadonlyArray<ClientCall>,
  outbox: OutboxWitness,
): ReadonlyArray<string> =>
  calls.flatMap(({ ending, mark, tag }) => {
    if (ending?._tag !== "Answered") return []
    const end = outbox.endOf(mark)
    // A code that has failed, or that was sent, is cancelled as any other request.
    const isCancelled = outbox.isCode(mark) ? end !== undefined : end === "cancelled"
    const isWrong =
      (tag === "dispatch" && end !== "sent") || (tag === "cancelQueued" && !isCancelled)
    return isWrong ? [`I33: the ${tag} of ${mark} was answered, and it is ${end}`] : []
  })

/** Errors that say nothing about the first call. */
const isOpen: ReadonlySet<string> = new Set(["StoreUnavailable", "IdempotencyInFlight"])

const repeated: ReadonlySet<string> = new Set([
  "message",
  "verify",
  "resend",
  "consume",
  "verifyCode",
])

const markOf = (metadata: string | null): string =>
  /"mark":"([^"]*)"/.exec(metadata ?? "")?.[1] ?? ""

/** A report that a node has received is applied to its message, if the message has its gateway's id (I20). */
const reportProblems = (
  { machines, vendors }: History,
  snapshots: ReadonlyArray<Invariants.Snapshot>,
): ReadonlyArray<string> => {
  const living = new Set(machines.map(({ node }) => node))
  const received = new Set(
    vendors.flatMap((vendor) =>
      vendor.received.flatMap(({ node, token }) => (living.has(node) ? [token] : [])),
    ),
  )
  return snapshots
    .flatMap(({ messages }) => messages)
    .filter(
      // A message that was open when its id was recorded, and that no report has reached.
      ({ gatewayId, id, reports, status }) =>
        status === "unknown" && gatewayId !== null && reports === 0 && received.has(id),
    )
    .map(({ organization, sequence }) => `I20: a report on ${organization} ${sequence} is lost`)
}

/** Longest time by which an organization may be ahead: what the clock guard believes. */
const maxAhead = 600_000

/** Checks the conditions at the end of a history, when nothing is under way. */
export const judge = (history: History, earlier: ReadonlyArray<Invariants.Snapshot>): void => {
  const { calls, machines, receiver, stage, store, witness } = history
  const fail = (problem: string) => stage.fail(problem)
  const snapshots = inspect(history, earlier)
  for (const { organization, sequence, status } of openMessages(history)) {
    fail(`I22: message ${organization} ${sequence} is ${status}, and stays open`)
  }
  for (const { ending, machine, mark, tag } of calls) {
    const isAlive = machines.includes(machine) && machine.node.state === "running"
    if (isAlive && ending === undefined) fail(`I22: ${tag} (${mark}) has no answer`)
  }
  for (const problem of reportProblems(history, snapshots)) fail(problem)
  for (const snapshot of snapshots) {
    const { account, entries, messages, verifications } = snapshot
    const { organization } = account
    if (account.lastAt > stage.world.now + maxAhead) {
      fail(`I27: ${organization} has seen a time that is far ahead`)
    }
    if (account.held > 0) fail(`I4: ${organization} has holds that stay open`)
    witness.messages.check(messages)
    witness.outbox.check(organization, messages)
    const own = calls.filter((call) => call.organization === organization)
    const ofTag = (tag: string) => own.filter((call) => call.tag === tag)
    const { outbox } = witness
    const texts = messages.flatMap(({ id, requestId, text }) =>
      requestId === null && !outbox.has(id) ? [text] : [],
    )
    const marks = verifications.flatMap(({ metadata, requestId }) =>
      outbox.has(requestId) ? [] : [markOf(metadata)],
    )
    const payments = entries.flatMap(({ paymentId }) => paymentId ?? [])
    for (const problem of [
      ...effectProblems(ofTag("message"), texts, "message"),
      // A code that WhatsApp has refused may be refused for the price of its SMS.
      ...effectProblems(ofTag("verify"), marks, "request", (call) =>
        history.setup.fallback ? true : mayHaveEffect(call),
      ),
      ...answerProblems(own),
      ...queuedProblems(own, outbox),
    ])
      fail(`${organization}: ${problem}`)
    for (const { ending, key } of ofTag("topUp")) {
      if (ending?._tag === "Answered" && !payments.includes(`topUp ${key}`)) {
        fail(`I8: payment ${key} of ${organization} was answered, and is not booked`)
      }
    }
    const status = new Map(verifications.map((one) => [one.requestId, one]))
    for (const { ending, requestId, tag } of own) {
      const row = requestId === undefined ? undefined : status.get(requestId)
      if (ending?._tag !== "Answered" || row === undefined) continue
      if (tag === "check" && row.status !== "verified") {
        fail(`I8: request ${requestId} was answered as verified, and is ${row.status}`)
      }
      if ((tag === "consume" || tag === "verifyCode") && row.consumedAt === null) {
        fail(`I8: request ${requestId} was answered as used up, and is not`)
      }
    }
    for (const { position, retries } of store.now((port) => port.webhookProgress(organization))) {
      const taken = receiver.taken(organization)
      const waiting = new Set(retries.map(({ sequence }) => sequence))
      for (let sequence = 1; sequence <= position; sequence++) {
        if (!taken.has(sequence) && !waiting.has(sequence)) {
          fail(`webhooks: event ${sequence} of ${organization} was skipped`)
        }
      }
      if (position < account.lastEvent && retries.length === 0) {
        fail(`webhooks: ${organization} has events after ${position} that stay undelivered`)
      }
    }
  }
}
