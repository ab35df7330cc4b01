/** The bodies of errors. */
import { fieldFailure } from "@countersign/core/api/Fields"
import * as Schema from "effect/Schema"

const { Int, Record, String, Struct, Unknown, optionalKey } = Schema

const list = Schema.Array

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
  problems: optionalKey(Record(String, list(fieldFailure))).annotate({
    description: "The same with codes, for translations.",
  }),
  retryAfterSeconds: optionalKey(Int).annotate({
    description: "Seconds to wait before the next try.",
  }),
}).annotate({ identifier: "Failure" })
