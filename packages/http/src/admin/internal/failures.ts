/** The bodies of errors. */
import * as Schema from "effect/Schema"

const { Int, Record, String, Struct, Unknown, optionalKey } = Schema

const list = Schema.Array

/** A problem with a field, as the promise API has it. */
export const FieldFailure = Struct({
  code: String.annotate({ description: "What is wrong, for programs." }),
  params: Record(String, Unknown).annotate({ description: "The parameters of the code." }),
  message: String.annotate({ description: "What is wrong, for people, without the field." }),
}).annotate({ identifier: "FieldFailure" })

/** An error. */
export const Failure = Struct({
  error: String.annotate({ description: "What is wrong, for people." }),
  code: String.annotate({ description: "The error code, for programs." }),
  params: optionalKey(Record(String, Unknown)).annotate({
    description: "The values of the sentence, for translations.",
  }),
  details: optionalKey(Record(String, list(String))).annotate({
    description: "The sentences about each invalid field, by its name.",
  }),
  problems: optionalKey(Record(String, list(FieldFailure))).annotate({
    description: "The same with codes, for translations.",
  }),
  retryAfterSeconds: optionalKey(Int).annotate({
    description: "Seconds to wait before the next try.",
  }),
}).annotate({ identifier: "Failure" })
