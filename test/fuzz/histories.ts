/**
 * Histories of requests that every mount gets in the same order, over an engine of its own with the same random numbers
 * and the same time. So the answers have to be the same, byte for byte.
 */
import * as fc from "fast-check"
import { type Checks, idsIn, jsonOf, type Known, noJson, poolOf, type Problem } from "./checks.ts"
import { differenceOf, textOf } from "./hostDifferences.ts"
import type { RequestStep } from "./requestArbitraries.ts"
import { at } from "../support/Quickstart.ts"
import { bytesOf, Closed, curlOf, type Wire, type WireAnswer, type WireRequest } from "./wire.ts"

export interface FuzzedMount {
  readonly name: string
  readonly wire: Wire
}

export type Step = RequestStep | { readonly tag: "wait"; readonly millis: number }

/** What a history starts with. */
export interface World {
  /** Texts that requests name in `«»`. */
  readonly texts: ReadonlyMap<string, string>
  readonly accessOf: (authorization: string | undefined) => Known["access"]
  /** Whether a target is of the organization of this history. */
  readonly isOwn: (target: string) => boolean
  /** The last code that was sent to a number, or to any. */
  readonly codeFor: (phoneNumber: string | undefined) => string | undefined
}

export interface Fuzzed {
  readonly checks: Checks
  readonly mounts: readonly [FuzzedMount, ...ReadonlyArray<FuzzedMount>]
  readonly begin: () => Promise<World>
  readonly wait: (millis: number) => void
  /** The operations whose success ends their resource, and the operations that are refused from then on. */
  readonly ends: Readonly<Record<string, ReadonlyArray<string> | "all">>
  /** The kinds of resources of which an operation may remove any. */
  readonly removes: Readonly<Record<string, ReadonlyArray<string>>>
  readonly steps: fc.Arbitrary<Step>
}

const maxIds = 20

/** What a history has learned from answers. */
class Memory {
  readonly #world: World
  readonly #ids = new Map<string, Array<string>>()
  readonly #numbers = new Map<string, string>()
  readonly #ended = new Map<string, ReadonlyArray<string> | "all">()

  constructor(world: World) {
    this.#world = world
  }

  #textOf(name: string, index: number): string {
    const text = this.#world.texts.get(name)
    if (text !== undefined) return text
    const pools = name === "code" ? ["verify", "verifications"] : [name]
    const ids = pools.flatMap((pool) => this.#ids.get(pool) ?? [])
    const id = ids[index % Math.max(1, ids.length)]
    if (name !== "code") return id ?? "none"
    return this.#world.codeFor(this.#numbers.get(id ?? "")) ?? "000000"
  }

  #filled(text: string, pattern: RegExp): string {
    return text.replaceAll(pattern, (_, name: string, index = "0") =>
      this.#textOf(name, Number(index)),
    )
  }

  /** The request with the texts of this history. */
  resolve(request: WireRequest): WireRequest {
    const text = (one: string) => this.#filled(one, /«([\w-]+)(?::(\d+))?»/g)
    const { body } = request
    return {
      ...request,
      // A server reads a space at the end as one of those before the version.
      target: text(request.target).replace(/ +$/, ""),
      headers: request.headers.map(([name, value]) => [name, text(value)]),
      ...(body?.includes(0xc2) === true && {
        body: Buffer.from(
          this.#filled(
            Buffer.from(body).toString("latin1"),
            /\u00c2\u00ab([\w-]+)(?::(\d+))?\u00c2\u00bb/g,
          ),
          "latin1",
        ),
      }),
    }
  }

  known({ headers, target }: WireRequest): Known {
    const authorization = headers.find(([name]) => name === "authorization")?.[1]
    return {
      access: this.#world.accessOf(authorization),
      isOwn: this.#world.isOwn(target),
      exists: (pool, id) => this.#ids.get(pool)?.includes(id) === true,
      isGone: ({ id: operation }, _pool, id) => {
        const refused = this.#ended.get(id)
        return refused === "all" || refused?.includes(operation) === true
      },
    }
  }

  learn({ checks, ends, removes }: Fuzzed, request: WireRequest, answer: WireAnswer): void {
    const operation = checks.operationOf(request)
    if (operation === undefined || answer.status >= 300) return
    const refused = ends[operation.id]
    const [path = ""] = request.target.split("?", 1)
    if (refused !== undefined)
      for (const segment of path.split("/")) this.#ended.set(segment, refused)
    for (const pool of removes[operation.id] ?? []) this.#ids.delete(pool)
    const body = jsonOf(answer.body)
    const isRead = operation.method === "GET" && !operation.id.startsWith("messages.")
    if (body === noJson || isRead) return
    const { access, isOwn } = this.known(request)
    if (access !== "all" || !isOwn) return
    const to = at(body, "data", "to") ?? at(body, "phoneNumber")
    for (const [pool, id] of idsIn(body, poolOf(operation))) {
      const ids = this.#ids.get(pool) ?? []
      this.#ids.set(pool, [id, ...ids.filter((one) => one !== id)].slice(0, maxIds))
      if (typeof to === "string") this.#numbers.set(id, to)
    }
  }
}

