/**
 * Calls made of steps. A step is a plain function that goes on in a callback, so a request needs no fiber. Work that is
 * rare or waits for others stays an effect, which a call runs in a fiber of its own.
 */
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Effectable from "effect/Effectable"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"

/** Takes how an operation has ended. Is called once, and does not throw. */
export type Done<A, E = never> = (exit: Exit.Exit<A, E>) => void

/** Asks an operation to end early. It ends as usual, by a call of its `Done`. */
export type Interrupt = () => void

/** Starts an operation. Without an `Interrupt`, it cannot end early. */
type Start<A, E> = (context: Context.Context<never>, done: Done<A, E>) => Interrupt | undefined

/** An effect that starts without a fiber. */
class Direct<A, E> extends Effectable.Class<A, E> {
  readonly start: Start<A, E>

  constructor(start: Start<A, E>) {
    super()
    this.start = start
  }

  override asEffect(): Effect.Effect<A, E> {
    return Effect.withFiber(({ context }) =>
      Effect.callback<A, E>((resume) => {
        let hasEnded = false
        let tell = (): void => {}
        const interrupt = this.start(context, (exit) => {
          hasEnded = true
          resume(exit)
          tell()
        })
        if (hasEnded) return undefined
        return Effect.callback<void>((ended) => {
          tell = () => ended(Effect.void)
          if (hasEnded) tell()
          else interrupt?.()
        })
      }),
    )
  }
}

/** An effect over a callback, which a call starts without a fiber. */
export const direct = <A, E = never>(start: Start<A, E>): Effect.Effect<A, E> => new Direct(start)

/** An effect made of steps. */
class Made<A, E> extends Direct<A, E> {
  readonly step: Step<A, E>

  constructor(step: Step<A, E>) {
    super((context, done) => {
      const call = new Call(context, done)
      call.start(step, done)
      return () => call.interrupt()
    })
    this.step = step
  }
}

const isEnded = <A, E>(effect: Effect.Effect<A, E>): effect is Exit.Exit<A, E> =>
  Exit.isExit(effect)

const isDirect = <A, E>(effect: Effect.Effect<A, E>): effect is Direct<A, E> =>
  effect instanceof Direct

const isMade = <A, E>(effect: Effect.Effect<A, E>): effect is Made<A, E> => effect instanceof Made

/** Starts an effect, in a fiber if it needs one. `isKept`: it is not interrupted. */
export const begin = <A, E>(
  effect: Effect.Effect<A, E>,
  context: Context.Context<never>,
  done: Done<A, E>,
  isKept = false,
): Interrupt | undefined => {
  if (isDirect(effect)) {
    const interrupt = effect.start(context, done)
    return isKept ? undefined : interrupt
  }
  if (isEnded(effect)) {
    done(effect)
    return undefined
  }
  const fiber = Effect.runForkWith(context)(effect, isKept ? kept : undefined)
  const exit = fiber.pollUnsafe()
  if (exit !== undefined) {
    done(exit)
    return undefined
  }
  fiber.addObserver(done)
  return isKept ? undefined : () => fiber.interruptUnsafe()
}

const kept = { uninterruptible: true } as const

/** Waits for the end of calls. Example: a drain. */
export interface Hold {
  /** Returns whether there is still room for a call. */
  readonly enter: () => boolean
  readonly leave: () => void
}

type Step<A, E> = (call: Call, done: Done<A, E>) => void

/** The life of a call: who waits for it, whether it may end early, and that it ends once, also by a defect. */
export class Call {
  /** The context of the caller. */
  readonly context: Context.Context<never>
  readonly #done: Done<never>
  /** The callback that resumes the call, and the interrupt of the work until then. */
  #running: object | undefined
  #interrupt: Interrupt | undefined
  #hold: Hold | undefined
  #isInterrupted = false
  #hasEnded = false

  constructor(context: Context.Context<never>, done: Done<never>) {
    this.context = context
    this.#done = done
  }

  start<A, E>(step: Step<A, E>, done: Done<A, E>): void {
    try {
      step(this, (exit) => {
        if (this.#end()) done(exit)
      })
    } catch (defect) {
      this.#fail(defect)
    }
  }

  /** Runs an effect as the next part of the call. One that is made of steps becomes part of it. */
  run<A, E>(effect: Effect.Effect<A, E>, done: Done<A, E>): void {
    if (this.#isInterrupted && this.#hold === undefined) return this.abort(Exit.interrupt())
    if (isMade(effect)) return effect.step(this, done)
    if (!isDirect(effect) && isEnded(effect)) return done(effect)
    const resume: Done<A, E> = (exit) => {
      this.#running = undefined
      try {
        done(exit)
      } catch (defect) {
        this.#fail(defect)
      }
    }
    this.#running = resume
    const interrupt = begin(effect, this.context, resume, this.#hold !== undefined)
    if (this.#running !== resume) return
    this.#interrupt = interrupt
    // The effect may have interrupted the call before it was known how to interrupt the effect.
    if (this.#isInterrupted) interrupt?.()
  }

  /** As `run`, and goes on with the value. */
  andThen<A, E>(effect: Effect.Effect<A, E>, done: Done<never, E>, next: (value: A) => void): void {
    this.run(effect, passing(done, next))
  }

  /** Until the `done` that `next` gets is called, the call goes on without its caller, and `hold` waits for it. */
  hold<A, E>(hold: Hold, done: Done<A, E>, next: (done: Done<A, E>) => void): void {
    if (this.#isInterrupted || !hold.enter()) return this.abort(Exit.interrupt())
    this.#hold = hold
    next((exit) => {
      this.#hold = undefined
      hold.leave()
      done(exit)
    })
  }

  interrupt(): void {
    this.#isInterrupted = true
    if (this.#running !== undefined) this.#interrupt?.()
  }

  /** Ends the call at any point. */
  abort(exit: Exit.Exit<never>): void {
    if (this.#end()) this.#done(exit)
  }

  #fail(defect: unknown): void {
    // After the end, the defect is the caller's own.
    if (this.#hasEnded) throw defect
    this.abort(Exit.die(defect))
  }

  #end(): boolean {
    if (this.#hasEnded) return false
    this.#hasEnded = true
    this.#hold?.leave()
    return true
  }
}

/** An effect that is made of steps: a call of its own, or a part of the call that runs it. */
export const make = <A, E = never>(step: Step<A, E>): Effect.Effect<A, E> => new Made(step)

/** An effect with its value changed. */
export const map = <A, E, B>(
  effect: Effect.Effect<A, E>,
  change: (value: A) => B,
): Effect.Effect<B, E> =>
  make((call, done) => call.andThen(effect, done, (value) => done(Exit.succeed(change(value)))))

/** Goes on with a value, and passes failures on. */
export const passing =
  <A, E>(done: Done<never, E>, next: (value: A) => void): Done<A, E> =>
  (exit) =>
    exit._tag === "Success" ? next(exit.value) : done(Exit.failCause(exit.cause))

/** Goes on with an error, and passes values, defects and interruptions on. */
export const catching =
  <A, E>(done: Done<A>, handle: (error: E) => void): Done<A, E> =>
  (exit) => {
    if (exit._tag === "Success") return done(succeeded(exit))
    const found = Cause.findError(exit.cause)
    if (Result.isSuccess(found)) handle(found.success)
    else done(Exit.failCause(found.failure))
  }

/** The same exit: one that has succeeded has no error. */
function succeeded<A>(exit: Exit.Success<A, unknown>): Exit.Exit<A>
function succeeded(exit: unknown): unknown {
  return exit
}
