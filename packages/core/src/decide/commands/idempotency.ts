/** The rules of idempotency keys. `Decision.decide` answers repeats before a decider runs. */
import { answer, type Decider } from "../shared/Decider.ts"
import type { Of, Idempotent, NotFound } from "../shared/Results.ts"

export interface Commands {
  /** Asks whether a call is a repeat. Changes nothing. */
  readonly FindCall: Required<Idempotent>
  /** Records the first answer of a call with a key, unless it has one. */
  readonly RecordAnswer: {
    readonly idempotencyId: string
    readonly answer: string
  }
}

export interface Results {
  readonly FindCall: NotFound
  /** `answer`: the recorded one. */
  readonly RecordAnswer: { readonly _tag: "Answered"; readonly answer: string } | NotFound
}

type Decide<T extends keyof Commands> = Decider<Of<Commands, T>, Results[T]>

export const findCall: Decide<"FindCall"> = () => answer({ _tag: "NotFound" })

/** Only the first answer is recorded, so that all calls with the key get the same one. */
export const recordAnswer: Decide<"RecordAnswer"> = ({ account, view }, command) => {
  const key = view.idempotencyKey
  if (key === undefined) return answer({ _tag: "NotFound" })
  if (key.answer !== null) return answer({ _tag: "Answered", answer: key.answer })
  const given = command.answer
  return answer(
    { _tag: "Answered", answer: given },
    { account, idempotencyKey: { ...key, answer: given } },
  )
}
