import { answer, type Decider } from "./decider.ts"

/** The event names no number. An audit entry of the erasure belongs in the same writes. */
export const recordErasure: Decider<"RecordErasure"> = ({ account, now }, { erased }) =>
  answer({ _tag: "ErasureRecorded" }, { account }, [
    { _tag: "NumberErased", organization: account.organization, at: now, ...erased },
  ])
