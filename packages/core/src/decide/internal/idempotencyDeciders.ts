/** The rules of idempotency keys. `Decision.decide` answers repeats before a decider runs. */
import { answer, type Decider } from "./decider.ts"

export const findCall: Decider<"FindCall"> = () => answer({ _tag: "NotFound" })

/** Only the first answer is recorded, so that all calls with the key get the same one. */
export const recordAnswer: Decider<"RecordAnswer"> = ({ account, view }, command) => {
  const key = view.idempotencyKey
  if (key === undefined) return answer({ _tag: "NotFound" })
  if (key.answer !== null) return answer({ _tag: "Answered", answer: key.answer })
  const given = command.answer
  return answer(
    { _tag: "Answered", answer: given },
    { account, idempotencyKey: { ...key, answer: given } },
  )
}
