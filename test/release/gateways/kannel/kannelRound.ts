/**
 * An engine over a real Kannel of which a process or a connection fails while messages are in flight. Kannel stands
 * between the adapter and our message centre. Afterwards the reports that have arrived and the account agree.
 */
import type { Message } from "@countersign/core/domain/messages/Message"
import { Reports } from "@countersign/core/services/Reports"
import { Messages } from "@countersign/core/services/Messages"
import type { Adapter } from "@countersign/gateways/Adapter"
import * as GatewayKannel from "@countersign/gateways/Kannel"
import { type Smsc, startSmsc } from "@countersign/testing/Smsc"
import * as TestEngine from "@countersign/testing/TestEngine"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import { assert } from "vitest"
import type { Programs } from "../../../gateways/smpp/debian.ts"
import {
  balance,
  log,
  moneyProblems,
  node,
  organization,
  settle,
} from "../../../gateways/smpp/node.ts"
import { eventually } from "../../../support/eventually.ts"
import { serveFetch } from "../../../support/fetchServer.ts"
import { type Kannel, password, startKannel, username } from "./kannel.ts"

type Failure = (rig: { readonly kannel: Kannel; readonly smsc: Smsc }) => Effect.Effect<void>

const restart = (box: Kannel["bearerbox"]) => Effect.andThen(box.kill, box.start)

const isSilent = (box: Kannel["bearerbox"]): Promise<boolean> =>
  box.ask().then(
    () => false,
    () => true,
  )

/** Stops a process until it has left a question without an answer. It may still answer one after the signal. */
const stop = (box: Kannel["bearerbox"]) =>
  Effect.gen(function* () {
    yield* box.signal("SIGSTOP")
    yield* Effect.promise(() => eventually(async () => assert.isTrue(await isSilent(box))))
    yield* box.signal("SIGCONT")
  })

/** The failures, each while messages have no answer from the centre. */
export const failures: Readonly<Record<string, Failure>> = {
  // smsbox ends with the bearerbox that it is connected to.
  "bearerbox is killed": ({ kannel }) =>
    Effect.gen(function* () {
      yield* kannel.smsbox.kill
      yield* restart(kannel.bearerbox)
      yield* kannel.smsbox.start
    }),
  "smsbox is killed": ({ kannel }) => restart(kannel.smsbox),
  "bearerbox is stopped": ({ kannel }) => stop(kannel.bearerbox),
  "smsbox is stopped": ({ kannel }) => stop(kannel.smsbox),
  "the centre hangs up": () => Effect.void,
}

const messageCount = 12
/** The submission at the centre that the failure follows. */
const failAt = 5