const indented = (text: string): string => text.replaceAll(/^/gm, "    ")

export class HistoryFailure extends Error {}

const report = (
  problems: ReadonlyArray<Problem>,
  story: ReadonlyArray<string>,
  answers: ReadonlyArray<readonly [mount: string, text: string]>,
): HistoryFailure =>
  new HistoryFailure(
    [
      ...problems.map(([check, message]) => `${check}: ${message}`),
      "history:",
      ...story.map(indented),
      ...answers.flatMap(([mount, text]) => [`${mount} answers:`, indented(text.slice(0, 2_000))]),
    ].join("\n"),
  )

const sendTo = async ({ wire }: FuzzedMount, bytes: Uint8Array, method: string) => {
  try {
    return await wire.send(bytes, method)
  } catch (error) {
    if (error instanceof Closed) return undefined
    throw error
  }
}

const isWrite = ({ method }: WireRequest): boolean =>
  ["POST", "PUT", "PATCH", "DELETE"].includes(method)

/** Whether an answer shows that nothing has changed. */
const isRefused = ({ status }: WireAnswer): boolean =>
  [400, 401, 403, 404, 405, 413, 415, 422].includes(status)

/** A write that only some mounts take has no key: their engines would not be alike any more. */
const harmless = (request: WireRequest, mounts: Fuzzed["mounts"]): WireRequest => {
  const isTaken = mounts.some(({ name }) => differenceOf(name, request)?.isTaken === true)
  return isTaken && isWrite(request)
    ? { ...request, headers: request.headers.filter(([name]) => name !== "authorization") }
    : request
}

/** Plays a history on every mount. Gives the number of requests. Throws at the first answer that is wrong. */
export const play = async (fuzzed: Fuzzed, steps: ReadonlyArray<Step>): Promise<number> => {
  const memory = new Memory(await fuzzed.begin())
  const story: Array<string> = []
  let requests = 0
  for (const step of steps) {
    if (step.tag === "wait") {
      fuzzed.wait(step.millis)
      story.push(`# ${step.millis} ms later`)
      continue
    }
    const request = harmless(memory.resolve(step.request), fuzzed.mounts)
    const bytes = bytesOf(request)
    const [first, ...others] = fuzzed.mounts
    story.push(curlOf(request, first.wire.origin))
    const alike = others.filter(({ name }) => differenceOf(name, request) === undefined)
    const sent = [first, ...alike].map((mount) => sendTo(mount, bytes, request.method))
    const [answer, ...rest] = await Promise.all(sent)
    requests += sent.length
    if (answer === undefined) throw report([["not_a_server_error", "no answer"]], story, [])
    const known = memory.known(request)
    const problems = [...fuzzed.checks.judge({ ...step, request }, known, answer)]
    const text = textOf(answer)
    if (alike.length < others.length && isWrite(request) && !isRefused(answer)) {
      problems.push(["same_on_every_mount", "only some mounts take it"])
    }
    if (problems.length > 0) throw report(problems, story, [[first.name, text]])
    for (const [index, other] of alike.entries()) {
      const found = rest[index]
      const own = found === undefined ? "(the connection was closed)" : textOf(found)
      if (own !== text) {
        throw report([["same_on_every_mount", `${other.name} differs from ${first.name}`]], story, [
          [first.name, text],
          [other.name, own],
        ])
      }
    }
    memory.learn(fuzzed, request, answer)
  }
  return requests
}

export interface FuzzOptions {
  readonly seed: number
  /** Number of histories. */
  readonly histories: number
  /** Most steps of a history. */
  readonly steps: number
  /** Of a failure, which it replays. */
  readonly path?: string | undefined
}

/** Plays random histories. Gives the number of requests. */
export const fuzz = async (
  fuzzed: Fuzzed,
  { histories, path, seed, steps }: FuzzOptions,
): Promise<number> => {
  let requests = 0
  const property = fc.asyncProperty(
    fc.array(fuzzed.steps, { minLength: 1, maxLength: steps, size: "max" }),
    async (history) => {
      requests += await play(fuzzed, history)
    },
  )
  const result = await fc.check(property, {
    seed,
    numRuns: histories,
    ...(path !== undefined && { path }),
  })
  if (!result.failed) return requests
  const { counterexamplePath, errorInstance } = result
  throw new Error(
    `Play it again: COUNTERSIGN_FUZZ_SEED=${seed} COUNTERSIGN_FUZZ_PATH=${counterexamplePath}\n${
      errorInstance instanceof Error
        ? errorInstance instanceof HistoryFailure
          ? errorInstance.message
          : errorInstance.stack
        : String(errorInstance)
    }`,
  )
}
