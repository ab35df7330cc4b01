/** Errors become texts for users, in Bangla. */
import assert from "node:assert/strict"
import {
  type CountersignError,
  createCountersign,
  developmentGateway,
  type FieldProblem,
  isCountersignError,
} from "countersign"

const bangla = new Intl.NumberFormat("bn-BD", { useGrouping: false })

const problemInBangla = (problem: FieldProblem): string => {
  switch (problem.code) {
    case "required":
    case "empty":
      return "তথ্যটি দিন।"
    case "not_e164":
    case "not_phone_number":
    case "not_in_numbering_plan":
      return "সঠিক ফোন নম্বর দিন।"
    case "country_not_served":
      return "এই দেশের নম্বরে কোড পাঠানো হয় না।"
    case "out_of_range": {
      const { max, min } = problem.params
      return `${bangla.format(min)} থেকে ${bangla.format(max)}-এর মধ্যে একটি সংখ্যা দিন।`
    }
    case "length_out_of_range": {
      const { max, min } = problem.params
      return `${bangla.format(min)} থেকে ${bangla.format(max)}টি অক্ষর দিন।`
    }
    default:
      return "তথ্যটি সঠিক নয়।"
  }
}

const inBangla = (error: CountersignError): string => {
  switch (error.code) {
    case "invalid_request":
      return Object.values(error.details).flat().map(problemInBangla).join(" ")
    case "wrong_code":
      return `কোডটি সঠিক নয়। আর ${bangla.format(error.attemptsRemaining)} বার চেষ্টা করতে পারবেন।`
    case "attempts_exhausted":
    case "request_expired":
    case "request_not_found":
      return "কোডটির মেয়াদ শেষ। নতুন কোড নিন।"
    case "rate_limited":
    case "too_many_pending":
    case "unavailable":
      return `${bangla.format(error.retryAfterSeconds)} সেকেন্ড পরে আবার চেষ্টা করুন।`
    case "not_on_whatsapp":
      return "এই নম্বরে হোয়াটসঅ্যাপ নেই।"
    default:
      return "দুঃখিত, কোডটি পাঠানো যায়নি। পরে আবার চেষ্টা করুন।"
  }
}

await using countersign = await createCountersign({
  database: "memory",
  gateways: [developmentGateway()],
})
const { verifications } = countersign

const textOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "",
    (error: unknown) => {
      if (!isCountersignError(error)) throw error
      return inBangla(error)
    },
  )
const wrongInput = verifications.send({ phoneNumber: "01712", codeLength: 12 })
assert.equal(await textOf(wrongInput), "সঠিক ফোন নম্বর দিন। ৪ থেকে ১০-এর মধ্যে একটি সংখ্যা দিন।")

const { requestId } = await verifications.send({ phoneNumber: "+8801712345678" })
const noCode = verifications.check({ requestId, code: "" })
assert.equal(await textOf(noCode), "১ থেকে ৩২টি অক্ষর দিন।")
const wrongCode = verifications.check({ requestId, code: "wrong" })
assert.equal(await textOf(wrongCode), "কোডটি সঠিক নয়। আর ২ বার চেষ্টা করতে পারবেন।")