const numberIn = (text: string): number => Number(/#(\d+)/.exec(text)?.[1])

/** A Kannel between a host and a centre, for any number of rounds. */
export const startRig = Effect.fnUntraced(function* (programs: Programs) {
  const smsc = yield* startSmsc()
  const kannel = yield* startKannel(programs, smsc.port)
  yield* smsc.next("bound")
  let host = (_request: Request): Promise<Response> => Promise.resolve(new Response())
  const hostOrigin = yield* serveFetch((request) => host(request))
  /** How often the adapter has handed each message over. */
  const handed = new Map<number, number>()
  // Counts, and passes everything on.
  const proxyOrigin = yield* serveFetch(async (request) => {
    const body = await request.arrayBuffer()
    const number = numberIn(Buffer.from(body).toString("latin1"))
    handed.set(number, (handed.get(number) ?? 0) + 1)
    const { headers, method } = request
    const answer = await fetch(kannel.url, { method, headers, body })
    return new Response(await answer.arrayBuffer(), { status: answer.status })
  })
  const serve = (handler: (request: Request) => Promise<Response>): void => {
    host = handler
  }
  return { smsc, kannel, hostOrigin, proxyOrigin, handed, serve }
})

type Rig = Effect.Success<ReturnType<typeof startRig>>

/** How long a round waits for reports that may be lost. */
const reportMillis = 5_000

const isIdle = (status: string): boolean =>
  /SMS: received .*sent .*\(0 queued\), store size 0/.test(status)

/** Plays one round, and returns what happened. Dies where the account and the reports disagree. */
export const playRound = Effect.fnUntraced(function* (rig: Rig, failure: string, round: number) {
  const { handed, kannel, smsc } = rig
  const adapter: Adapter = yield* GatewayKannel.make({
    url: `${rig.proxyOrigin}/cgi-bin/sendsms`,
    username,
    password: Redacted.make(password),
    callbackUrl: `${rig.hostOrigin}/callbacks/kannel`,
    callbackSecret: Redacted.make("the secret of the host"),
  })
  return yield* Effect.gen(function* () {
    yield* TestEngine.open({ balance })
    const messages = yield* Messages
    const reports = yield* Reports
    const delivered = new Set<number>()
    const services = yield* Effect.context<never>()
    rig.serve(async (request) => {
      const url = new URL(request.url)
      const read = adapter.callback?.({ method: "GET", url, headers: {}, body: new Uint8Array() })
      const receive = Effect.gen(function* () {
        const outcome = yield* read ?? Effect.die(new Error("There is no callback"))
        if (outcome._tag !== "Reports") return
        for (const report of outcome.reports) {
          yield* reports.receive(report)
          if (report.status === "delivered" && report.of._tag === "Message") {
            delivered.add(report.of.sequence)
          }
        }
      })
      const exit = await Effect.runPromiseExitWith(services)(receive)
      return new Response(null, { status: Exit.isSuccess(exit) ? 200 : 503 })
    })

    const first = round * messageCount
    const numbers = Array.from({ length: messageCount }, (_, index) => first + index)
    const accepted = new Map<number, number>()
    const failing = yield* Deferred.make<void>()
    let isOver = false
    let submissions = 0
    smsc.onSubmit = ({ text }) => {
      submissions += 1
      const number = numberIn(text)
      accepted.set(number, (accepted.get(number) ?? 0) + 1)
      if (!isOver && submissions >= failAt) {
        Deferred.doneUnsafe(failing, Exit.void)
        return "silence"
      }
      const id = `${round}-${submissions}`
      return { id, receipts: [{ id, state: "DELIVRD" }] }
    }
    const send = (number: number) =>
      Effect.exit(
        messages.send({ organization, phoneNumber: "+8801712345678", text: `#${number} hello` }),
      )
    const fail = Effect.gen(function* () {
      yield* Deferred.await(failing)
      yield* failures[failure]?.({ kannel, smsc }) ?? Effect.die(new Error(`No ${failure}`))
      isOver = true
      // Kannel submits messages without an answer again on the next connection.
      yield* smsc.hangUp
    })
    yield* Effect.all([Effect.forEach(numbers, send, { concurrency: "unbounded" }), fail], {
      concurrency: "unbounded",
    })
    yield* Effect.promise(() =>
      eventually(async () => assert.isTrue(isIdle(await kannel.status()), await kannel.status())),
    )
    const rowOf = Effect.map(log, (rows) => (number: number) => rows.get(number))
    const isReported = (row: Message | undefined): boolean =>
      row !== undefined && delivered.has(row.sequence)
    const beforeReports = yield* rowOf
    // A report may be lost with a process that is killed, so this ends also without some of them.
    yield* Effect.promise(() =>
      eventually(
        () =>
          assert.isTrue([...accepted.keys()].every((number) => isReported(beforeReports(number)))),
        { withinMillis: reportMillis },
      ).catch(() => {}),
    )
    yield* settle

    const row = yield* rowOf
    const problems = [...(yield* moneyProblems)]
    for (const number of numbers) {
      const times = handed.get(number) ?? 0
      const hold = row(number)?.hold
      const expected = isReported(row(number)) ? "captured" : "released"
      if (times > 1) problems.push(`message ${number} was handed over ${times} times`)
      if (hold !== expected) problems.push(`the hold of ${number} is ${hold}, not ${expected}`)
      if (hold === "captured" && !accepted.has(number)) {
        problems.push(`message ${number} is charged, and the centre never saw it`)
      }
    }
    if (problems.length > 0) {
      const story = problems.join("\n")
      return yield* Effect.die(new Error(`Round ${round}, ${failure}:\n${story}\n${kannel.logs()}`))
    }
    const captured = numbers.filter((number) => row(number)?.hold === "captured").length
    return {
      [failure]: 1,
      messages: numbers.length,
      captured,
      refunded: numbers.length - captured,
      "accepted by the centre": accepted.size,
      "accepted, but no report came": accepted.size - captured,
      "submitted again by Kannel": [...accepted.values()].filter((times) => times > 1).length,
    }
  }).pipe(Effect.provide(node(adapter.gateway, round)), Effect.orDie)
})
