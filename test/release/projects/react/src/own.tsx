import { CodeInput, english, PhoneInput, problemText, useVerification } from "@countersign/react"
import { parsePhoneNumber } from "countersign/phone"
import { useState } from "react"

const parse = (typed: string) => parsePhoneNumber(typed, { country: "BD" })

export const OwnForm = () => {
  const verification = useVerification({ basePath: "/login" })
  const { expiresInSeconds, resend, resendInSeconds, start, state } = verification
  const [phoneNumber, setPhoneNumber] = useState("")
  const problem = "problem" in state ? state.problem : null
  return (
    <>
      {state.status === "idle" || state.status === "failed" ? (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            start({ phoneNumber })
          }}
        >
          <PhoneInput
            aria-label="Phone number"
            value={phoneNumber}
            onChange={setPhoneNumber}
            parse={parse}
          />
          <button>Send code</button>
        </form>
      ) : (
        <>
          <CodeInput verification={verification} />
          <p>{expiresInSeconds} s</p>
          <button disabled={resendInSeconds !== 0} onClick={() => resend()}>
            Send it again
          </button>
        </>
      )}
      <p role="alert">{problem === null ? "" : problemText(problem, english)}</p>
    </>
  )
}
